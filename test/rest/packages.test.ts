import { describe, expect, test } from '@jest/globals';
import { recordMovements } from '../../src/orders/record-movements.js';
import { movement } from '../domain/orders-fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { ABSENT_ID, refusal } from './refusal.js';

const service = await ownService();
const { operator } = service;
const ana = await service.customer();

const list = (by: Caller, query: Record<string, unknown> = {}) =>
  by.rest.GET('/api/v1/packages', { params: { query } });
const get = (by: Caller, loggi_key: string, header: { 'If-None-Match'?: string } = {}) =>
  by.rest.GET('/api/v1/packages/{loggi_key}', { params: { path: { loggi_key }, header } });

/** Creates an order of this number of packages. */
async function order(by: Caller, packages = 1, external_id?: string) {
  const body = { ...orderBody(), packages: Array.from({ length: packages }, () => packageBody) };
  const named = external_id === undefined ? body : { ...body, external_id };
  const created = must(await by.rest.POST('/api/v1/orders', { body: named }));
  return { ...created, keys: created.packages.map(({ loggi_key }) => loggi_key) };
}

async function keysOf(by: Caller, query: Record<string, unknown> = {}) {
  const { data, pagination } = must(await list(by, { page_size: 100, ...query }));
  expect(pagination.total_items).toBe(data.length);
  return data.map(({ loggi_key }) => loggi_key);
}

describe('GET /api/v1/packages', () => {
  test('lists the packages of all orders of the account, newest first; an operator sees all', async () => {
    const bia = await service.customer();
    const [older, newer] = [await order(bia, 2), await order(bia)];
    const newestFirst = [...newer.keys, ...older.keys.toReversed()];
    expect(await keysOf(bia)).toEqual(newestFirst);
    expect((await keysOf(operator)).slice(0, 3)).toEqual(newestFirst);
    const page = must(await list(bia, { page: 2, page_size: 2 }));
    expect(page.data.map(({ loggi_key }) => loggi_key)).toEqual(newestFirst.slice(2));
    expect(page.pagination).toEqual({ page: 2, page_size: 2, total_items: 3, total_pages: 2 });
    expect(must(await list(bia, { page: 9 }))).toMatchObject({ data: [], pagination: { total_items: 3 } });
  });

  test('shows each package as its order does, with its owner, its order and its location', async () => {
    const bia = await service.customer();
    const { id, packages, created_at } = await order(bia);
    const more = { user_id: bia.id, order_id: id, location: { city: 'São Paulo', state: 'SP' }, movement_count: 1 };
    expect(must(await list(bia)).data).toEqual([{ ...packages[0], ...more, created_at }]);
  });

  test('finds packages by order, external id, tracking code or barcode, but none of another account', async () => {
    const [bia, eva] = [await service.customer(), await service.customer()];
    const own = await order(bia, 2, 'pedido-7');
    const foreign = await order(eva, 1, 'pedido-7');
    const [one, two] = own.packages;
    const byNames: [Record<string, unknown>, string[]][] = [
      [{ order_id: own.id }, own.keys],
      [{ external_id: 'pedido-7' }, own.keys],
      [{ tracking_code: one?.tracking_code }, own.keys.slice(0, 1)],
      [{ barcode: two?.barcode }, own.keys.slice(1)],
      [{ barcode: two?.barcode, order_id: own.id, external_id: 'pedido-7', status_code: 1 }, own.keys.slice(1)],
      [{ barcode: two?.barcode, tracking_code: one?.tracking_code }, []],
      [{ tracking_code: one?.tracking_code, status_code: 5 }, []],
      [{ order_id: ABSENT_ID }, []],
      [{ external_id: 'pedido-8' }, []],
      [{ tracking_code: '000000000000' }, []],
    ];
    for (const [query, keys] of byNames) expect(await keysOf(bia, query)).toEqual(keys.toReversed());
    const [byOrder, byCode] = [{ order_id: own.id }, { tracking_code: one?.tracking_code }];
    for (const query of [byOrder, byCode, { barcode: two?.barcode }, { ...byOrder, external_id: 'pedido-7' }])
      expect(await keysOf(eva, query)).toEqual([]);
    expect(await keysOf(operator, { external_id: 'pedido-7' })).toEqual([...foreign.keys, ...own.keys.toReversed()]);
  });

  test('filters by status and time of creation', async () => {
    const bia = await service.customer();
    const orders = [await order(bia), await order(bia), await order(bia)];
    const [first = '', second = '', third = ''] = orders.flatMap(({ keys }) => keys);
    await recordMovements(service.db, [movement(second, 17)]);
    expect(await keysOf(bia, { status_code: 17 })).toEqual([second]);
    expect(await keysOf(bia, { status_code: 1 })).toEqual([third, first]);
    const [created_from = '', created_to = ''] = [orders[1]?.created_at, orders[2]?.created_at];
    expect(await keysOf(bia, { created_from, created_to })).toEqual([second]);
    expect(await keysOf(bia, { created_from, created_to, status_code: 1 })).toEqual([]);
    expect(await keysOf(bia, { created_from: created_from.replace('Z', '001Z') })).toEqual([third]);
    expect(await keysOf(bia, { created_from: '2199-01-01T00:00:00-03:00' })).toEqual([]);
  });
});

