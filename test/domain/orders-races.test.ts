import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { getOrder, type OrderStatus } from '../../src/orders/order.js';
import { deriveStatus, recordMovements } from '../../src/orders/record-movements.js';
import { setOrderStatus } from '../../src/orders/set-status.js';
import { listStatuses } from '../../src/packages/catalogue.js';
import { between, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { faultOf } from './accounts-fixtures.js';
import { makeOrdered, movement, operator } from './orders-fixtures.js';

const { db } = await ownDatabase();

/** Pseudo-random whole numbers, the same in every run. */
function numbers(seed: number): () => number {
  const random = randomFrom(seed);
  return () => between(random, 0, 2 ** 24);
}

const pick = <T>(values: readonly T[], at: number): T => {
  const value = values[at % values.length];
  if (value === undefined) throw new RangeError('nothing to pick from');
  return value;
};

/** Runs at most five works at a time, one for each connection of the pool. */
async function race<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const queue = works.entries();
  const runner = async () => {
    for (const [at, work] of queue) results[at] = await work();
  };
  await Promise.all(Array.from({ length: 5 }, runner));
  return results;
}

/** Packages that do not fit their movements: in the numbers 1, 2, 3…, the count, the status or the order. */
async function breaches(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select p.loggi_key
    from packages p
    join lateral (
      select count(*) as movements, max(seq) as seq, (array_agg(id order by final desc, happened_at desc, seq desc))[1] as current
      from movements m join package_statuses s on s.code = m.status_code where m.loggi_key = p.loggi_key) h on true
    join movements c on c.id = p.current_movement_id
    where h.movements <> h.seq or p.seq <> h.seq or p.current_movement_id <> h.current
      or p.status_code <> c.status_code or p.status_since <> c.happened_at`.execute(db);
  return rows;
}

const goals: OrderStatus[] = ['processing', 'out_for_delivery', 'completed', 'cancelled'];

describe('racing', () => {
  test('movements of the same packages in any order get numbers without gaps and doubles', async () => {
    const { order, owner, keys } = await makeOrdered(db, 6);
    const next = numbers(7);
    const batches = Array.from({ length: 40 }, () =>
      Array.from({ length: 5 }, () => movement(pick(keys, next()), pick([3, 14, 17, 9, 11], next()))),
    );
    const recorded = await race(batches.map((batch) => () => recordMovements(db, batch)));
    expect(recorded.flatMap(({ outcomes }) => outcomes).every(({ result }) => result === 'recorded')).toBe(true);
    expect(await breaches(db)).toEqual([]);
    const after = await getOrder(db, owner, order.id);
    expect(after?.packages.reduce((sum, { seq }) => sum + seq, 0)).toBe(6 + 200);
    await expectDerived(order.id);
  });

  test('batches with the same movements record each movement once', async () => {
    const { keys } = await makeOrdered(db, 4);
    const items = keys.flatMap((key) => [movement(key, 3), movement(key, 11)]);
    const turns = Array.from({ length: 12 }, (_, at) => [...items.slice(at % 8), ...items.slice(0, at % 8)]);
    const recorded = await race(turns.map((batch) => () => recordMovements(db, batch)));
    const results = recorded.flatMap(({ outcomes }) => outcomes.map(({ result }) => result));
    expect(results.filter((result) => result === 'recorded')).toHaveLength(8);
    expect(results.filter((result) => result === 'duplicate')).toHaveLength(88);
    expect(await breaches(db)).toEqual([]);
  });

  test('a movement id that is sent for several packages is recorded for one of them', async () => {
    const orders = await race(Array.from({ length: 6 }, () => () => makeOrdered(db)));
    const { id } = movement('', 3);
    const own = orders.map(({ keys }) => movement(keys[0] ?? '', 14));
    const batches = orders.map(({ keys }, at) => [movement(keys[0] ?? '', 3, { id }), own[at] ?? movement('', 3)]);
    const recorded = await race(batches.map((batch) => () => recordMovements(db, batch)));
    const [shared, alone] = [0, 1].map((at) => recorded.map(({ outcomes }) => outcomes[at]?.result));
    expect(shared?.filter((result) => result === 'recorded')).toHaveLength(1);
    expect(shared?.filter((result) => result === 'refused')).toHaveLength(5);
    expect(new Set(alone)).toEqual(new Set(['recorded']));
    expect(await breaches(db)).toEqual([]);
  });

  test('movements of different packages of one order always bring the order up to date', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { order, keys } = await makeOrdered(db, 4);
      await race(keys.map((key) => () => recordMovements(db, [movement(key, 5)])));
      expect(await getOrder(db, operator, order.id)).toMatchObject({ status: 'completed', version: 5 });
    }
  });

  test('of status changes with the same If-Match one succeeds, and the others are refused', async () => {
    const { order } = await makeOrdered(db, 3);
    const rivals: OrderStatus[] = [...goals, 'processing', 'completed'];
    const set = (status: OrderStatus) => setOrderStatus(db, operator, order.id, status, { ifMatch: [1] });
    const codes = await race(rivals.map((status) => async () => (await faultOf(set(status))).code));
    expect(codes.filter((code) => code === 'none')).toHaveLength(1);
    expect(codes.filter((code) => code === 'PRECONDITION_FAILED')).toHaveLength(5);
    expect((await getOrder(db, operator, order.id))?.version).toBe(2);
  });

  test('status changes and movements of one order always end in an allowed state', async () => {
    const next = numbers(11);
    for (let round = 0; round < 6; round += 1) {
      const { order, owner, keys } = await makeOrdered(db, 3);
      const moves = () => [movement(pick(keys, next()), pick([3, 14, 11, 5, 2], next()))];
      const step = (): Promise<unknown> =>
        next() % 2 === 0
          ? recordMovements(db, moves())
          : setOrderStatus(db, next() % 3 ? operator : owner, order.id, pick(goals, next()));
      const codes = await race(Array.from({ length: 10 }, () => async () => (await faultOf(step)).code));
      expect(codes.every((code) => ['none', 'CONFLICT', 'FORBIDDEN'].includes(code))).toBe(true);
      await expectDerived(order.id);
    }
    expect(await breaches(db)).toEqual([]);
  });
});

async function expectDerived(id: string): Promise<void> {
  const stages = new Map((await listStatuses(db)).map(({ code, stage }) => [code, stage]));
  const order = await getOrder(db, operator, id);
  expect(order?.status).toBe(
    deriveStatus(order?.packages.flatMap(({ status }) => stages.get(status.code) ?? []) ?? []),
  );
}
