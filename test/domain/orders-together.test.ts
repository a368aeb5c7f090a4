import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import type { Db } from '../../src/db/connect.js';
import { once } from '../../src/idempotency/once.js';
import { createPlacing, type Placing } from '../../src/orders/place-order.js';
import { writeBatch } from '../../src/orders/placing/write-batch.js';
import { type PlannedOrder, planOrder } from '../../src/orders/plan-order.js';
import { has, workAfter } from '../support/between.js';
import { gateOf } from '../support/gate.js';
import { proxyTo } from '../support/proxy.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { another, codeRing, codes, codesOf, orderInput, planDeps, repeated, scopeOf } from './orders-fixtures.js';

// Long enough for locks on a busy machine. Some tests wait until it has passed.
const { db, url } = await ownDatabase(undefined, { lockTimeoutMs: 3_000 });
let placing: Placing;
beforeEach(() => {
  placing = createPlacing({ db, codes, keys: codeRing, waitMs: 10_000 });
});

/** A planned order of a new account, or of the account that is given. */
async function plan(packages = 1, accountId?: string): Promise<PlannedOrder> {
  const owner = accountId ?? (await makeAccount(db)).id;
  return planOrder(planDeps(db), owner, orderInput(packages));
}

const answerOf = ({ id }: { id: string }) => ({ id });
const place = async (planned: PlannedOrder, at: Placing = placing) => (await at.writeOf(planned, answerOf).commit()).id;

/** The outcome of each work: `placed`, or the code of the refusal. */
const outcomes = async (work: readonly Promise<string>[]): Promise<string[]> =>
  (await Promise.allSettled(work)).map((each) => (each.status === 'fulfilled' ? 'placed' : codesOf(each.reason)));

/** Details of the refusal that names the order which has the external id. */
async function takenBy(externalId: string) {
  const query = db.selectFrom('orders').select('id').where('external_id', '=', externalId);
  const { id: orderId } = await query.executeTakeFirstOrThrow();
  return [{ field: 'externalId', code: 'taken', message: 'is taken', orderId }];
}

/** The number of orders of these accounts in each transaction, in the order of the transactions. */
async function batchesOf(...planned: PlannedOrder[]): Promise<number[]> {
  const accounts = planned.map(({ accountId }) => accountId);
  const { rows } = await sql<{ orders: number }>`
    select count(*)::integer as orders from orders where account_id = any(${accounts}::uuid[])
    group by xmin order by xmin::text::bigint`.execute(db);
  return rows.map(({ orders }) => orders);
}

describe('orders that come while others are written', () => {
  test('are batched: the first goes alone at once, and a batch has at most 32 orders', async () => {
    const planned = await plan();
    expect(await outcomes(repeated(50, planned).map((each) => place(each)))).toEqual(repeated(50, 'placed'));
    expect(await batchesOf(planned)).toEqual([1, 32, 17]);
  });

  test('have at most 100 packages in a batch', async () => {
    const planned = await plan(15);
    await Promise.all(repeated(14, planned).map((each) => place(each)));
    expect(await batchesOf(planned)).toEqual([1, 6, 6, 1]);
  });

  test('are taken from the accounts in turn: an account with one order waits for one batch only', async () => {
    const [many, single] = [await plan(), await plan()];
    const work = [...repeated(70, many), single, ...repeated(10, many)].map((each) => place(each));
    expect(await outcomes(work)).toEqual(repeated(81, 'placed'));
    // The first order goes alone, because no other was there yet.
    expect(await batchesOf(many)).toEqual([1, 31, 32, 16]);
  });

  test('with the same externalId make one order, the first', async () => {
    const [planned, other] = [{ ...(await plan()), externalId: 'same' }, await plan()];
    const work = [place(other), ...repeated(4, planned).map((each) => place(each)), place(other)];
    expect(await outcomes(work)).toEqual(['placed', 'placed', 'CONFLICT', 'CONFLICT', 'CONFLICT', 'placed']);
    expect(await batchesOf(planned, other)).toEqual([1, 2]);
    const details = await takenBy('same');
    const refusal = placing.writeOf(planned, answerOf).commit();
    await expect(refusal).rejects.toMatchObject({ details });
  });

  test('do not fail when the database refuses another one of the batch', async () => {
    const [planned, other] = [await plan(), await plan()];
    const wrong = { ...planned, paymentMethodId: other.paymentMethodId };
    const list = [other, planned, planned, wrong, planned, planned, planned, wrong, planned];
    const expected = list.map((each) => (each === wrong ? '23503' : 'placed'));
    expect(await outcomes(list.map((each) => place(each)))).toEqual(expected);
    expect(await batchesOf(planned, other)).toHaveLength(5);
  });
});

