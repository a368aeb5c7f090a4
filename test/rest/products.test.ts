import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { must, served } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await sharedService();
const { operator } = service;
const [ana, bruno] = [await service.customer(), await service.customer()];

type ProductInput = components['schemas']['ProductInput'];

let products = 0;

/** The body of a product that does not exist yet. */
const newProduct = (change: Partial<ProductInput> = {}): ProductInput => {
  products += 1;
  const dimensions = { width: 12, height: 6.5, length: 20, weight: 520 };
  return { sku: `CAFE-${products}`, name: 'Café torrado 500 g', price: '38.50', dimensions, ...change };
};

const post = (by: Caller, body: ProductInput) => by.rest.POST('/api/v1/products', { body });
const get = (by: Caller, id: string, header: { 'If-None-Match'?: string } = {}) =>
  by.rest.GET('/api/v1/products/{id}', { params: { path: { id }, header } });
const put = (by: Caller, id: string, body: ProductInput, header: { 'If-Match'?: string } = {}) =>
  by.rest.PUT('/api/v1/products/{id}', { params: { path: { id }, header }, body });
const remove = (by: Caller, id: string, header: { 'If-Match'?: string } = {}) =>
  by.rest.DELETE('/api/v1/products/{id}', { params: { path: { id }, header } });
const list = (by: Caller, query: { page?: number; page_size?: number; search?: string } = {}) =>
  by.rest.GET('/api/v1/products', { params: { query } });

/** Statuses of ten requests at once, sorted. */
async function statusesOfTen(send: () => Promise<{ response: Response }>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: 10 }, () => served(send)));
  return answers.map(({ response }) => response.status).sort();
}

/** A product that exists. */
const stocked = async (by: Caller, change: Partial<ProductInput> = {}) => must(await post(by, newProduct(change)));

describe('POST /api/v1/products', () => {
  test('creates a product of the account, and answers the record with its Location and its ETag', async () => {
    const dimensions = { width: 0.1, height: 100, length: 99.9, weight: 30_000 };
    const body = newProduct({ description: 'Arábica, torra média. ☕', dimensions });
    const { data, response } = await post(ana, body);
    expect(response.status).toBe(201);
    expect(data).toEqual({
      ...body,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: ana.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: data?.created_at,
    });
    expect(response.headers.get('location')).toBe(`/api/v1/products/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
  });

  test('reads a missing description as empty, and takes any price that the contract allows', async () => {
    expect(await stocked(ana)).toMatchObject({ description: '' });
    for (const price of ['0.00', '0.01', '9999999999.99'])
      expect(await stocked(ana, { price })).toMatchObject({ price });
  });

  test('409 when the account has the SKU; another account may have it too', async () => {
    const { sku } = await stocked(ana);
    expect(refusal(await post(ana, newProduct({ sku })))).toBe('409 CONFLICT sku');
    expect((await post(bruno, newProduct({ sku }))).response.status).toBe(201);
    expect(await statusesOfTen(() => post(ana, newProduct({ sku: 'RUSH' })))).toEqual([201, ...Array(9).fill(409)]);
  });

  test('400 when the sides are more than 200 cm in all', async () => {
    const dimensions = { width: 100, height: 100, length: 0.1, weight: 1 };
    const { id } = await stocked(ana);
    for (const refused of [post(ana, newProduct({ dimensions })), put(ana, id, newProduct({ dimensions }))])
      expect(refusal(await refused)).toBe('400 VALIDATION_ERROR dimensions');
  });
});

describe('GET /api/v1/products', () => {
  test('lists the products of the account newest first, with exact totals', async () => {
    const carla = await service.customer();
    for (const name of ['one', 'two', 'three']) await stocked(carla, { name });
    const { data } = await list(carla, { page_size: 2 });
    expect(data?.data.map(({ name }) => name)).toEqual(['three', 'two']);
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    const second = await list(carla, { page_size: 2, page: 2 });
    expect(second.data?.data.map(({ name }) => name)).toEqual(['one']);
    expect((await list(carla, { page: 9 })).data?.data).toEqual([]);
  });

  test('searches SKU and name for plain text, in any case', async () => {
    const carla = await service.customer();
    await stocked(carla, { sku: 'PAO_100%', name: 'Pão de queijo \\ congelado' });
    await stocked(carla, { sku: 'OTHER', name: 'Pamonha' });
    const total = async (search: string) => (await list(carla, { search })).data?.pagination.total_items;
    for (const search of ['PÃO', 'pao_', '0%', '\\', 'queijo']) expect(await total(search)).toBe(1);
    expect(await total('P')).toBe(2);
    expect(await total('o%o')).toBe(0);
  });
});

test('GET /api/v1/products/{id} answers the record, or 304 if the client has this version', async () => {
  const product = await stocked(ana);
  const { data, response } = await get(ana, product.id);
  expect([data, response.headers.get('etag')]).toEqual([product, '"1"']);
  expect((await get(ana, product.id, { 'If-None-Match': '"1"' })).response.status).toBe(304);
  expect((await get(operator, product.id, { 'If-None-Match': '"9"' })).data).toEqual(product);
});

describe('PUT /api/v1/products/{id}', () => {
  test('replaces the product, which stays with its account; a missing description becomes empty', async () => {
    const product = await stocked(ana, { description: 'Arábica.' });
    const body = newProduct({ name: 'Café em grãos', price: '41.00' });
    const { data, response } = await put(operator, product.id, body, { 'If-Match': '"1"' });
    expect(data).toEqual({ ...product, ...body, description: '', updated_at: expect.any(String) });
    expect(response.headers.get('etag')).toBe('"2"');
    expect((await get(ana, product.id)).data).toEqual(data);
  });

  test('409 when another product of the account has the SKU', async () => {
    const [one, two] = [await stocked(ana), await stocked(ana)];
    expect(refusal(await put(ana, one.id, newProduct({ sku: two.sku })))).toBe('409 CONFLICT sku');
    expect((await put(ana, one.id, newProduct({ sku: one.sku }))).response.status).toBe(200);
  });

  test('412 when the record has changed; of ten at once one passes', async () => {
    const { id } = await stocked(ana);
    expect(refusal(await put(ana, id, newProduct(), { 'If-Match': '"7"' }))).toBe('412 PRECONDITION_FAILED');
    const statuses = await statusesOfTen(() => put(ana, id, newProduct(), { 'If-Match': '"1"' }));
    expect(statuses).toEqual([200, ...Array(9).fill(412)]);
  });
});

test('DELETE /api/v1/products/{id} takes the product out of the account and frees its SKU', async () => {
  const product = await stocked(ana);
  const { response } = await remove(ana, product.id, { 'If-Match': '"1"' });
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(refusal(await get(ana, product.id))).toBe('404 NOT_FOUND');
  expect(refusal(await remove(ana, product.id))).toBe('404 NOT_FOUND');
  expect((await list(ana, { search: product.sku })).data?.data.map(({ id }) => id)).not.toContain(product.id);
  expect((await post(ana, newProduct({ sku: product.sku }))).response.status).toBe(201);
});
