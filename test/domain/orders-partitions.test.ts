import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Actor } from '../../src/base/actor.js';
import { partitionsOf } from '../../src/db/partitions/partitions.js';
import { orderFamily } from '../../src/db/partitions/tables.js';
import { noteAddressChange } from '../../src/orders/changes/address-history.js';
import { listOrders } from '../../src/orders/list-orders.js';
import { getOrder, type Order } from '../../src/orders/order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { dropOldOrders, keptMonths } from '../../src/orders/retention/old-orders.js';
import { createCodeSource } from '../../src/packages/codes.js';
import { listPackages } from '../../src/packages/list-packages.js';
import { getTrackedPackage, historyOf } from '../../src/packages/queries.js';
import { addPackageAnswer } from '../../src/packages/tasks.js';
import { createDatabase, lockWaiters, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';
import {
  codeRing,
  codes,
  keepProofs,
  makeOrder,
  movement,
  operator,
  orderInput,
  placeOrder,
  planDeps,
  proofsLeft,
} from './orders-fixtures.js';

const DAY_MS = 86_400_000;
const page = { page: 1, pageSize: 20 };

let database: TestDatabase;
let owner: Actor;
beforeEach(async () => {
  database = await createDatabase();
  owner = actorOf(await makeAccount(database.db));
});
afterEach(() => database.drop());

const DAYS = 62;

/** Makes an order so old that it is not in the partition of today. */
async function oldOrder(externalId: string | null = null): Promise<Order> {
  const { db } = database;
  const planned = { ...(await planOrder(planDeps(db), owner.accountId, orderInput(2))), externalId };
  const id = v7({ msecs: Date.now() - DAYS * DAY_MS });
  const [order] = await insertOrders(db, [{ id, planned }], { codes, keys: codeRing });
  if (!order) throw new Error('the external id is taken');
  const before = sql<Date>`created_at - make_interval(days => ${DAYS})`;
  await db.updateTable('orders').set({ created_at: before }).where('id', '=', id).execute();
  await db.updateTable('packages').set({ created_at: before }).where('order_id', '=', id).execute();
  return order;
}

const keysOf = (order: Order) => order.packages.map(({ loggiKey }) => loggiKey);

const outcomes = async (items: Parameters<typeof recordMovements>[1]) =>
  (await recordMovements(database.db, items)).outcomes.map((each) => ('code' in each ? each.code : each.result));

/** The partitions that store any part of an order, without the names of their tables. */
async function partitionsWith(order: Order): Promise<string[]> {
  const keys = keysOf(order);
  const { rows } = await sql<{ suffix: string }>`
    select distinct regexp_replace(place, '^[a-z]+_', '') as suffix from (
      select tableoid::regclass::text as place from orders where id = ${order.id}
      union all select tableoid::regclass::text from pickups where order_id = ${order.id}
      union all select tableoid::regclass::text from packages where loggi_key = any(${keys}::uuid[])
      union all select tableoid::regclass::text from movements where loggi_key = any(${keys}::uuid[])) of_order`.execute(
    database.db,
  );
  return rows.map(({ suffix }) => suffix);
}

describe('orders of different partitions', () => {
  test('are stored with all of their parts, and found in any partition', async () => {
    const { db } = database;
    const [old, young] = [await oldOrder('old'), await makeOrder(db, owner.accountId, 2)];
    const [key = ''] = keysOf(old);
    expect(await outcomes([movement(key, 3), movement(keysOf(young)[0] ?? '', 3)])).toEqual(['recorded', 'recorded']);
    expect(await partitionsWith(old)).toEqual(['first']);
    expect(await partitionsWith(young)).toEqual([expect.stringMatching(/^\d{4}_\d{2}$/)]);
    for (const order of [old, young]) {
      const found = await getOrder(db, owner, order.id);
      expect([found?.status, found && keysOf(found)]).toEqual(['processing', keysOf(order)]);
    }
    expect((await historyOf(db, key, page)).total).toBe(2);
    expect(await listOrders(db, owner, {}, page)).toMatchObject({ total: 2, rows: [{ id: young.id }, { id: old.id }] });
    const trackingCode = old.packages[0]?.trackingCode ?? '';
    for (const filters of [{ externalId: 'old' }, { trackingCode }])
      expect(await listOrders(db, operator, filters, page)).toMatchObject({ rows: [{ id: old.id }] });
    for (const filters of [{ orderId: old.id }, { externalId: 'old' }, { trackingCode }])
      expect((await listPackages(db, owner, filters, page)).rows.map(({ orderId }) => orderId)).toContain(old.id);
    const newestFirst = [...keysOf(young), ...keysOf(old)].sort().reverse();
    const listed = { total: 4, rows: newestFirst.map((loggiKey) => ({ loggiKey })) };
    expect(await listPackages(db, owner, {}, page)).toMatchObject(listed);
    expect((await listPackages(db, owner, {}, { page: 4, pageSize: 1 })).rows).toHaveLength(1);
    const tracked = { orderId: old.id, trackingHistory: [{ status: { code: 1 } }] };
    expect(await getTrackedPackage(db, owner, key)).toMatchObject(tracked);
  });

  test('never share an external id, the id of a movement or a code', async () => {
    const { db } = database;
    const [old, young] = [await oldOrder('one'), await makeOrder(db, owner.accountId)];
    const planned = { ...(await planOrder(planDeps(db), owner.accountId, orderInput())), externalId: 'one' };
    await expect(placeOrder(db, planned)).rejects.toThrow('external id');
    const [oldKey = ''] = keysOf(old);
    const [youngKey = ''] = keysOf(young);
    const scan = movement(oldKey, 3);
    expect(await outcomes([scan])).toEqual(['recorded']);
    expect(await outcomes([{ ...scan, loggiKey: youngKey }, scan])).toEqual(['CONFLICT', 'duplicate']);
    const first = await historyOf(db, youngKey, page);
    expect(await outcomes([{ ...movement(youngKey, 3), id: first.rows[0]?.id ?? '' }])).toEqual(['CONFLICT']);
    // As after a failover to a standby that lagged, the sequence gives the same numbers again.
    await sql`alter sequence package_number restart`.execute(db);
    const another = { codes: createCodeSource(codeRing), keys: codeRing };
    const [third] = await insertOrders(db, [{ id: v7(), planned: { ...planned, externalId: null } }], another);
    const taken = [...old.packages, ...young.packages].map((each) => each.trackingCode);
    expect(taken).not.toContain(third?.packages[0]?.trackingCode);
  });
});

/** The number of days after which only the first partition is old enough. */
async function daysSinceFirst(): Promise<number> {
  const [orders] = orderFamily.filter(({ name }) => name === 'orders');
  const [first] = orders ? await partitionsOf(database.db, orders) : [];
  return Math.floor((Date.now() - (first?.until.getTime() ?? 0)) / DAY_MS) - 1;
}

async function end(order: Order): Promise<void> {
  expect(await outcomes(keysOf(order).map((key) => movement(key, 5)))).toEqual(keysOf(order).map(() => 'recorded'));
}

/** Stores an answer, a change of address and a return of a package of the order. */
async function keepChanges(order: Order): Promise<void> {
  const { db } = database;
  const of = { loggiKey: keysOf(order)[0] ?? '', orderId: order.id, accountId: owner.accountId };
  await addPackageAnswer(db, { ...of, phone: null, address: null, instructions: null, note: 'x', applied: [] });
  await noteAddressChange(db, owner, { ...of, from: { address: 'x' }, to: { address: 'y' } });
  await db.insertInto('package_returns').values({ order_id: order.id, loggi_key: of.loggiKey }).execute();
}

describe('old orders', () => {
  test('are dropped with all of their parts, totals and keys, and others stay', async () => {
    const { db } = database;
    const [old, young] = [await oldOrder('gone'), await makeOrder(db, owner.accountId)];
    const scan = movement(keysOf(old)[0] ?? '', 3);
    await outcomes([scan]);
    for (const order of [old, young]) {
      await keepProofs(db, order);
      await keepChanges(order);
    }
    await end(old);
    await end(young);
    const days = await daysSinceFirst();
    expect(await dropOldOrders(db, { days: days + 31, lostAfterDays: 90 })).toEqual({ dropped: [], kept: [] });
    expect(await dropOldOrders(db, { days, lostAfterDays: 90 })).toEqual({ dropped: ['first'], kept: [] });
    expect(await getOrder(db, owner, old.id)).toBeUndefined();
    expect(await listOrders(db, owner, {}, page)).toMatchObject({ total: 1, rows: [{ id: young.id }] });
    expect((await listOrders(db, owner, { status: 'completed' }, { page: 60, pageSize: 20 })).total).toBe(1);
    expect(await outcomes([movement(keysOf(old)[0] ?? '', 3)])).toEqual(['NOT_FOUND']);
    const { rows } = await sql<{ keys: number }>`
      select (select count(*) from order_external_ids) + (select count(*) from movement_keys where id = ${scan.id})
        + (select count(*) from package_codes where loggi_key = any(${keysOf(old)}::uuid[])) as keys`.execute(db);
    expect(Number(rows[0]?.keys)).toBe(0);
    expect(await proofsLeft(db)).toEqual(keysOf(young));
    for (const table of ['package_answers', 'address_changes', 'package_returns'] as const)
      expect(await db.selectFrom(table).select('order_id').execute()).toEqual([{ order_id: young.id }]);
    const left = sql`select relname from pg_class where relname like 'dropped%' or relname like 'orders\\_first'`;
    expect((await left.execute(db)).rows).toEqual([]);
    const planned = { ...(await planOrder(planDeps(db), owner.accountId, orderInput())), externalId: 'gone' };
    expect(await placeOrder(db, planned)).toMatchObject({ externalId: 'gone' });
  });

  test('stay while an order of the partition is not final, or a notification waits', async () => {
    const { db } = database;
    const old = await oldOrder();
    const days = await daysSinceFirst();
    const kept = (reason: string) => ({ dropped: [], kept: [{ suffix: 'first', reason }] });
    expect(await dropOldOrders(db, { days, lostAfterDays: 90 })).toEqual(kept('orders that are not final'));
    await end(old);
    await sql`insert into webhook_notifications (lane_id, loggi_key, seq) values (1, ${keysOf(old)[0]}, 2)`.execute(db);
    expect(await dropOldOrders(db, { days, lostAfterDays: 90 })).toEqual(kept('notifications that wait'));
    await sql`delete from webhook_notifications`.execute(db);
    expect((await dropOldOrders(db, { days, lostAfterDays: 90 })).dropped).toEqual(['first']);
  });

  test('are dropped with a lost package when nothing has changed for long enough, which frees its fiscal key', async () => {
    const { db } = database;
    const old = await oldOrder();
    const [key = ''] = keysOf(old);
    await outcomes([movement(key, 9)]);
    await sql`insert into fiscal_keys (account_id, key, order_ids) values (${owner.accountId}, 'k', array[${old.id}::uuid])`.execute(
      db,
    );
    const ages = { days: await daysSinceFirst(), lostAfterDays: 90 };
    const changed = (daysAgo: number) =>
      sql`update orders set updated_at = now() - make_interval(days => ${daysAgo}) where id = ${old.id}`.execute(db);
    await changed(89);
    const month = { suffix: 'first', reason: 'orders that are not final' };
    expect(await dropOldOrders(db, ages)).toEqual({ dropped: [], kept: [month] });
    expect(await keptMonths(db, ages)).toEqual([{ ...month, orders: 1, example: old.id }]);
    await changed(91);
    expect((await dropOldOrders(db, { ...ages, lostAfterDays: 0 })).kept).toEqual([month]);
    expect(await keptMonths(db, ages)).toEqual([]);
    expect(await dropOldOrders(db, ages)).toEqual({ dropped: ['first'], kept: [] });
    expect((await sql`select from fiscal_keys`.execute(db)).rows).toEqual([]);
    expect((await listOrders(db, owner, {}, page)).total).toBe(0);
  });

  test('are dropped without delaying readers and writers, and their keys later if the work was stopped', async () => {
    const { db } = database;
    await end(await oldOrder('gone'));
    const days = await daysSinceFirst();
    let dropping: ReturnType<typeof dropOldOrders> | undefined;
    await db.transaction().execute(async (trx) => {
      await sql`select count(*) from orders`.execute(trx);
      let stop = false;
      dropping = dropOldOrders(db, { days, lostAfterDays: 90 }, () => stop);
      await waitFor(async () => (await lockWaiters(db)) > 0, 'a lock that the reader prevents');
      stop = true;
      // If the drop waited for its lock, no new order could be written before the reader ends.
      for (let order = 0; order < 10; order += 1) await makeOrder(db, owner.accountId);
    });
    await dropping;
    expect((await dropOldOrders(db, { days, lostAfterDays: 90 })).kept).toEqual([]);
    expect((await dropOldOrders(db, { days, lostAfterDays: 90 })).dropped).toEqual([]);
    expect((await listOrders(db, owner, { externalId: 'gone' }, page)).total).toBe(0);
  });
});