describe('under idempotency keys', () => {
  const placeUnder = async (planned: PlannedOrder, key: string) => {
    const { answer, headers } = await once(db, scopeOf(planned, key), async () => placing.writeOf(planned, answerOf));
    return headers['Idempotent-Replayed'] ? `again ${answer.id}` : answer.id;
  };

  test('orders are batched with others, and each answer is stored', async () => {
    const planned = await plan();
    const keys = ['a', 'b', 'c', 'd'];
    const first = place(planned);
    const scopes = keys.map((key) => placing.writeOf(planned, answerOf).commitUnder(scopeOf(planned, key)));
    const [, , ...settled] = await Promise.all([first, place(planned), ...scopes]);
    expect(await batchesOf(planned)).toEqual([1, 5]);
    const ids = settled.map(({ stored }) => (stored.kind === 'answer' ? JSON.parse(stored.text).id : stored.code));
    const replays = await Promise.all(keys.map((key) => placeUnder(planned, key)));
    expect(replays).toEqual(ids.map((id) => `again ${id}`));
  });

  test('one of two equal requests runs; a key that another process holds refuses only its own request', async () => {
    const planned = await plan();
    const under = (key: string) => placing.writeOf(planned, answerOf).commitUnder(scopeOf(planned, key)).then(String);
    await db.transaction().execute(async (trx) => {
      const name = JSON.stringify(['idempotency', planned.accountId, 'createOrder', 'held']);
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
      const work = [place(planned), under('twice'), under('twice'), under('held'), place(planned)];
      expect(await outcomes(work)).toEqual(['placed', 'placed', 'CONFLICT', 'CONFLICT', 'placed']);
    });
    expect(await outcomes([under('held')])).toEqual(['placed']);
    expect(await batchesOf(planned)).toEqual([1, 2, 1]);
  });

  test('the refusal of a taken externalId is stored, too', async () => {
    const planned = { ...(await plan()), externalId: 'taken' };
    await place(planned);
    const details = await takenBy('taken');
    for (const replayed of [undefined, 'true']) {
      const refused = placeUnder(planned, 'conflict');
      await expect(refused).rejects.toMatchObject({
        code: 'CONFLICT',
        details,
        headers: replayed ? { 'Idempotent-Replayed': replayed } : {},
      });
    }
  });
});

describe('when an account is locked', () => {
  const locked = (accountId: string, work: () => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      await sql`select from accounts where id = ${accountId} for update`.execute(trx);
      await work();
    });

  test('its orders wait, and after the first batch delay no others; later they are batched again', async () => {
    const patient = another(url, 'patient', { lockTimeoutMs: 20_000 });
    placing = createPlacing({ db: patient, codes, keys: codeRing, waitMs: 20_000 });
    const [planned, ...others] = await Promise.all([plan(), plan(), plan()]);
    let isDone = false;
    let own: Promise<string[]> = Promise.resolve([]);
    await locked(planned.accountId, async () => {
      own = outcomes([place(planned), place(planned), place(planned)]).finally(() => {
        isDone = true;
      });
      expect(await outcomes(others.map((each) => place(each)))).toEqual(['placed', 'placed']);
      for (let round = 0; round < 3; round += 1) await Promise.all(others.map((each) => place(each)));
      expect(isDone).toBe(false);
    });
    expect(await own).toEqual(repeated(3, 'placed'));
    await place(planned);
    await Promise.all([...others, planned, planned].map((each) => place(each)));
    expect((await batchesOf(planned)).slice(-1)).toEqual([2]);
    await patient.destroy();
  });

  test('its orders are refused when the lock lasts too long', async () => {
    const planned = await plan();
    await locked(planned.accountId, async () => {
      expect(await outcomes([place(planned)])).toEqual(['UNAVAILABLE for 55P03']);
    });
    expect(await outcomes([place(planned)])).toEqual(['placed']);
  });
});

