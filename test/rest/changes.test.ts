import { describe, expect, test } from '@jest/globals';
import { recordMovements } from '../../src/orders/record-movements.js';
import { movement } from '../domain/orders-fixtures.js';
import { orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

/** Following orders and packages by asking what changed (contracts/guides/polling.md). */

const service = await ownService();
const bia = await service.customer();
const { id, packages } = must(await bia.rest.POST('/api/v1/orders', { body: orderBody() }));
const key = packages[0]?.loggi_key ?? '';

const orders = (query: Record<string, unknown>, by = bia) => by.rest.GET('/api/v1/orders', { params: { query } });
const packagesBy = (query: Record<string, unknown>, by = bia) => by.rest.GET('/api/v1/packages', { params: { query } });
const begin = { updated_from: '2026-01-01T00:00:00Z' };

/** Reads until the page has entries. A change is listed only when every older transaction of the server has ended. */
async function untilListed<P extends { data: unknown[] }>(read: () => Promise<P>): Promise<P> {
  let page = await read();
  await waitFor(async () => {
    page = await read();
    return page.data.length > 0;
  }, 'a change');
  return page;
}

test('a cursor leads from change to change', async () => {
  const first = await untilListed(async () => must(await orders(begin)));
  expect(first).toMatchObject({
    data: [{ id, status: 'created' }],
    pagination: { page: 1, page_size: 20, total_items: 1, total_pages: 1 },
    next_cursor: expect.any(String),
    has_more: false,
  });
  const { next_cursor: cursor } = first;
  expect(must(await orders({ cursor }))).toMatchObject({ data: [], next_cursor: cursor, has_more: false });
  const listed = await untilListed(async () => must(await packagesBy(begin)));
  await recordMovements(service.db, [movement(key, 11)]);
  const next = await untilListed(async () => must(await packagesBy({ cursor: listed.next_cursor })));
  expect(next.data).toMatchObject([{ loggi_key: key, status: { code: 11 }, movement_count: 2 }]);
  expect((await untilListed(async () => must(await orders({ cursor })))).data).toMatchObject([
    { id, status: 'out_for_delivery' },
  ]);
});

test('a page of changes has at most page_size entries, and says when there are more', async () => {
  const eva = await service.customer();
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1)
    ids.push(must(await eva.rest.POST('/api/v1/orders', { body: orderBody() })).id);
  await waitFor(async () => must(await orders(begin, eva)).data.length === 3, 'three orders');
  const first = must(await orders({ ...begin, page_size: 2 }, eva));
  expect(first).toMatchObject({ has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] });
  const second = must(await orders({ cursor: first.next_cursor, page_size: 2 }, eva));
  expect(second).toMatchObject({ has_more: false, data: [{ id: ids[2] }] });
});

test('a list that does not ask for changes has no cursor', async () => {
  expect(Object.keys(must(await orders({})))).toEqual(['data', 'pagination']);
  expect(Object.keys(must(await packagesBy({})))).toEqual(['data', 'pagination']);
});

describe('a list of changes is refused', () => {
  test.each<[string, Record<string, unknown>]>([
    ['page', { ...begin, page: 2 }],
    ['created_from', { ...begin, created_from: '2026-01-01T00:00:00Z' }],
    ['status', { cursor: 'x', status: 'created' }],
    ['updated_from', { ...begin, cursor: 'x' }],
    ['cursor', { cursor: 'eA' }],
  ])('for a wrong %s', async (field, query) => {
    expect(refusal(await orders(query))).toBe(`400 VALIDATION_ERROR ${field}`);
  });

  test('for an operator, who sees all accounts', async () => {
    expect(refusal(await orders(begin, service.operator))).toBe('400 VALIDATION_ERROR updated_from');
    expect(refusal(await packagesBy(begin, service.operator))).toBe('400 VALIDATION_ERROR updated_from');
  });
});
