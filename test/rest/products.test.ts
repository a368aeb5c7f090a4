import { beforeAll, describe, expect, test } from '@jest/globals';
import { served } from '../support/http.js';
import { getProduct, listProducts, newProduct, postProduct, stocked } from './products-requests.js';
import { ABSENT_ID, refusal, sendRaw, startRestService, type User, unreadable } from './rest-service.js';

const rest = await startRestService();
const operator = await rest.user({ role: 'operator' });
let ana: User;
let bruno: User;

beforeAll(async () => {
  [ana, bruno] = [await rest.user(), await rest.user()];
});

describe('POST /api/v1/products', () => {
  test('creates a product of the account, answers the record with its place and its ETag', async () => {
    const body = newProduct({
      description: 'Arábica, torra média. ☕',
      dimensions: { width: 0.1, height: 100, length: 99.9, weight: 30_000 },
    });
    const { data, response } = await postProduct(ana.api, body);
    expect(response.status).toBe(201);
    expect(data).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: ana.account.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: data?.created_at,
    });
    expect(response.headers.get('location')).toBe(`/api/v1/products/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
  });

  test('takes an empty description when it is left out, and any price of the contract', async () => {
    expect(await stocked(ana.api)).toMatchObject({ description: '' });
    for (const price of ['0.00', '0.01', '9999999999.99'])
      expect(await stocked(ana.api, { price })).toMatchObject({ price });
  });

  test('answers the same again under one Idempotency-Key, and 422 for another body', async () => {
    const body = newProduct();
    const first = await postProduct(ana.api, body, 'create-coffee');
    const again = await postProduct(ana.api, body, 'create-coffee');
    expect([again.response.status, again.data]).toEqual([201, first.data]);
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    expect(refusal(await postProduct(ana.api, newProduct(), 'create-coffee'))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
      [],
    ]);
  });

  test('409 when the account has the SKU; another account may have it too', async () => {
    const { sku } = await stocked(ana.api);
    expect(refusal(await postProduct(ana.api, newProduct({ sku })))).toEqual([409, 'CONFLICT', ['sku']]);
    expect((await postProduct(bruno.api, newProduct({ sku }))).response.status).toBe(201);
    const rush = await Promise.all(
      Array.from({ length: 10 }, () => served(() => postProduct(ana.api, newProduct({ sku: 'RUSH' })))),
    );
    expect(rush.map(({ response }) => response.status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test('400 names every field that is wrong', async () => {
    const dimensions = { width: 0, height: -1, length: 101, weight: 30_001 };
    const body = { sku: '', price: '38.5', dimensions, user_id: bruno.account.id };
    // @ts-expect-error a body that the contract does not allow
    expect(refusal(await postProduct(ana.api, body))).toEqual([
      400,
      'VALIDATION_ERROR',
      [
        'dimensions.height',
        'dimensions.length',
        'dimensions.weight',
        'dimensions.width',
        'name',
        'price',
        'sku',
        'user_id',
      ],
    ]);
  });

  test('400 when the sides are more than 200 cm in all', async () => {
    const dimensions = { width: 100, height: 100, length: 0.1, weight: 1 };
    const wrong = await postProduct(ana.api, newProduct({ dimensions }));
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['dimensions']]);
  });

  test.each(['sku', 'name', 'description'])('400 for a %s that could not be stored unaltered', async (field) => {
    for (const value of ['with \0 inside', 'half of a \ud83d horse']) {
      const wrong = await postProduct(ana.api, newProduct({ [field]: value }));
      expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', [field]]);
    }
  });

  test('401 without a token', async () => {
    expect(refusal(await postProduct(rest.client(), newProduct()))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  test.each(unreadable)('%d %s', async (status, code, init) => {
    const answer = await sendRaw(`${rest.url}/api/v1/products`, 'POST', ana.token, init);
    expect(answer).toEqual([status, code, []]);
  });
});

describe('GET /api/v1/products', () => {
  test('lists the products of the account newest first, with exact totals', async () => {
    const carla = await rest.user();
    for (const name of ['one', 'two', 'three']) await stocked(carla.api, { name });
    const { data } = await listProducts(carla.api, { page_size: 2 });
    expect(data?.data.map(({ name }) => name)).toEqual(['three', 'two']);
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    const second = await listProducts(carla.api, { page_size: 2, page: 2 });
    expect(second.data?.data.map(({ name }) => name)).toEqual(['one']);
    expect((await listProducts(carla.api, { page: 9 })).data?.data).toEqual([]);
  });

  test('shows operators the products of all', async () => {
    const { id } = await stocked(ana.api, { name: 'Seen by the operator' });
    const answer = await listProducts(operator.api, { search: 'seen by the operator' });
    expect(answer.data?.data.map((product) => product.id)).toEqual([id]);
    expect((await listProducts(bruno.api, { search: 'seen by the operator' })).data?.data).toEqual([]);
  });

  test('searches SKU and name for plain text, in any case', async () => {
    const carla = await rest.user();
    await stocked(carla.api, { sku: 'PAO_100%', name: 'Pão de queijo \\ congelado' });
    await stocked(carla.api, { sku: 'OTHER', name: 'Pamonha' });
    const total = async (search: string) => (await listProducts(carla.api, { search })).data?.pagination.total_items;
    for (const search of ['PÃO', 'pao_', '0%', '\\', 'queijo']) expect(await total(search)).toBe(1);
    expect(await total('P')).toBe(2);
    expect(await total('o%o')).toBe(0);
  });

  test('400 for wrong parameters, 401 without a token', async () => {
    expect(refusal(await listProducts(ana.api, { page: 0, page_size: 101, search: '' }))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['page', 'page_size', 'search'],
    ]);
    expect(refusal(await listProducts(rest.client()))).toEqual([401, 'UNAUTHENTICATED', []]);
  });
});

describe('GET /api/v1/products/{id}', () => {
  test('answers the record, and 304 while it is what the client has', async () => {
    const product = await stocked(ana.api);
    const { data, response } = await getProduct(ana.api, product.id);
    expect([data, response.headers.get('etag')]).toEqual([product, '"1"']);
    expect((await getProduct(ana.api, product.id, '"1"')).response.status).toBe(304);
    expect((await getProduct(operator.api, product.id, '"9"')).data).toEqual(product);
  });

  test("404 for another account's product, byte for byte as for an absent one", async () => {
    const foreign = await getProduct(bruno.api, (await stocked(ana.api)).id);
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await getProduct(bruno.api, ABSENT_ID)).error).toEqual(foreign.error);
  });

  test('400 for a wrong id, 401 without a token', async () => {
    expect(refusal(await getProduct(ana.api, 'CAFE-500'))).toEqual([400, 'VALIDATION_ERROR', ['id']]);
    expect(refusal(await getProduct(rest.client(), ABSENT_ID))).toEqual([401, 'UNAUTHENTICATED', []]);
  });
});

describe('GET', () => {
  test.each(['/api/v1/products', '/api/v1/products/{id}'])('%s: 406 when JSON is not wanted', async (place) => {
    const url = `${rest.url}${place.replace('{id}', (await stocked(ana.api)).id)}`;
    const answer = await sendRaw(url, 'GET', ana.token, { headers: { Accept: 'text/csv' } });
    expect(answer).toEqual([406, 'NOT_ACCEPTABLE', []]);
  });
});