describe('when the database is slow', () => {
  test('orders that wait too long are refused, and so are orders when too many wait', async () => {
    const planned = await plan(100);
    const hasty = createPlacing({ db, codes, keys: codeRing, waitMs: 100 });
    await db.transaction().execute(async (trx) => {
      await sql`lock table rate_cards in exclusive mode; lock table orders in exclusive mode`.execute(trx);
      const work = repeated(101, planned).map((each) => place(each, hasty));
      const results = await outcomes(work);
      expect(new Set(results)).toEqual(new Set(['UNAVAILABLE', 'UNAVAILABLE for 55P03']));
      expect(results.at(-1)).toBe('UNAVAILABLE');
    });
    expect(await outcomes([place(planned, hasty)])).toEqual(['placed']);
  });
});

describe('when the answer to a commit is lost', () => {
  let proxy: Awaited<ReturnType<typeof proxyTo>>;
  let lossy: Db;
  beforeEach(async () => {
    proxy = await proxyTo(url);
    lossy = another(proxy.url, 'lossy', { poolSize: 2, lockTimeoutMs: 20_000 });
    placing = createPlacing({ db: lossy, codes, keys: codeRing, waitMs: 10_000 });
  });
  afterEach(async () => {
    await lossy.destroy();
    await proxy.cut();
  });

  test('the orders are looked up, and written once', async () => {
    const planned = { ...(await plan()), externalId: 'once' };
    const other = await plan(2);
    await place(other);
    proxy.loseAnswersTo('"package_count"');
    const work = [place(other), place(planned), place(planned), place(other)];
    await waitFor(() => proxy.lost() === 1, 'a lost answer');
    expect(await outcomes(work)).toEqual(['placed', 'placed', 'CONFLICT', 'placed']);
    expect(await batchesOf(planned, other)).toEqual([1, 1, 2]);
  });

  test('the orders are all found when the commit comes during the look-up', async () => {
    const [planned, other] = await Promise.all([plan(), plan()]);
    const commit = gateOf();
    const holding = db.transaction().execute(async (trx) => {
      await sql`select from accounts where id = ${planned.accountId} for update`.execute(trx);
      await commit.passed();
    });
    const isThere = async () => (await batchesOf(planned, other)).length === 1;
    // The first look-up finds no order. Then the statement whose connection was cut commits.
    const db1 = workAfter(lossy, has('version'), async () => {
      commit.open();
      await waitFor(isThere, 'the commit');
    });
    const orders = [planned, other].map((each) => ({ id: newId(), planned: each }));
    const written = writeBatch(orders, { db: db1, codes, keys: codeRing });
    await waitFor(async () => {
      const { rows } = await sql`
        select from pg_stat_activity where application_name = 'lossy' and wait_event_type = 'Lock'`.execute(db);
      return rows.length === 1;
    }, 'the statement to wait for the lock');
    proxy.cutOff();
    expect((await written).map(({ kind }) => kind)).toEqual(['placed', 'placed']);
    await holding;
  });

  test('an order with an unknown outcome is refused, and not written again', async () => {
    const planned = await plan();
    await place(planned);
    await db.transaction().execute(async (trx) => {
      await sql`select from accounts where id = ${planned.accountId} for update`.execute(trx);
      let isRefused = false;
      const refused = expect(place(planned)).rejects.toMatchObject({ code: '57P01' });
      const settled = refused.finally(() => {
        isRefused = true;
      });
      // The statement first waits a short time for a lock. If it ends between two tries, no answer is lost.
      for (; !isRefused; await sleep(10))
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'lossy' and wait_event_type = 'Lock'`.execute(trx);
      await settled;
    });
    expect(await batchesOf(planned)).toEqual([1]);
  });
});
