import { beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../src/endpoints/endpoints.js';
import { movePackages } from '../../src/packages/move-packages.js';
import { replayDeliveries } from '../../src/queue/replay.js';
import { catchUp } from '../../src/webhook/catch-up.js';
import { makeOrder, movement } from '../domain/orders-fixtures.js';
import { waitFor } from '../support/receiver.js';
import { drained, eachScene, move, payloadOf, pending, register, type Scene, silent } from './support.js';

let scene: Scene;
eachScene(
  (opened) => {
    scene = opened;
  },
  { packages: 3, settings: { catchUpMs: 20 } },
);

const endpoint = () => getEndpoint(scene.db, scene.endpoint.id);
const disable = () => disableEndpoint(scene.db, scene.endpoint.id);
const enable = (options = {}) => enableEndpoint(scene.db, scene.endpoint.id, options);

/** Waits until the queue is empty and no active endpoint has an unfinished catch-up. */
const settled = (db: Db) =>
  waitFor(async () => {
    const { rows } = await sql<{ open: boolean }>`
      select exists (select from webhook_notifications) or exists (select from webhook_requests) or exists (
        select from webhook_catch_ups job join webhook_endpoints endpoint on endpoint.id = endpoint_id
        where ended_at is null and disabled_at is null) as open`.execute(db);
    return rows[0]?.open === false;
  }, 'every receiver to have what it is owed');

/** Entries of the bodies, each as package and status, in the order of arrival. */
const told = () =>
  scene.receiver.received.flatMap(({ body, headers }) =>
    payloadOf({ body }).packages.map(({ loggiKey, status, trackingHistory }) => ({
      package: scene.keys.indexOf(loggiKey),
      code: status.code,
      earlier: trackingHistory.map((event) => event.status.code),
      replay: headers['malote-replay'] === 'true',
    })),
  );
const codesTold = () => told().map((each) => [each.package, each.code]);

/** Starts the worker, waits until it has sent everything, and answers the codes that the receiver was told. */
async function toldOfAll() {
  scene.worker.start();
  await settled(scene.db);
  return codesTold();
}

const some = (...places: number[]) => places.map((place) => String(scene.keys[place]));

describe('an endpoint that is enabled', () => {
  test('is told once the newest movement of each package that moved meanwhile, and of no other package', async () => {
    scene.worker.start();
    await move(scene.db, some(2));
    await drained(scene.db);
    await disable();
    await move(scene.db, some(0, 1), 14);
    await move(scene.db, some(0), 11);
    const { pendingCount, catchUpCount } = await endpoint();
    // Open transactions of other tests may make it count earlier changes, too.
    expect([pendingCount, catchUpCount >= 2]).toEqual([0, true]);
    await enable();
    await settled(scene.db);
    expect(told()).toEqual([
      { package: 2, code: 17, earlier: [1], replay: false },
      { package: 0, code: 11, earlier: [14, 1], replay: false },
      { package: 1, code: 14, earlier: [1], replay: false },
    ]);
    expect(await endpoint()).toMatchObject({ pendingCount: 0, catchUpCount: 0 });
  });

  test('is told after it answered 410; bodies that waited for it come first', async () => {
    scene.receiver.next({ status: 410 });
    scene.worker.start();
    await move(scene.db, some(0), 14);
    await waitFor(async () => (await endpoint()).state === 'disabled', 'the endpoint to be disabled');
    await move(scene.db, some(0, 1), 11);
    await enable();
    await settled(scene.db);
    expect(codesTold()).toEqual([
      [0, 14],
      [0, 14],
      [0, 11],
      [1, 11],
    ]);
  });

  test('is told after five days of failure', async () => {
    const failing_since = new Date(Date.now() - 5.1 * 86_400_000);
    await scene.db.updateTable('webhook_endpoints').set({ failing_since }).execute();
    scene.receiver.next({ status: 500 });
    scene.worker.start();
    await move(scene.db, some(0), 14);
    await waitFor(async () => (await endpoint()).disabledReason === 'failing', 'the endpoint to be disabled');
    await move(scene.db, some(1), 11);
    await enable();
    await settled(scene.db);
    expect(codesTold().slice(1)).toEqual([
      [0, 14],
      [1, 11],
    ]);
  });

  test('is told in order with later movements', async () => {
    await disable();
    await move(scene.db, some(0), 14);
    await enable();
    await catchUp(scene.db, silent);
    await move(scene.db, some(0), 11);
    expect(await toldOfAll()).toEqual([
      [0, 14],
      [0, 11],
    ]);
  });

  test('is told no earlier movement when catch_up is false', async () => {
    scene.worker.start();
    await disable();
    await move(scene.db, some(0), 14);
    expect(await enable({ catchUp: false })).toMatchObject({ catchUpCount: 0 });
    await move(scene.db, some(1), 11);
    await settled(scene.db);
    expect(codesTold()).toEqual([[1, 11]]);
  });

  test('is told a movement that a transaction recorded while it was disabled, and committed afterwards', async () => {
    await disable();
    let commit = (): void => undefined;
    const isRecorded = new Promise<void>((recorded) => {
      void transaction(scene.db, async (trx) => {
        await movePackages(trx, [movement(String(scene.keys[0]), 14)]);
        recorded();
        await new Promise<void>((resolve) => {
          commit = resolve;
        });
      });
    });
    await isRecorded;
    await enable();
    for (const _ of [1, 2, 3]) expect(await catchUp(scene.db, silent)).toBeFalsy();
    commit();
    expect(await toldOfAll()).toEqual([[0, 14]]);
  });

  test('is told of a package that changes again during the catch-up without a movement', async () => {
    await disable();
    await move(scene.db, some(0), 14);
    await enable();
    await scene.db
      .updateTable('packages')
      .set({ city: 'Santos' })
      .where('loggi_key', '=', some(0)[0] ?? '')
      .execute();
    expect(await toldOfAll()).toEqual([[0, 14]]);
  });

  test('and then disabled during the catch-up is told the rest when it is enabled again', async () => {
    await disable();
    await move(scene.db, some(0), 14);
    await enable();
    await disable();
    await move(scene.db, some(1), 14);
    expect(await catchUp(scene.db, silent)).toBeUndefined();
    await enable();
    expect((await toldOfAll()).sort()).toEqual([
      [0, 14],
      [1, 14],
    ]);
  });

  test('is told whichever release disabled or enabled it, even before the migration', async () => {
    const byEarlierRelease = (state: string) => sql.raw(`update webhook_endpoints set ${state}`).execute(scene.db);
    await byEarlierRelease(`disabled_at = now(), disabled_reason = 'operator'`);
    await sql`delete from webhook_catch_ups`.execute(scene.db);
    await move(scene.db, some(0), 14);
    await byEarlierRelease('disabled_at = null, disabled_reason = null');
    await byEarlierRelease(`disabled_at = now(), disabled_reason = 'operator'`);
    await move(scene.db, some(1), 14);
    await byEarlierRelease('disabled_at = null, disabled_reason = null');
    expect((await toldOfAll()).map(String)).toEqual(expect.arrayContaining(['0,14', '1,14']));
  });

  test('is told after a restore to a server that counts transactions from another number', async () => {
    await disable();
    await move(scene.db, some(0), 14);
    await sql`
      update webhook_catch_ups set timeline = 0, after_changed = '9000000000', known = '9000000000:9000000000:'`.execute(
      scene.db,
    );
    await enable();
    expect(await toldOfAll()).toContainEqual([0, 14]);
  });
});

describe('a catch-up of more packages than one step reads', () => {
  beforeEach(async () => {
    for (const _ of [1, 2]) await makeOrder(scene.db, scene.accountId, 80);
    await sql`delete from webhook_notifications`.execute(scene.db);
    await disable();
    const { rows } = await sql<{ key: string }>`
      select loggi_key as key from packages where account_id = ${scene.accountId}`.execute(scene.db);
    await move(
      scene.db,
      rows.map(({ key }) => key),
    );
    await enable();
    // Open transactions of other tests on the server would delay a step.
    await waitFor(async () => {
      const { rows: packages } = await sql<{ ended: boolean }>`
        select bool_and(changed < pg_snapshot_xmin(pg_current_snapshot())) as ended from packages`.execute(scene.db);
      return packages[0]?.ended === true;
    }, 'the transactions of before to end');
  });

  test('goes on where it was when its worker is killed', async () => {
    expect(await catchUp(scene.db, silent)).toBe(100);
    const killed = transaction(scene.db, async (trx) => {
      await catchUp(trx, silent);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await pending(scene.db)).toBe(100);
    expect(await endpoint()).toMatchObject({ catchUpCount: 63 });
    expect(await catchUp(scene.db, silent)).toBe(63);
    expect(await catchUp(scene.db, silent)).toBeUndefined();
    expect(await pending(scene.db)).toBe(163);
  });

  test('takes turns with the catch-up of another endpoint', async () => {
    const other = await register(scene.db, scene.accountId, { url: 'https://other.test/' });
    await disableEndpoint(scene.db, other.id);
    await enableEndpoint(scene.db, other.id);
    const looked = [await catchUp(scene.db, silent), await catchUp(scene.db, silent), await catchUp(scene.db, silent)];
    expect(looked).toEqual([100, 0, 63]);
  });

  test('is put off when it fails', async () => {
    await sql`update webhook_catch_ups set known = null, timeline = 0, after_changed = '7'`.execute(scene.db);
    await sql`alter table webhook_notifications add constraint none check (false) not valid`.execute(scene.db);
    try {
      expect(await catchUp(scene.db, silent)).toBe(0);
      expect(await catchUp(scene.db, silent)).toBeUndefined();
    } finally {
      await sql`alter table webhook_notifications drop constraint none`.execute(scene.db);
    }
    expect(await endpoint()).toMatchObject({ catchUpCount: 163 });
  });

  test('ends when its endpoint is deleted', async () => {
    await deleteEndpoint(scene.db, scene.endpoint.id);
    expect(await catchUp(scene.db, silent)).toBeUndefined();
  });
});

describe('a new endpoint', () => {
  test('is told the newest movement of each open package if it asks for that', async () => {
    await move(scene.db, some(0), 14);
    await move(scene.db, some(1), 5);
    await drainedWithout();
    const destination = { url: `${scene.receiver.url}/new` };
    await register(scene.db, scene.accountId, destination, { catchUp: true });
    expect(await toldOfAll()).toEqual(
      expect.arrayContaining([
        [2, 1],
        [0, 14],
      ]),
    );
    expect(scene.receiver.received.every(({ path }) => path.endsWith('/new'))).toBe(true);
    expect(told()).toHaveLength(2);
  });

  const drainedWithout = () => sql`delete from webhook_notifications`.execute(scene.db);
});

describe('a replay of a range', () => {
  const start = new Date(Date.now() - 60_000);
  const replay = (to = new Date(Date.now() + 60_000)) =>
    replayDeliveries(scene.db, scene.endpoint.id, { from: start, to });

  test('sends movements that were recorded while the endpoint was disabled, marked as a replay', async () => {
    scene.worker.start();
    await disable();
    await move(scene.db, some(0, 1), 14);
    await move(scene.db, some(0), 11);
    await enable({ catchUp: false });
    expect(await replay()).toBe(0);
    await settled(scene.db);
    expect(told()).toEqual([
      { package: 0, code: 14, earlier: [1], replay: true },
      { package: 1, code: 14, earlier: [1], replay: true },
      { package: 0, code: 11, earlier: [14, 1], replay: true },
    ]);
    expect(await endpoint()).toMatchObject({ deadLetterCount: 0, catchUpCount: 0 });
  });

  test('makes no body for movements outside the range, or for movements that were notified', async () => {
    scene.worker.start();
    await move(scene.db, some(2), 14);
    await drained(scene.db);
    await disable();
    await move(scene.db, some(0), 14);
    const to = new Date();
    await move(scene.db, some(0), 11);
    await enable({ catchUp: false });
    await move(scene.db, some(1), 14);
    await settled(scene.db);
    expect(await replay(to)).toBe(1);
    await settled(scene.db);
    expect(told().filter((each) => each.replay)).toMatchObject([
      { package: 2, code: 14 },
      { package: 0, code: 14 },
    ]);
  });

  test('keeps a new body as a dead letter until the receiver accepts it', async () => {
    scene.receiver.always({ status: 500 });
    scene.worker.start();
    await disable();
    await move(scene.db, some(0), 14);
    await enable({ catchUp: false });
    await replay();
    await settled(scene.db);
    expect(await endpoint()).toMatchObject({ deadLetterCount: 1 });
    scene.receiver.always({ status: 200 });
    expect(await replayDeliveries(scene.db, scene.endpoint.id, 'dead-letters')).toBe(1);
    await settled(scene.db);
    expect(await endpoint()).toMatchObject({ deadLetterCount: 0 });
  });
});
