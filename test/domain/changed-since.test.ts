import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ControlledTransaction, sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { type ChangesFrom, markChanges } from '../../src/db/lists/changed-since.js';
import type { Database } from '../../src/db/tables/database.js';
import { listChangedOrders } from '../../src/orders/list-orders.js';
import { updateOrder } from '../../src/orders/lock-order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { listChangedPackages } from '../../src/packages/list-packages.js';
import { idAt } from '../support/ids.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { makeOrder, makeOrdered, movement, orderInput, placeOrder, planDeps, rowsRead } from './orders-fixtures.js';

const { db } = await ownDatabase();

let owner: Actor;
let first: string;
let keys: string[];
const allTime: ChangesFrom = { time: new Date(0) };

beforeEach(async () => {
  const made = await makeOrdered(db, 2);
  ({ owner, keys } = made);
  first = made.order.id;
});

const begun: ControlledTransaction<Database>[] = [];

async function begin(): Promise<ControlledTransaction<Database>> {
  const trx = await db.startTransaction().execute();
  begun.push(trx);
  return trx;
}

afterEach(async () => {
  for (const trx of begun.splice(0)) if (!trx.isCommitted && !trx.isRolledBack) await trx.rollback().execute();
});

/** Waits until all transactions of the server that have begun have ended, because tests run side by side. */
async function settled(): Promise<void> {
  const now = sql<{ next: string; oldest: string }>`
    select pg_snapshot_xmax(s)::text as next, pg_snapshot_xmin(s)::text as oldest from pg_current_snapshot() s`;
  const read = async () => (await now.execute(db)).rows[0] ?? { next: '', oldest: '' };
  const { next } = await read();
  await waitFor(async () => BigInt((await read()).oldest) >= BigInt(next), 'the end of older transactions');
}

/** All changed orders, read in pages of two, and the cursor to go on from. */
async function ordersFrom(from: ChangesFrom): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let next = from; ; ) {
    const { rows, nextCursor, hasMore } = await listChangedOrders(db, owner, next, 2);
    ids.push(...rows.map(({ id }) => id));
    if (!hasMore) return { ids, cursor: nextCursor };
    next = { cursor: nextCursor };
  }
}

async function settledFrom(from: ChangesFrom) {
  await settled();
  return ordersFrom(from);
}

const touch = (trx: typeof db, id: string) => updateOrder(trx, id, { distance_source: 'osrm' });
const order = async () => (await makeOrder(db, owner.accountId)).id;

test('the list has each changed order once, in the order of changes, and continues after it', async () => {
  const [second, third] = [await order(), await order()];
  const { ids, cursor } = await settledFrom(allTime);
  expect(ids).toEqual([first, second, third]);
  expect(await settledFrom({ cursor })).toEqual({ ids: [], cursor });
  await touch(db, second);
  await touch(db, first);
  await touch(db, second);
  const changes = await settledFrom({ cursor });
  expect(changes.ids).toEqual([first, second]);
  expect((await settledFrom({ cursor: changes.cursor })).ids).toEqual([]);
});

test('a change by an older transaction is listed, even when it commits late', async () => {
  const second = await order();
  const { cursor } = await settledFrom(allTime);
  const old = await begin();
  await touch(old, first);
  await touch(db, second);
  const third = await order();
  expect(await ordersFrom({ cursor })).toEqual({ ids: [], cursor });
  await old.commit().execute();
  expect((await settledFrom({ cursor })).ids).toEqual([first, second, third]);
});

test('an order that an older transaction creates is listed, unless the transaction is rolled back', async () => {
  const { cursor } = await settledFrom(allTime);
  const planned = await planOrder(planDeps(db), owner.accountId, orderInput());
  const [kept, lost] = [await begin(), await begin()];
  const { id } = await placeOrder(kept, planned);
  await placeOrder(lost, planned);
  const later = await order();
  await kept.commit().execute();
  await waitFor(async () => (await ordersFrom({ cursor })).ids.length > 0, 'the order of the first');
  const before = await ordersFrom({ cursor });
  expect(before.ids).toEqual([id]);
  await lost.rollback().execute();
  expect((await settledFrom({ cursor: before.cursor })).ids).toEqual([later]);
});