describe('GET /api/v1/packages/{loggi_key}', () => {
  test('answers the package with the statuses that it had before, newest first', async () => {
    const { id, packages, keys, created_at } = await order(ana);
    const [key = ''] = keys;
    const created = { ...packages[0], user_id: ana.id, order_id: id, created_at };
    const first = { status: packages[0]?.status, location: { city: 'São Paulo', state: 'SP' } };
    const fresh = must(await get(ana, key));
    expect(fresh).toEqual({ ...created, location: first.location, movement_count: 1, tracking_history: [] });
    const actionRequired = { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' };
    await recordMovements(service.db, [movement(key, 17)]);
    await recordMovements(service.db, [movement(key, 6, { actionRequired, location: null })]);
    const moved = must(await get(ana, key));
    const action_required = { reason_label: 'Endereço', reason_description: 'Falta o número.' };
    expect(moved).toMatchObject({
      status: { code: 6, high_level_status: 'Com problema', final: false, stage: 'processing', action_required },
      // The movement to status 6 has no place, so the place of the movement before it counts.
      location: { city: 'Campinas', state: 'SP' },
      movement_count: 3,
    });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const arrived = { code: 17, high_level_status: 'Chegou em uma base', updated_at: time };
    const title = { pt_br: 'Em uma base', en: 'At a hub' };
    const meaning = { description: expect.any(String), public_title: title, final: false, stage: 'processing' };
    const second = { status: { ...arrived, ...meaning }, location: moved.location };
    expect(moved.tracking_history).toEqual([second, first]);
    expect(must(await get(operator, key))).toEqual(moved);
  });

  test('answers 304 until the package changes, even if only its history does', async () => {
    const { keys } = await order(ana);
    const [key = ''] = keys;
    const etagOf = async () => (await get(ana, key)).response.headers.get('etag') ?? '';
    const [placed, late] = [new Date(Date.now() - 60_000).toISOString(), new Date(Date.now() - 120_000).toISOString()];
    const etags = [await etagOf()];
    for (const happenedAt of [placed, late]) {
      await recordMovements(service.db, [movement(key, 14, { happenedAt })]);
      etags.push(await etagOf());
    }
    expect(new Set(etags).size).toBe(3);
    const [old = '', , current = ''] = etags;
    expect((await get(ana, key, { 'If-None-Match': current })).response.status).toBe(304);
    expect((await get(ana, key, { 'If-None-Match': old })).data?.movement_count).toBe(3);
    const bia = await service.customer();
    expect(refusal(await get(bia, key, { 'If-None-Match': current }))).toBe('404 NOT_FOUND');
  });
});
