import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { operatorOf } from '../cli/malote.js';
import { ownService } from '../support/services.js';
import { bodyOf, movement, newPackages, record, soon } from './fixtures.js';

/** Figures of packages that need attention and of days. The tests make some packages late, stuck or delivered. */

const service = await ownService({});
const { operator: api } = service.operator;
const customer = await service.customer();
const keys = [...(await newPackages(customer, 4)), ...(await newPackages(customer, 1))];

const DAY_MS = 86_400_000;
const failedAt = new Date('2026-11-18T15:00:00Z');

const key = (at: number) => keys[at] ?? '';
const alter = (at: number, values: { promised_date?: string; status_since?: Date }) =>
  service.db.updateTable('packages').set(values).where('loggi_key', '=', key(at)).execute();
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const figures = (stuck_days?: number) =>
  bodyOf(api.GET('/operator/v1/figures', { params: { query: stuck_days ? { stuck_days } : {} } }));

async function listed(query: object) {
  const { data, pagination } = await bodyOf(api.GET('/operator/v1/packages', { params: { query } }));
  expect(pagination.total_items).toBe(data.length);
  return data.map(({ loggi_key }) => keys.indexOf(loggi_key));
}

describe('packages under way', () => {
  beforeAll(async () => {
    await record(service.operator, movement(key(1), { status_code: 5 }), movement(key(2), { status_code: 18 }));
    await alter(0, { promised_date: '2026-01-05' });
    await alter(1, { promised_date: '2026-01-05' });
    await alter(2, { promised_date: '2026-01-04', status_since: daysAgo(4) });
    await alter(3, { promised_date: '2040-01-05', status_since: daysAgo(10) });
    await alter(4, { promised_date: '2040-01-06' });
  });

  test('are listed by promised date, without delivered ones', async () => {
    expect(await listed({ open: true })).toEqual([2, 0, 3, 4]);
    expect(await listed({ late: true })).toEqual([2, 0]);
    expect(await listed({ stuck_since: daysAgo(3).toISOString() })).toEqual([2, 3]);
    expect(await listed({ stuck_since: daysAgo(7).toISOString() })).toEqual([3]);
    expect(await listed({ late: true, stuck_since: daysAgo(3).toISOString() })).toEqual([2]);
  });

  test('are stuck only from the time at which their order is ready', async () => {
    const stuck = () => listed({ stuck_since: daysAgo(7).toISOString() });
    const { order_id } = await service.db
      .selectFrom('packages')
      .select('order_id')
      .where('loggi_key', '=', key(3))
      .executeTakeFirstOrThrow();
    const readyAt = (ready_at: Date | null) =>
      service.db.updateTable('orders').set({ ready_at }).where('id', '=', order_id).execute();
    await readyAt(daysAgo(6));
    expect([await stuck(), (await figures(7)).stuck]).toEqual([[], 0]);
    expect(await listed({ stuck_since: daysAgo(7).toISOString(), order_id })).toEqual([]);
    await readyAt(daysAgo(8));
    expect([await stuck(), (await figures(7)).stuck]).toEqual([[3], 1]);
    await readyAt(null);
  });

  test('are filtered by status or user; `late` and `open` filter only when they are true', async () => {
    const other = await service.customer();
    expect(await listed({ open: true, status_code: 18 })).toEqual([2]);
    expect(await listed({ late: true, user_id: other.id })).toEqual([]);
    expect(await listed({ late: false, open: false })).toHaveLength(5);
  });

  test('are filtered by order or code, and never include a package that has ended', async () => {
    const params = { query: { page_size: 100 } };
    const { data } = await bodyOf(api.GET('/operator/v1/packages', { params }));
    const at = (index: number) => data.find(({ loggi_key }) => loggi_key === key(index));
    expect(await listed({ open: true, order_id: at(4)?.order_id })).toEqual([4]);
    expect(await listed({ late: true, order_id: at(0)?.order_id })).toEqual([2, 0]);
    expect(await listed({ open: true, tracking_code: at(3)?.tracking_code })).toEqual([3]);
    expect(await listed({ open: true, barcode: at(0)?.barcode, status_code: 1 })).toEqual([0]);
    expect(await listed({ open: true, barcode: at(0)?.barcode, tracking_code: at(3)?.tracking_code })).toEqual([]);
    expect(await listed({ open: true, barcode: at(1)?.barcode })).toEqual([]);
  });

  test('do not include packages of finished orders', async () => {
    await record(service.operator, movement(key(4), { status_code: 8 }));
    expect(await listed({ open: true })).toEqual([2, 0, 3]);
  });

  test('are counted by status, and as late or stuck', async () => {
    const { orders_counted, late, stuck, statuses } = await figures();
    expect({ orders_counted, late, stuck }).toEqual({ orders_counted: 1, late: 2, stuck: 2 });
    expect(statuses).toEqual([
      { code: 1, packages: 2 },
      { code: 18, packages: 1 },
    ]);
    expect((await figures(7)).stuck).toBe(1);
  });
});