test('a client that reads now and then has the last state of every order, with any overlap of transactions', async () => {
  const ids = [first, await order(), await order(), await order()];
  const step = fc.record({
    at: fc.nat(3),
    kind: fc.constantFrom('change', 'change', 'commit', 'rollback', 'read', 'read'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
      const seen = await countsOf(ids);
      let { cursor } = await settledFrom(allTime);
      const read = async () => {
        const { rows, nextCursor } = await listChangedOrders(db, owner, { cursor }, 100);
        for (const { id, package_count } of rows) seen.set(id, package_count);
        cursor = nextCursor;
      };
      const open = new Map<number, ControlledTransaction<Database>>();
      const end = async (at: number, how: 'commit' | 'rollback') => {
        await open.get(at)?.[how]().execute();
        open.delete(at);
      };
      for (const { at, kind } of steps) {
        if (kind === 'read') await read();
        else if (kind !== 'change') await end(at, kind);
        else {
          const trx = open.get(at) ?? (await begin());
          open.set(at, trx);
          await updateOrder(trx, ids[at] ?? '', { package_count: sql`package_count + 1` });
        }
      }
      for (const at of [...open.keys()]) await end(at, 'commit');
      await settled();
      await read();
      expect(seen).toEqual(await countsOf(ids));
    }),
    { numRuns: 30 },
  );
});

async function countsOf(ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select id, package_count as count from orders where id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

describe('packages', () => {
  const packagesFrom = async (from: ChangesFrom) => {
    await settled();
    const { rows, nextCursor } = await listChangedPackages(db, owner, from, 100);
    return { rows, states: rows.map(({ loggiKey, status }) => [loggiKey, status.code]), cursor: nextCursor };
  };

  test('are listed after each movement with their present status, and again when a return is ordered', async () => {
    const { states, cursor } = await packagesFrom(allTime);
    expect(states).toEqual(keys.map((key) => [key, 1]));
    const [one = '', two = ''] = keys;
    await recordMovements(db, [movement(two, 3)]);
    await recordMovements(db, [movement(one, 3), movement(one, 11)]);
    const moved = await packagesFrom({ cursor });
    expect(moved.states).toEqual([
      [two, 3],
      [one, 11],
    ]);
    const link = { order_id: await order(), loggi_key: one };
    await db.insertInto('package_returns').values(link).execute();
    const { rows } = await packagesFrom({ cursor: moved.cursor });
    expect(rows).toContainEqual(expect.objectContaining({ loggiKey: one, returnedBy: link.order_id }));
  });
});

describe('a list', () => {
  test('that begins at a time has the changes since the last mark before it', async () => {
    await settled();
    await markChanges(db);
    await sql`update change_marks set marked_at = marked_at - interval '2 hours'`.execute(db);
    const second = await order();
    const [earlier, later] = [-1, 1].map((hours) => ({ time: new Date(Date.now() + hours * 3_600_000) }));
    expect((await settledFrom(earlier ?? allTime)).ids).toEqual([second]);
    await settled();
    await markChanges(db);
    expect((await settledFrom(later ?? allTime)).ids).toEqual([]);
    expect((await settledFrom(earlier ?? allTime)).ids).toEqual([second]);
    expect((await settledFrom(allTime)).ids).toEqual([first, second]);
  });

  test('continues after a failover with all changes that the former server had not marked', async () => {
    await settled();
    await markChanges(db);
    await sql`update change_marks set timeline = 77`.execute(db);
    const second = await order();
    const { cursor } = await settledFrom(allTime);
    const [, ...position] = Buffer.from(cursor, 'base64url').toString().split('/');
    const ofFormer = (timeline: number) => Buffer.from([timeline, ...position].join('/')).toString('base64url');
    expect((await settledFrom({ cursor })).ids).toEqual([]);
    expect((await settledFrom({ cursor: ofFormer(77) })).ids).toEqual([second]);
    expect((await settledFrom({ cursor: ofFormer(78) })).ids).toEqual([first, second]);
  });

  test.each(['', 'x', Buffer.from('1/99999999999999999999/x').toString('base64url')])('refuses %j', async (cursor) => {
    const listed = listChangedOrders(db, owner, { cursor }, 2);
    await expect(listed).rejects.toMatchObject({ details: [{ field: 'cursor' }] });
  });

  test('shows only the changes of the account', async () => {
    const { ids } = await settledFrom(allTime);
    await makeOrdered(db);
    expect((await settledFrom(allTime)).ids).toEqual(ids);
  });

  test('reads only a page, from any beginning and among any number of orders', async () => {
    await sql`
      insert into orders (
        id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos, distance_metres,
        distance_source, pickup_count, package_count)
      select ${idAt(sql`now() - i * interval '1 minute'`)}, account_id, status, payment_method_id, rate_card_version,
        price_lines, total_centavos, distance_metres, distance_source, pickup_count, package_count
      from orders, generate_series(1, 20000) i where id = ${first}`.execute(db);
    await sql`analyze orders`.execute(db);
    await settled();
    const { nextCursor } = await listChangedOrders(db, owner, allTime, 100);
    const read = await db.transaction().execute(async (trx) => {
      await listChangedOrders(trx, owner, { cursor: nextCursor }, 100);
      return rowsRead(trx, 'orders');
    });
    expect(read).toBeLessThan(500);
  });
});
