import { beforeAll, describe, expect, test } from '@jest/globals';
import { served } from '../support/http.js';
import {
  deleteProduct,
  getProduct,
  listProducts,
  newProduct,
  postProduct,
  putProduct,
  stocked,
} from './products-requests.js';
import { ABSENT_ID, refusal, sendRaw, startRestService, type User, unreadable } from './rest-service.js';

const rest = await startRestService();
const operator = await rest.user({ role: 'operator' });
let ana: User;
let bruno: User;

beforeAll(async () => {
  [ana, bruno] = [await rest.user(), await rest.user()];
});

describe('PUT /api/v1/products/{id}', () => {
  test('replaces the product: what is left out is empty', async () => {
    const product = await stocked(ana.api, { description: 'Arábica.' });
    const body = newProduct({ name: 'Café em grãos', price: '41.00' });
    const { data, response } = await putProduct(ana.api, product.id, body, '"1"');
    expect(data).toMatchObject({ ...body, description: '', id: product.id, created_at: product.created_at });
    expect(response.headers.get('etag')).toBe('"2"');
    expect((await getProduct(ana.api, product.id)).data).toEqual(data);
  });

  test('is open to operators; the product stays with its account', async () => {
    const product = await stocked(ana.api);
    const { data } = await putProduct(operator.api, product.id, newProduct());
    expect(data?.user_id).toBe(ana.account.id);
  });

  test('400 names every field that is wrong', async () => {
    const { id } = await stocked(ana.api);
    const dimensions = { width: 90, height: 90, length: 90, weight: 1 };
    expect(refusal(await putProduct(ana.api, id, newProduct({ dimensions })))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['dimensions'],
    ]);
    const body = { name: 'x'.repeat(256) };
    // @ts-expect-error a body that the contract does not allow
    const wrong = await putProduct(ana.api, id, body);
    expect(refusal(wrong)).toEqual([400, 'VALIDATION_ERROR', ['dimensions', 'name', 'price', 'sku']]);
  });

  test("404 for another account's product as for an absent one, 401 without a token", async () => {
    const { id } = await stocked(ana.api);
    const foreign = await putProduct(bruno.api, id, newProduct());
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await putProduct(bruno.api, ABSENT_ID, newProduct())).error).toEqual(foreign.error);
    expect(refusal(await putProduct(rest.client(), id, newProduct()))).toEqual([401, 'UNAUTHENTICATED', []]);
  });

  test('409 when another product of the account has the SKU', async () => {
    const [one, two] = [await stocked(ana.api), await stocked(ana.api)];
    expect(refusal(await putProduct(ana.api, one.id, newProduct({ sku: two.sku })))).toEqual([
      409,
      'CONFLICT',
      ['sku'],
    ]);
    expect((await putProduct(ana.api, one.id, newProduct({ sku: one.sku }))).response.status).toBe(200);
  });

  test('412 when the record has changed; of ten at once one passes', async () => {
    const { id } = await stocked(ana.api);
    expect(refusal(await putProduct(ana.api, id, newProduct(), '"7"'))).toEqual([412, 'PRECONDITION_FAILED', []]);
    const rivals = await Promise.all(
      Array.from({ length: 10 }, () => served(() => putProduct(ana.api, id, newProduct(), '"1"'))),
    );
    expect(rivals.map(({ response }) => response.status).sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  test.each(unreadable)('%d %s', async (status, code, init) => {
    const answer = await sendRaw(`${rest.url}/api/v1/products/${ABSENT_ID}`, 'PUT', ana.token, init);
    expect(answer).toEqual([status, code, []]);
  });
});

describe('DELETE /api/v1/products/{id}', () => {
  test('takes the product out of the account and frees its SKU', async () => {
    const product = await stocked(ana.api);
    const { response } = await deleteProduct(ana.api, product.id, '"1"');
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(refusal(await getProduct(ana.api, product.id))).toEqual([404, 'NOT_FOUND', []]);
    expect(refusal(await deleteProduct(ana.api, product.id))).toEqual([404, 'NOT_FOUND', []]);
    expect((await listProducts(ana.api, { search: product.sku })).data?.data.map(({ id }) => id)).not.toContain(
      product.id,
    );
    expect((await postProduct(ana.api, newProduct({ sku: product.sku }))).response.status).toBe(201);
  });

  test('412 when the record has changed, 400 for a wrong id', async () => {
    const { id } = await stocked(ana.api);
    expect(refusal(await deleteProduct(ana.api, id, '"2"'))).toEqual([412, 'PRECONDITION_FAILED', []]);
    expect(refusal(await deleteProduct(ana.api, '7'))).toEqual([400, 'VALIDATION_ERROR', ['id']]);
  });

  test("404 for another account's product as for an absent one, 401 without a token", async () => {
    const { id } = await stocked(ana.api);
    const foreign = await deleteProduct(bruno.api, id);
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect((await deleteProduct(bruno.api, ABSENT_ID)).error).toEqual(foreign.error);
    expect(refusal(await deleteProduct(rest.client(), id))).toEqual([401, 'UNAUTHENTICATED', []]);
    expect((await deleteProduct(operator.api, id)).response.status).toBe(204);
  });
});