describe('the days', () => {
  test('are the last fourteen days in São Paulo, with all of their orders', async () => {
    const { at, days } = await figures();
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(new Date(at));
    expect([days.length, days.at(-1)?.date]).toEqual([14, today]);
    expect(days.reduce((sum, { orders }) => sum + orders, 0)).toBe(2);
  });

  test('tell the share on time and at the first attempt, and the hours to delivery', async () => {
    await record(service.operator, movement(key(2), { status_code: 5, happened_at: soon(1000) }));
    await sql`update packages set promised_date = '2040-01-05' where loggi_key = ${key(1)}`.execute(service.db);
    await sql`update packages set created_at = (select created_at - interval '6 hours' from packages
      where loggi_key = ${key(1)})`.execute(service.db);
    const days = (await figures()).days.filter(({ due }) => due > 0);
    // Package 1 was on time. Package 2 was late after a missed attempt. Package 0 is late and under way.
    expect(days).toEqual([expect.objectContaining({ due: 3, on_time: 1, delivered: 2, first_attempt: 1 })]);
    expect(days[0]?.delivery_hours).toBeCloseTo(6, 0);
  });
});

test('an endpoint is in trouble when it fails, is disabled or has dead letters', async () => {
  const { id } = await service.customer();
  const listedUrls = async () => {
    const query = { trouble: true };
    const { data } = await bodyOf(api.GET('/operator/v1/webhook-endpoints', { params: { query } }));
    return data.map(({ url }) => new URL(url).pathname).sort();
  };
  const rows = ['ok', 'failing', 'disabled'].map((name, at) => ({
    id: `01930f6a-5d2e-7c40-8b19-7e6d5c4b3a2${at}`,
    account_id: id,
    url: `https://hooks.example.com/${name}`,
    username: 'malote',
    password_sealed: Buffer.alloc(0),
    secret_sealed: Buffer.alloc(0),
    lane_count: 1,
    ...(name === 'failing' && { failing_since: failedAt }),
    ...(name === 'disabled' && { disabled_at: failedAt, disabled_reason: 'operator' as const }),
  }));
  await service.db.insertInto('webhook_endpoints').values(rows).execute();
  expect(await listedUrls()).toEqual(['/disabled', '/failing']);
});

test('the commands show the same figures', async () => {
  const commands = operatorOf(service);
  const shown = await commands.run(['figures', 'show', '--stuck-days', '7']);
  expect(shown.out).toMatch(/late +1\n.*stuck +1\n/s);
  expect(shown.out).toMatch(/AT THE FIRST ATTEMPT/);
  const listedBy = async (...options: string[]) => (await commands.run(['packages', 'list', ...options, '--json'])).out;
  expect(JSON.parse(await listedBy('--open', '--late', '--stuck-since', daysAgo(7).toISOString())).data).toEqual([]);
  expect((await commands.run(['endpoints', 'list', '--trouble'])).out).toContain('hooks.example.com/failing');
  const { id, email } = await service.customer();
  const factor = { account_id: id, secret_sealed: Buffer.alloc(0), confirmed_at: new Date() };
  await service.db.insertInto('second_factors').values(factor).execute();
  const remove = ['users', 'remove-second-factor', email];
  expect(await commands.run(remove)).toMatchObject({ code: 1, err: expect.stringContaining('malote login') });
});
