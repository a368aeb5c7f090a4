import { standardSchedule } from '../../../src/deliveries/schedule.js';
import type { Dispatcher } from '../../../src/webhook/dispatcher.js';
import { type SenderSettings, standardSettings } from '../../../src/webhook/settings.js';
import { between, randomFrom } from '../common/random.js';
import type { Breakage } from './breakage.js';
import { fakeDatabase } from './database.js';
import { fakeNetwork } from './network.js';
import { newProcess, type Process } from './process.js';
import { simulatedSender } from './sender.js';
import { createStore } from './store.js';
import type { VirtualTime } from './virtual-time.js';
import { createWitness } from './witness.js';

/** The service's settings on a smaller scale: a lease is twice the deadline of an attempt. */
const settings: SenderSettings = {
  ...standardSettings,
  concurrency: 4,
  retryConcurrency: 3,
  claimSize: 4,
  leaseMs: 1_500,
  deadlineMs: 750,
  busyPollMs: 60,
  idlePollMs: 400,
  sweepMs: 500,
  stopMs: 300,
  schedule: { ...standardSchedule, pausesMs: { delivery: [100, 400, 1_000], replay: [], test: [] } },
};

const troubleMs = 3_000;
const patienceMs = 120_000;

interface Running {
  process: Process;
  dispatcher: Dispatcher;
}

/** One run of two senders through a time of trouble that follows from the seed, and to the end of the queue. Answers what was violated. */
export async function runScenario(time: VirtualTime, seed: number, broken?: Breakage): Promise<string[]> {
  time.reset();
  const random = randomFrom(seed);
  const { schedule, deadlineMs } = settings;
  const calm = () => time.now() > troubleMs;
  const witness = createWitness({ now: time.now, pausesMs: schedule.pausesMs.delivery, jitter: schedule.jitter });
  const database = fakeDatabase(time, random, () => (calm() ? 0 : 0.02));
  const size = { lanes: between(random, 1, 3), packagesOfLane: between(random, 1, 3) };
  const store = createStore({ database, witness, ...size, broken });
  const network = fakeNetwork({ time, random, witness, deadlineMs, calm, broken });
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `body ${ids}`;
  };
  let senders: Running[] = [];

  const start = (): void => {
    const process = newProcess(time, `sender ${ids}`);
    const dispatcher = simulatedSender({
      process,
      time,
      random,
      database,
      store,
      network,
      settings: settingsOf(broken),
      newId,
    });
    dispatcher.start();
    senders.push({ process, dispatcher });
  };

  const move = (): void => {
    const moved = store.packages[between(random, 0, store.packages.length - 1)];
    const lasting = random() < 0.4 ? between(random, 50, 400) : between(random, 1, 10);
    if (moved) void database.execute(store.enqueue(moved), lasting).catch(() => undefined);
  };

  const end = (way: 'kill' | 'stop'): void => {
    const [ended, ...others] = senders;
    senders = others;
    if (way === 'kill') ended?.process.kill();
    else void ended?.dispatcher.stop();
    time.after(between(random, 0, 500), start);
  };

  const troubles: (() => void)[] = [
    () => end('kill'),
    () => end('kill'),
    () => end('stop'),
    () => senders[0]?.process.suspend(between(random, 50, 4_000)),
    () => senders[1]?.process.suspend(between(random, 50, 4_000)),
    () => database.failFor(between(random, 20, 900)),
    () => void database.execute(store.enable()).catch(() => undefined),
  ];

  const plan = (count: number, what: () => void): void => {
    for (let number = 0; number < count; number += 1) time.after(between(random, 0, troubleMs), what);
  };

  start();
  start();
  plan(between(random, 3, 14), move);
  plan(between(random, 1, 5), () => troubles[between(random, 0, troubles.length - 1)]?.());
  time.after(troubleMs + 200, () => void database.execute(store.enable()).catch(() => undefined));
  time.after(troubleMs + 900, () => void database.execute(store.enable()).catch(() => undefined));
  const done = () => time.now() > 2 * troubleMs + 1_500 && store.pending() === 0;
  await time.run(done, patienceMs);
  return witness.violations();
}

function settingsOf(broken: Breakage | undefined): SenderSettings {
  const { schedule } = settings;
  const { delivery } = schedule.pausesMs;
  const pauses = (pausesMs: readonly number[]) => ({
    ...settings,
    schedule: { ...schedule, pausesMs: { ...schedule.pausesMs, delivery: pausesMs } },
  });
  if (broken === 'a failed body is sent again at once') return pauses(delivery.map(() => 0));
  if (broken === 'a body is given up an attempt too early') return pauses(delivery.slice(1));
  if (broken === 'the jitter is ten times as large') return { ...settings, schedule: { ...schedule, jitter: 2 } };
  return settings;
}
