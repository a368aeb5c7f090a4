import { standardSchedule } from '../../src/outbox/schedule.js';
import type { Dispatcher } from '../../src/webhook/dispatcher.js';
import { standardSettings, type WorkerSettings } from '../../src/webhook/settings.js';
import { between, randomFrom } from '../../test/support/random.js';
import { fakeDatabase } from './database.js';
import { fakeNetwork } from './network.js';
import { enable, enqueue } from './record-and-wake.js';
import type { Breakage } from './simulate.js';
import { createTables } from './tables.js';
import { newProcess, type Process, type VirtualTime } from './virtual-time.js';
import { createWitness } from './witness.js';
import { simulatedWorker, type World } from './worker.js';

/** The service's settings on a smaller scale: a lease is twice the deadline of an attempt. */
const settings: WorkerSettings = {
  ...standardSettings,
  concurrency: 4,
  retryConcurrency: 3,
  slowConcurrency: 2,
  lateConcurrency: 2,
  accountConcurrency: 2,
  promptMs: 20,
  claimSize: 4,
  leaseMs: 1_500,
  deadlineMs: 750,
  busyPollMs: 60,
  idlePollMs: 400,
  sweepMs: 500,
  stopMs: 300,
  schedule: { ...standardSchedule, pausesMs: { delivery: [100, 400, 1_000], replay: [], test: [] } },
};

const TROUBLE_MS = 3_000;
// A worker that is suspended at the end of the trouble goes on within this.
const AFTERMATH_MS = 4_500;
const PATIENCE_MS = 120_000;

/** A run: its world, and the workers in it. */
interface Run extends World {
  workers: { process: Process; dispatcher: Dispatcher }[];
}

/**
 * One run of two workers through a time of trouble that follows from the seed, and to the end of the queue. Resolves to
 * the promises that it broke.
 */
export async function runScenario(time: VirtualTime, seed: number, broken?: Breakage): Promise<string[]> {
  time.reset();
  const { schedule, deadlineMs } = settings;
  const witness = createWitness({ now: time.now, pausesMs: schedule.pausesMs.delivery, jitter: schedule.jitter });
  const random = randomFrom(seed);
  const calm = () => time.now() > TROUBLE_MS;
  const size = { lanes: between(random, 1, 3), packagesOfLane: between(random, 1, 3) };
  let ids = 0;
  const run: Run = {
    time,
    random,
    database: fakeDatabase(time, random, () => (calm() ? 0 : 0.02)),
    tables: createTables({ now: time.now, witness, broken, ...size }),
    network: fakeNetwork({ time, random, witness, deadlineMs, calm, broken }),
    settings: settingsOf(broken),
    newId: () => {
      ids += 1;
      return `body ${ids}`;
    },
    workers: [],
  };
  start(run);
  start(run);
  plan(run);
  const done = () => time.now() > TROUBLE_MS + AFTERMATH_MS && run.tables.waiting.length === 0;
  await time.run(done, PATIENCE_MS);
  return witness.violations();
}

function start(run: Run): void {
  const process = newProcess(run.time);
  const dispatcher = simulatedWorker({ ...run, process });
  dispatcher.start();
  run.workers.push({ process, dispatcher });
}

/** Ends the older worker; another takes its place. */
function end(run: Run, way: 'kill' | 'stop'): void {
  const ended = run.workers.shift();
  if (way === 'kill') ended?.process.kill();
  else void ended?.dispatcher.stop();
  run.time.after(between(run.random, 0, 500), () => start(run));
}

/** Movements and troubles, at times within the time of trouble; the operator enables what a receiver has disabled. */
function plan(run: Run): void {
  const { time, random, database, tables, workers } = run;
  const suspend = (place: number) => () => workers[place]?.process.suspend(between(random, 50, 4_000));
  const enableNow = () => void database.execute(enable(tables)).catch(() => undefined);
  const keepEnabled = () => {
    enableNow();
    time.after(500, keepEnabled);
  };
  const kill = () => end(run, 'kill');
  const fail = () => database.failFor(between(random, 20, 900));
  const troubles = [kill, kill, () => end(run, 'stop'), suspend(0), suspend(1), fail, enableNow];
  const repeat = (count: number, what: () => void) => {
    for (let number = 0; number < count; number += 1) time.after(between(random, 0, TROUBLE_MS), what);
  };
  repeat(between(random, 3, 14), () => move(run));
  repeat(between(random, 1, 5), () => troubles[between(random, 0, troubles.length - 1)]?.());
  time.after(TROUBLE_MS, keepEnabled);
}

function move({ random, database, tables }: Run): void {
  const moved = tables.packages[between(random, 0, tables.packages.length - 1)];
  const lasting = random() < 0.4 ? between(random, 50, 400) : between(random, 1, 10);
  if (moved) void database.execute(enqueue(tables, moved), lasting).catch(() => undefined);
}

function settingsOf(broken: Breakage | undefined): WorkerSettings {
  const { schedule } = settings;
  const { delivery } = schedule.pausesMs;
  const scheduled = (change: Partial<typeof schedule>) => ({ ...settings, schedule: { ...schedule, ...change } });
  const pauses = (each: readonly number[]) => scheduled({ pausesMs: { ...schedule.pausesMs, delivery: each } });
  if (broken === 'a failed body is sent again at once') return pauses(delivery.map(() => 0));
  if (broken === 'a body is given up an attempt too early') return pauses(delivery.slice(1));
  if (broken === 'the jitter is ten times as large') return scheduled({ jitter: 2 });
  return settings;
}
