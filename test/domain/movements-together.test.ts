import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { createRecording, type Recording } from '../../src/orders/record-together.js';
import type { MovementOutcome, NewMovement } from '../../src/packages/movement.js';
import { proxyTo } from '../support/proxy.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';
import { register } from '../webhook/support.js';
import { age, another, codesOf, makeOrdered, movement, repeated } from './orders-fixtures.js';

// Long enough for locks on a busy machine. Some tests wait until it has passed.
const { db, url } = await ownDatabase(undefined, { lockTimeoutMs: 3_000 });
const poisoned = sql`alter table movements add constraint poison check (reason_label is distinct from 'poison')`;
await poisoned.execute(db);
let recording: Recording;
beforeEach(() => {
  recording = createRecording({ db: db, waitMs: 10_000 });
});

type Items = readonly NewMovement[];

/** The outcome of each item of a request, or the code of its failure. */
async function record(items: Items, at: Recording = recording): Promise<string[] | string> {
  const write = at.writeOf(items, (outcomes) => ({ outcomes }));
  try {
    const { outcomes } = typeof write === 'function' ? await write(db) : await write.commit();
    return outcomes.map(textOf);
  } catch (error) {
    return codesOf(error);
  }
}

const textOf = (outcome: MovementOutcome): string =>
  outcome.result === 'refused' ? `${outcome.code} ${outcome.field} ${outcome.message}` : outcome.result;

/** The database refuses this movement, and with it everything that the same statement writes. */
const poison = { actionRequired: { reasonLabel: 'poison', reasonDescription: 'x' } };

/** The number of movements of these packages in each transaction, in the order of the transactions. */
async function batchesOf(keys: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ movements: number }>`
    select count(*)::integer as movements from movements where loggi_key = any(${keys}::uuid[]) and seq > 1
    group by xmin order by xmin::text::bigint`.execute(db);
  return rows.map(({ movements }) => movements);
}

describe('requests that come while others are recorded', () => {
  test('are batched: the first goes alone at once, a batch has at most 500 movements, larger ones than 50 go alone', async () => {
    const { keys } = await makeOrdered(db, 50);
    // A request that goes alone runs beside a batch. A batch waits only a short time for locks.
    const { keys: others } = await makeOrdered(db, 51);
    const some = (count: number) => keys.slice(0, count).map((key) => movement(key, 3));
    const alone = others.map((key) => movement(key, 3));
    const results = await Promise.all(
      [some(1), ...repeated(12, 50).map(some), alone, some(2)].map((each) => record(each)),
    );
    expect(results.map((each) => each.length)).toEqual([1, ...repeated(12, 50), 51, 2]);
    expect(new Set(results.flat())).toEqual(new Set(['recorded']));
    expect(await batchesOf(keys)).toEqual([1, 500, 102]);
    expect(await batchesOf(others)).toEqual([51]);
  });

  test('are decided in the order of arrival, and each gets the outcomes of its own items', async () => {
    const [{ keys }, { keys: others }] = [await makeOrdered(db), await makeOrdered(db)];
    const [key = '', other = ''] = [...keys, ...others];
    const [scan, end] = [movement(key, 3), movement(key, 5)];
    const requests = [[movement(other, 3)], [scan], [scan, end], [movement(key, 3), { ...scan, loggiKey: other }], []];
    expect(await Promise.all(requests.map((each) => record(each)))).toEqual([
      ['recorded'],
      ['recorded'],
      ['duplicate', 'recorded'],
      [expect.stringContaining('CONFLICT statusCode'), expect.stringContaining('CONFLICT id')],
      [],
    ]);
    expect(await batchesOf([key, other])).toEqual([1, 2]);
  });

  test('do not fail when the database refuses another one of the batch', async () => {
    const { keys } = await makeOrdered(db, 9);
    const requests = keys.map((key, at) => [at % 4 === 2 ? movement(key, 6, poison) : movement(key, 3)]);
    const expected = keys.map((_, at) => (at % 4 === 2 ? '23514' : ['recorded']));
    expect(await Promise.all(requests.map((each) => record(each)))).toEqual(expected);
    expect((await batchesOf(keys)).reduce((sum, each) => sum + each)).toBe(7);
  });
});

describe('when a package is locked', () => {
  const locked = (key: string, work: () => Promise<void>) =>
    db.transaction().execute(async (trx) => {
      await sql`select from packages where loggi_key = ${key} for update`.execute(trx);
      await work();
    });

  test('its requests wait, and after the first batch delay no others; later they are batched again', async () => {
    const patient = another(url, 'patient', { poolSize: 6, lockTimeoutMs: 20_000 });
    recording = createRecording({ db: patient, waitMs: 20_000 });
    const [{ keys }, { keys: others }] = [await makeOrdered(db), await makeOrdered(db, 2)];
    const [key = ''] = keys;
    let isDone = false;
    let own: Promise<unknown> = Promise.resolve();
    await locked(key, async () => {
      own = Promise.all(repeated(6, key).map((each) => record([movement(each, 3)]))).finally(() => {
        isDone = true;
      });
      for (let round = 0; round < 4; round += 1) {
        const results = await Promise.all(others.map((each) => record([movement(each, 3)])));
        expect(results).toEqual([['recorded'], ['recorded']]);
      }
      expect(isDone).toBe(false);
    });
    expect(await own).toEqual(repeated(6, ['recorded']));
    await waitFor(async () => {
      await Promise.all([...others, key, key].map((each) => record([movement(each, 3)])));
      return (await batchesOf([key])).at(-1) === 2;
    }, 'two of the package in one batch');
    await patient.destroy();
  });

  test('its requests are refused when the lock lasts too long, and nothing is recorded', async () => {
    const { keys } = await makeOrdered(db);
    const [key = ''] = keys;
    const scan = movement(key, 3);
    await locked(key, async () => expect(await record([scan])).toBe('UNAVAILABLE for 55P03'));
    expect(await record([scan])).toEqual(['recorded']);
  });
});

