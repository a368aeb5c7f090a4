import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setDatabaseTime } from '../../src/base/clock.js';
import { createLog } from '../../src/base/log.js';
import type { WebhookWorker } from '../../src/webhook/index.js';
import { createBlame } from '../../src/webhook/troubles.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { type Authority, createAuthority, type Receiver, startReceiver, waitFor } from '../support/receiver.js';
import { attemptsOf, drained, move, pending, register, shipped, workerFor } from './support.js';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let authority: Authority;
let receiver: Receiver;
let keys: string[];
let lines: string[];
const workers: WebhookWorker[] = [];

beforeAll(async () => {
  authority = await createAuthority();
});
beforeEach(async () => {
  lines = [];
  database = await createDatabase();
  receiver = await startReceiver({ authority });
  const packages = await shipped(database.db);
  keys = packages.keys;
  for (const place of [1, 2]) await register(database.db, packages.accountId, { url: `${receiver.url}/${place}` });
});
afterEach(async () => {
  shiftTime(0);
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await receiver.close();
  await database.drop();
});

/** Sets this process's idea of the database's time, which decides the partition of a delivery. */
function shiftTime(days: number): void {
  const now = performance.now();
  setDatabaseTime(new Date(Date.now() + days * DAY_MS), now, now);
}

function start(mayWork?: () => boolean): WebhookWorker {
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const worker = workerFor(database.db, authority, [receiver], { log, ...(mayWork && { mayWork }) });
  workers.push(worker);
  worker.start();
  return worker;
}

const lanes = () => database.db.selectFrom('webhook_lanes').selectAll().where('number', '>=', 0).execute();

test('a worker that can make no delivery says that it is at fault, keeps no lane waiting, and goes on when it can', async () => {
  shiftTime(100);
  const worker = start();
  await move(database.db, keys);
  await waitFor(() => worker.troubles().length > 0, 'a trouble');
  expect(worker.troubles()).toEqual(['no delivery can be made']);
  await waitFor(async () => (await lanes()).every(({ state }) => state === 'ready'), 'the lanes to be given back');
  // As soon as any worker may look again, not after half a minute.
  for (const { due_at } of await lanes()) expect(due_at.getTime() - Date.now()).toBeLessThan(8_000);
  expect([await pending(database.db), await attemptsOf(database.db)]).toEqual([2, []]);
  expect(lines.filter((line) => line.includes('cannot make the next delivery of a lane'))).toEqual([]);
  expect(lines.filter((line) => line.includes('"trouble":"deliveries"'))).toHaveLength(1);
  shiftTime(0);
  await drained(database.db);
  expect(receiver.received).toHaveLength(2);
});

test('a worker that must leave its lanes to others claims nothing, until it may again', async () => {
  let mayWork = false;
  const before = await lanes();
  await move(database.db, keys);
  let asked = 0;
  start(() => {
    asked += 1;
    return mayWork;
  });
  await waitFor(() => asked > 1, 'two looks');
  const claims = (await lanes()).map(({ state, claim_id }) => [state, claim_id]);
  expect(claims).toEqual(before.map(() => ['ready', null]));
  mayWork = true;
  await drained(database.db);
});

test('it gives back at once what it has claimed and not sent', async () => {
  let asked = 0;
  await move(database.db, keys);
  // It may when it claims, and may not when it would send.
  start(() => asked++ === 0);
  await waitFor(() => asked > 1, 'a claim');
  // A lease that runs out shows only when somebody claims the lane.
  const areFree = async () => (await lanes()).every(({ state, claim_id }) => state === 'ready' && claim_id === null);
  await waitFor(areFree, 'the lanes to be given back');
  expect(receiver.received).toEqual([]);
});

describe('who is at fault when the deliveries of a batch of lanes cannot be made', () => {
  const PAUSE_MS = 1_000;

  function judge() {
    const blame = createBlame({ failed: () => PAUSE_MS, passed: () => undefined });
    return {
      made: () => blame.made(0),
      isOwn: (...lanes: number[]) => blame.failed(lanes.map((lane) => [lane, new Error('no')])) === PAUSE_MS,
    };
  }

  test('the process, as long as it has made none at all', () => {
    const { isOwn } = judge();
    expect([isOwn(1), isOwn(1)]).toEqual([true, true]);
  });

  test('the lane, when those of others were made, however often it fails', () => {
    const { made, isOwn } = judge();
    made();
    expect([isOwn(1), isOwn(1)]).toEqual([false, false]);
    made();
    expect(isOwn(2)).toBe(false);
  });

  test('the process, when several fail and none is made between', () => {
    const { made, isOwn } = judge();
    made();
    expect(isOwn(1, 2)).toBe(true);
    made();
    expect([isOwn(1), isOwn(2), isOwn(1)]).toEqual([false, true, true]);
    made();
    expect(isOwn(1)).toBe(false);
  });

  test('nobody, when none failed', () => {
    const { isOwn } = judge();
    expect(isOwn()).toBe(false);
  });
});
