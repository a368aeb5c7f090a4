import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { at, atPackage, bodyOf, movement, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { ABSENT_ID, refusal } from './refusal.js';

/** The times from which packages can be collected, and the days between which they are delivered. */

const service = await ownService();
const { operator } = service;
const ana = await service.customer();

type OrderCreate = components['schemas']['OrderCreate'];

const DAY_MS = 86_400_000;
const inDays = (days: number, time = '13:00:00.000Z'): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T${time}`;
const day = (days: number): string => inDays(days).slice(0, 10);

const body = (change: Partial<OrderCreate> = {}, parcel: object = {}): OrderCreate => ({
  ...orderBody(parcel),
  ...change,
});
const create = (input: OrderCreate, by: Caller = ana, header: Record<string, string> = {}) =>
  by.rest.POST('/api/v1/orders', { body: input, params: { header } });
const estimate = (input: OrderCreate) => ana.rest.POST('/api/v1/estimates', { body: input });
const created = (change: Partial<OrderCreate> = {}, parcel: object = {}, by: Caller = ana) =>
  bodyOf(create(body(change, parcel), by));
const get = (id: string) => bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(id)));
const details = ({ error }: { error?: components['schemas']['ErrorEnvelope'] }) =>
  error?.error.details.map(({ field, code, first_date }) => [field, code, first_date].filter(Boolean).join(' '));

describe('an order that is ready later', () => {
  const ready_at = inDays(10);

  test('is collected at that time at the earliest, costs the same as one that is ready now, and shows the time', async () => {
    const order = await created({ ready_at });
    expect(order.ready_at).toBe(ready_at);
    expect(order.packages[0]?.pickup_waypoint.eta.localeCompare(ready_at)).toBeGreaterThanOrEqual(0);
    expect((order.packages[0]?.promised_date ?? '') >= day(10)).toBe(true);
    expect(await get(order.id)).toEqual(order);
    const { pricing, route } = await created();
    expect([order.pricing, order.route]).toEqual([pricing, route]);
    const { data } = await bodyOf(ana.rest.GET('/api/v1/orders', { params: { query: { page_size: 2 } } }));
    expect(data.map((each) => each.ready_at)).toEqual([undefined, ready_at]);
    expect((await bodyOf(estimate(body({ ready_at })))).packages[0]?.promised_date).toBe(
      order.packages[0]?.promised_date,
    );
  });

  test('has the time in UTC, cut to milliseconds; an empty time counts as left out', async () => {
    const offset = `${day(9)}T10:00:00.1234567-03:00`;
    expect((await created({ ready_at: offset })).ready_at).toBe(`${day(9)}T13:00:00.124Z`);
    expect(await created({ ready_at: '' }, { deliver_from: '', deliver_by: '' })).not.toHaveProperty('ready_at');
  });

  test('gets the same answer for the same Idempotency-Key, even when the time is over', async () => {
    const soon = new Date(Date.now() - 4 * 60_000 - 58_000).toISOString();
    const input = body({ ready_at: soon });
    const key = { 'Idempotency-Key': 'ready-later' };
    const first = await create(input, ana, key);
    expect(first.response.status).toBe(201);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(details(await create(body({ ready_at: soon })))).toEqual(['ready_at too_early']);
    const again = await create(input, ana, key);
    expect([again.response.headers.get('idempotent-replayed'), again.data]).toEqual(['true', first.data]);
  });
});

describe('the days of a delivery', () => {
  test('are kept and shown for each package of an order by itself', async () => {
    const days = { deliver_from: day(20), deliver_by: day(40) };
    const order = await bodyOf(create({ ...orderBody(), packages: [packageBody, { ...packageBody, ...days }] }));
    const [soon, later] = order.packages;
    expect(later).toMatchObject(days);
    expect(later && later.promised_date >= days.deliver_from && later.promised_date <= days.deliver_by).toBe(true);
    expect(soon && soon.promised_date < day(10)).toBe(true);
    expect(soon).not.toHaveProperty('deliver_from');
    expect(await get(order.id)).toEqual(order);
    const key = later?.loggi_key ?? '';
    expect(await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)))).toMatchObject(days);
    const tracked = await bodyOf(operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
    expect(tracked).toMatchObject({ ...days, promised_date: later?.promised_date });
    expect(tracked).not.toHaveProperty('ready_at');
    const token = new URL(later?.tracking_url ?? '').pathname.split('/').at(-1) ?? '';
    const visited = await bodyOf(ana.rest.GET('/api/v1/tracking/{token}', { params: { path: { token } } }));
    expect(visited.deliver_from).toBe(days.deliver_from);
    expect(visited).not.toHaveProperty('deliver_by');
  });

  test('are refused by order and estimate if they cannot be met, with the first possible day', async () => {
    const input = body({ ready_at: inDays(8) }, { deliver_by: day(3) });
    const refused = await create(input);
    expect(refused.response.status).toBe(400);
    const [detail] = refused.error?.error.details ?? [];
    expect(detail).toMatchObject({ field: 'packages.0.deliver_by', code: 'too_early' });
    expect(detail?.message).toContain(detail?.first_date ?? 'none');
    expect(details(await estimate(input))).toEqual(details(refused));
    const again = body({ ready_at: inDays(8) }, { deliver_by: detail?.first_date });
    expect((await bodyOf(create(again))).packages[0]).toMatchObject({
      promised_date: detail?.first_date,
      deliver_by: detail?.first_date,
    });
  });

  test('leave only the services that meet them in an estimate', async () => {
    const recife = { address: { address: 'Av. Boa Viagem, 100, Recife - PE' } };
    const services = async (parcel: object) => (await bodyOf(estimate(body({}, { ...recife, ...parcel })))).services;
    const [express, economy] = (await services({})) ?? [];
    expect([express?.service, economy?.service]).toEqual(['express', 'economy']);
    const some = await services({ deliver_by: express?.promised_date });
    expect(some).toEqual([express]);
    const slow = body({ service: 'economy' }, { ...recife, deliver_by: express?.promised_date });
    const named = `packages.0.deliver_by too_early ${economy?.promised_date}`;
    expect([details(await estimate(slow)), details(await create(slow))]).toEqual([[named], [named]]);
  });
});

describe('a wrong time or day', () => {
  const refused = async (change: Partial<OrderCreate>, parcel: object = {}) => {
    const answer = await create(body(change, parcel));
    expect(answer.response.status).toBe(400);
    return details(answer);
  };

  test('is refused with its own error code on its own field', async () => {
    expect(await refused({ ready_at: new Date(Date.now() - 6 * 60_000).toISOString() })).toEqual([
      'ready_at too_early',
    ]);
    expect(await refused({ ready_at: inDays(32) })).toEqual(['ready_at too_late']);
    expect(await refused({ ready_at: '2026-02-30T10:00:00Z' })).toEqual(['ready_at pattern']);
    expect(await refused({}, { deliver_from: '2026-02-30' })).toEqual(['packages.0.deliver_from pattern']);
    expect(await refused({}, { deliver_from: '02/12/2026' })).toEqual(['packages.0.deliver_from pattern']);
    expect(await refused({}, { deliver_by: `${day(9)}T00:00:00Z` })).toContain('packages.0.deliver_by too_long');
    expect(await refused({}, { deliver_from: day(-2) })).toEqual(['packages.0.deliver_from too_early']);
    expect(await refused({}, { deliver_from: day(62) })).toEqual(['packages.0.deliver_from too_late']);
    expect(await refused({}, { deliver_by: day(62) })).toEqual(['packages.0.deliver_by too_late']);
    expect(await refused({}, { deliver_from: day(9), deliver_by: day(8) })).toEqual([
      'packages.0.deliver_by contradiction',
    ]);
    expect(await refused({ ready_at: inDays(32) }, { deliver_from: day(-2), pickup_index: 3 })).toEqual([
      ...['ready_at too_late', 'packages.0.pickup_index not_found', 'packages.0.deliver_from too_early'],
    ]);
  });
});

describe('lists of orders', () => {
  test('show an account and the operator the orders that are ready between two times', async () => {
    const bruno = await service.customer();
    const of = async (days: number) => (await created({ ready_at: inDays(days) }, {}, bruno)).id;
    const [fourth, second, third] = [await of(4), await of(2), await of(3)];
    const now = (await created({}, {}, bruno)).id;
    const list = async (query: object, by: Caller = bruno) => {
      const { data, pagination } = await bodyOf(by.rest.GET('/api/v1/orders', { params: { query } }));
      expect(pagination.total_items).toBe(data.length);
      return data.map(({ id }) => id);
    };
    expect(await list({})).toEqual([now, third, second, fourth]);
    expect(await list({ ready_from: inDays(3) })).toEqual([third, fourth]);
    expect(await list({ ready_to: inDays(3) })).toEqual([second]);
    expect(await list({ ready_from: inDays(2), ready_to: inDays(4), status: 'created' })).toEqual([third, second]);
    expect(await list({ ready_from: inDays(2), created_to: inDays(-1) })).toEqual([]);
    expect(await list({ ready_from: inDays(2), status: 'completed' })).toEqual([]);
    const byOperator = async (query: object) =>
      (await bodyOf(operator.operator.GET('/operator/v1/orders', { params: { query } }))).data.map(({ id }) => id);
    expect(await byOperator({ user_id: bruno.id, ready_to: inDays(4) })).toEqual([third, second]);
    expect(await list({ ready_from: inDays(2), ready_to: inDays(5) }, operator)).toEqual([third, second, fourth]);
    const changes = { updated_from: inDays(-1), ready_from: inDays(2) };
    expect(refusal(await bruno.rest.GET('/api/v1/orders', { params: { query: changes } }))).toBe(
      '400 VALIDATION_ERROR ready_from',
    );
  });
});

describe('another address', () => {
  const change = (key: string, address: string, total?: string) =>
    ana.rest.POST('/api/v1/packages/{loggi_key}/address-change', {
      ...atPackage(key),
      body: { address: { address }, ...(total !== undefined && { total }) },
    });

  test('leaves the times and days of the order as they are', async () => {
    const days = { deliver_from: day(12), deliver_by: day(40) };
    const order = await created({ ready_at: inDays(5) }, days);
    const key = order.packages[0]?.loggi_key ?? '';
    const { order: preview } = await bodyOf(change(key, 'Santos - SP'));
    const { changed, order: after } = await bodyOf(change(key, 'Santos - SP', preview.pricing.total));
    expect([changed, after.ready_at]).toEqual([true, order.ready_at]);
    expect(after.packages[0]).toMatchObject({ ...days, address: { address: 'Santos - SP' } });
    expect(after.packages[0]?.promised_date).toBe(order.packages[0]?.promised_date);
    expect(await get(order.id)).toEqual(after);
  });

  test('is refused if it makes the last day impossible, with the first possible day', async () => {
    const { promised_date: deliver_by = '' } = (await created()).packages[0] ?? {};
    const order = await created({}, { deliver_by });
    const refused = await change(order.packages[0]?.loggi_key ?? '', 'Manaus - AM');
    expect(refused.response.status).toBe(400);
    const [detail] = refused.error?.error.details ?? [];
    expect(detail).toMatchObject({ field: 'address.address', code: 'too_early' });
    expect((detail?.first_date ?? '') > deliver_by).toBe(true);
  });

  test('is allowed when a last day is over, or belongs to a package that is on its way', async () => {
    const far = { ...packageBody, address: { address: 'Av. Boa Viagem, 100, Recife - PE' } };
    const order = await bodyOf(create({ ...orderBody(), packages: [packageBody, far] }));
    const [first = '', second = ''] = order.packages.map(({ loggi_key }) => loggi_key);
    const bind = (key: string, deliver_by: string) =>
      service.db.updateTable('packages').set({ deliver_by }).where('loggi_key', '=', key).execute();
    await bind(first, day(-2));
    expect((await change(first, 'Manaus - AM')).response.status).toBe(200);
    await bind(second, day(1));
    expect((await change(first, 'Manaus - AM')).response.status).toBe(400);
    await resultsOf(operator, movement(second, { status_code: 14 }));
    expect((await change(first, 'Manaus - AM')).response.status).toBe(200);
  });
});

describe('a return', () => {
  test('is collected at the time at which it is ready', async () => {
    const order = await created();
    const key = order.packages[0]?.loggi_key ?? '';
    await resultsOf(operator, movement(key, { status_code: 5 }));
    const giveBack = (ready_at: string) =>
      ana.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(key), body: { ready_at } });
    expect(details(await giveBack(inDays(-1)))).toEqual(['ready_at too_early']);
    expect(details(await giveBack(inDays(40)))).toEqual(['ready_at too_late']);
    const back = await bodyOf(giveBack(inDays(6)));
    expect([back.ready_at, back.return_of]).toEqual([inDays(6), key]);
    expect((back.pickups[0]?.waypoint.eta ?? '') >= inDays(6)).toBe(true);
    expect(await get(back.id)).toEqual(back);
    const { loggi_key } = back.packages[0] ?? {};
    const tracked = operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(loggi_key ?? ABSENT_ID));
    expect((await bodyOf(tracked)).ready_at).toBe(inDays(6));
  });
});