test.each([
  ['a commit', 'duplicate'],
  ['an earlier statement', 'recorded'],
])('when the answer to %s is lost, all fail, and a repetition is answered: %s', async (lostAt, learnt) => {
  const proxy = await proxyTo(url);
  const lossyPool = another(proxy.url, 'lossy', { poolSize: 2 });
  const lossy = createRecording({ db: lossyPool, waitMs: 10_000 });
  const { keys } = await makeOrdered(db, 4);
  const [first = [], ...rest] = keys.map((key) => [movement(key, 3)]);
  expect(await record(first, lossy)).toEqual(['recorded']);
  const busy = [movement(keys[0] ?? '', 9)];
  proxy.loseAnswersTo(lostAt === 'a commit' ? 'commit' : rest[0]?.[0]?.id);
  const [, ...failed] = await Promise.all([busy, ...rest].map((each) => record(each, lossy)));
  expect(failed.filter((each) => typeof each !== 'string')).toEqual([]);
  await waitFor(() => proxy.lost() > 0, 'a lost answer');
  proxy.loseAnswersTo(undefined);
  const later = await Promise.all(rest.map((each) => record(each, lossy)));
  expect(later).toEqual(repeated(3, [learnt]));
  expect((await batchesOf(keys)).reduce((sum, each) => sum + each)).toBe(5);
  await lossyPool.destroy();
  await proxy.cut();
});

// Requests at the same time must give the same database and answers as the same requests one by one.

const PACKAGES = 5;

const item = fc.record({
  packageAt: fc.nat(PACKAGES),
  name: fc.nat(40),
  code: fc.constantFrom(3, 9, 11, 14, 17, 3, 9, 11, 14, 5, 2, 6, 30000),
  secondsAgo: fc.constantFrom(10, 60, 600, 3600, 9000, -600),
  isPoison: fc.integer({ min: 0, max: 15 }).map((number) => number === 0),
});

const request = fc.record({ pauseMs: fc.nat(25), items: fc.array(item, { minLength: 1, maxLength: 5 }) });

type Request = typeof request extends fc.Arbitrary<infer R> ? R : never;

/** The packages of one run, in two orders, and the movement ids of the run by number. */
async function world() {
  const orders = [await makeOrdered(db, 3), await makeOrdered(db, PACKAGES - 3)];
  for (const { order, owner } of orders) {
    await register(db, owner.accountId, { url: 'https://receiver.example/' }, { lanes: 2 });
    await age(db, order.id, 7200);
  }
  return { keys: orders.flatMap(({ keys }) => keys), ids: Array.from({ length: 41 }, () => newId()) };
}

type World = Awaited<ReturnType<typeof world>>;

const itemsIn = ({ keys, ids }: World, { items }: Request, now: number): NewMovement[] =>
  items.map(({ packageAt, name, code, secondsAgo, isPoison }) =>
    movement(keys[packageAt] ?? newId(), isPoison ? 6 : code, {
      id: ids[name] ?? '',
      happenedAt: new Date(now - secondsAgo * 1000).toISOString(),
      ...(isPoison ? poison : {}),
    }),
  );

/** All that was written, with numbers in place of the ids of packages and movements. */
async function contentOf({ keys, ids }: World): Promise<unknown> {
  const { rows } = await sql`
    select array_position(${keys}::uuid[], p.loggi_key) as package, p.seq, p.status_code, case when p.seq > 1 then p.status_since end as since, o.status,
      array_position(${ids}::uuid[], p.current_movement_id) as current,
      (select json_agg(json_build_array(m.seq, m.status_code, array_position(${ids}::uuid[], m.id),
          case when m.seq > 1 then m.happened_at end, m.reported_at,
          (select count(*) from webhook_notifications n where n.loggi_key = m.loggi_key and n.seq = m.seq)) order by m.seq)
        from movements m where m.loggi_key = p.loggi_key) as movements
    from packages p join orders o on o.id = p.order_id
    where p.loggi_key = any(${keys}::uuid[]) order by 1`.execute(db);
  return rows;
}

test('requests at the same time give the same database and answers as one request at a time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 40 }), async (requests) => {
      const [many, one] = [await world(), await world()];
      const now = Date.now();
      const arrived: Request[] = [];
      const work = requests.map(async (each) => {
        await sleep(each.pauseMs);
        const at = arrived.push(each) - 1;
        return { at, results: await record(itemsIn(many, each, now)) };
      });
      const together = (await Promise.all(work)).sort((a, b) => a.at - b.at).map(({ results }) => results);
      const alone = [];
      for (const each of arrived) {
        const write = recordMovements(db, itemsIn(one, each, now));
        const texts = write.then(({ outcomes }) => outcomes.map(textOf));
        alone.push(await texts.catch((error) => String(Reflect.get(Object(error), 'code'))));
      }
      expect(together).toEqual(alone);
      expect(await contentOf(many)).toEqual(await contentOf(one));
    }),
    { numRuns: 8 },
  );
});
