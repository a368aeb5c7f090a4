import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import { getEndpoint } from '../../src/endpoints/endpoint-queries.js';
import { disableEndpoint, enableEndpoint } from '../../src/endpoints/endpoints.js';
import { movePackages } from '../../src/packages/move-packages.js';
import { trackingRecords } from '../../src/packages/tracking.js';
import { replayDeliveries } from '../../src/queue/replay.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { another, movement } from '../domain/orders-fixtures.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { endPauses, pass } from '../support/queue.js';
import { between, choose, type Random, randomFrom } from '../support/random.js';
import { type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { authority, payloadOf, register, shipped, workerFor } from './support.js';

const PACKAGES = 6;
const ROUNDS = 5;
const STEPS = 20;

/** A receiver that keeps the newest state of each package. It fails at random until `isPatient` is true. */
class KeepingReceiver {
  readonly newest = new Map<string, string>();
  /** Updates, without replays, that came after a newer update of the same package. */
  readonly inversions: string[] = [];
  isPatient = false;
  private readonly inOrder = new Map<string, string>();

  constructor(receiver: Receiver, random: Random) {
    receiver.always((_, response, { body, headers }) => {
      const answer = random();
      const status = this.isPatient || answer < 0.84 ? 200 : answer < 0.92 ? 500 : 410;
      for (const { loggiKey, requestTime } of payloadOf({ body }).packages) {
        if (headers['malote-replay'] === undefined) this.see(loggiKey, requestTime);
        if (status === 200 && requestTime > (this.newest.get(loggiKey) ?? '')) this.newest.set(loggiKey, requestTime);
      }
      response.writeHead(status).end();
    });
  }

  private see(loggiKey: string, requestTime: string): void {
    if (requestTime < (this.inOrder.get(loggiKey) ?? '')) this.inversions.push(`${loggiKey} ${requestTime}`);
    this.inOrder.set(loggiKey, requestTime);
  }
}

interface Scene {
  database: TestDatabase;
  receiver: Receiver;
  keys: readonly string[];
  endpointId: string;
  random: Random;
}

/** Starts and kills workers, one at a time. Each has its own connections, which are cut to kill it. */
function createWorkers({ database, receiver }: Scene) {
  let living: { db: Db; worker: WebhookWorker; name: string } | undefined;
  let count = 0;
  const start = (): void => {
    if (living) return;
    count += 1;
    const name = `worker ${count}`;
    // A pool that is killed while it connects ends only after this timeout.
    const db = another(database.url, name, { connectionTimeoutMs: 500 });
    const worker = workerFor(db, authority, [receiver], { settings: { catchUpMs: 10, stopMs: 0 } });
    worker.start();
    living = { db, worker, name };
  };
  const kill = async (): Promise<void> => {
    if (!living) return;
    const { db, worker, name } = living;
    living = undefined;
    const destroyed = db.destroy();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`.execute(
      database.db,
    );
    await Promise.all([destroyed, worker.stop()]);
    // No living worker holds a lease now, so time may pass until all leases have run out.
    await pass(database.db, 60);
  };
  return { start, kill };
}

function createSteps(scene: Scene) {
  const { database, keys, endpointId, random } = scene;
  const { db } = database;
  const workers = createWorkers(scene);
  const underWay: Promise<unknown>[] = [];
  const isDisabled = (error: unknown) => expect(error).toMatchObject({ code: 'CONFLICT', reason: 'endpoint_disabled' });
  const steps: Record<string, () => unknown> = {
    move: () => {
      const moved = keys.filter(() => random() < 0.3);
      const heldMs = random() < 0.5 ? 0 : between(random, 1, 120);
      const recorded = transaction(db, async (trx) => {
        await movePackages(
          trx,
          moved.map((key) => movement(key, 17)),
        );
        await sleep(heldMs);
      });
      if (heldMs === 0) return recorded;
      underWay.push(recorded);
    },
    disable: () => disableEndpoint(db, endpointId),
    enable: () => enableEndpoint(db, endpointId),
    replay: () => {
      const from = new Date(Date.now() - between(random, 0, 500));
      return replayDeliveries(db, endpointId, { from, to: new Date(Date.now() + 1) }).catch(isDisabled);
    },
    start: workers.start,
    kill: workers.kill,
    wait: () => sleep(between(random, 1, 25)),
    endPauses: () => endPauses(db),
  };
  return { steps, workers, ended: () => Promise.all(underWay.splice(0)) };
}

const weights = { move: 8, disable: 2, enable: 3, replay: 1, start: 3, kill: 1, wait: 5, endPauses: 2 };

const isSettled = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from webhook_notifications) or exists (select from webhook_requests)
      or exists (select from webhook_catch_ups where ended_at is null) as waits`.execute(db);
  return rows[0]?.waits === false;
};

async function newestStates(db: Db): Promise<Record<string, string>> {
  const { rows } = await sql<{ loggiKey: string; seq: number }>`
    select loggi_key as "loggiKey", seq from packages order by loggi_key`.execute(db);
  const records = await trackingRecords(db, rows);
  return Object.fromEntries(records.map(({ loggiKey, requestTime }) => [loggiKey, requestTime]));
}

test.each([1, 2, 3, 4, 5, 6])('a receiver knows all newest states when the queue is empty (seed %i)', async (seed) => {
  const random = randomFrom(seed);
  const database = await createDatabase();
  const receiver = await startReceiver({ authority });
  const { db } = database;
  const { accountId, keys } = await shipped(db, PACKAGES);
  const { id: endpointId } = await register(db, accountId, receiver, { catchUp: true, lanes: between(random, 1, 2) });
  const keeping = new KeepingReceiver(receiver, random);
  const { steps, workers, ended } = createSteps({ database, receiver, keys, endpointId, random });
  const choices = Object.entries(weights).map(([name, weight]) => [weight, name] as const);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      keeping.isPatient = false;
      for (let step = 0; step < STEPS; step += 1) await steps[choose(random, choices, 'wait')]?.();
      keeping.isPatient = true;
      await steps['enable']?.();
      workers.start();
      await ended();
      await waitFor(async () => {
        if ((await getEndpoint(db, endpointId)).state === 'disabled') await enableEndpoint(db, endpointId);
        await endPauses(db);
        return isSettled(db);
      }, 'nothing to be owed');
      expect(Object.fromEntries(keeping.newest)).toEqual(await newestStates(db));
    }
  } finally {
    await workers.kill();
    await receiver.close();
    await database.drop();
  }
  expect(keeping.inversions).toEqual([]);
});
