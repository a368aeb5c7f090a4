import { setTimeout as sleep } from 'node:timers/promises';
import { startNameServer } from '../../../test/support/name-server.js';
import { probesOf } from '../../../test/support/processes/child.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { keyOf } from '../../../test/support/processes/traffic.js';
import { quantile } from '../../figures.js';
import { asking } from '../sending/own-failures.js';
import { type ServiceName, settleLoad } from '../topology/topology.js';
import { eventually, type Scene } from './scene.js';
import { clockOf } from './states/processes.js';
import { runAsUnit } from './unit.js';

/** A trouble of one process. The others must soon be free of it. */
interface Strain {
  what: string;
  process: ServiceName;
  /** Seconds within which the process gets no requests or is replaced. */
  withinS: number;
  /** Prepares the process. Resolves to the functions that begin and end the trouble. */
  prepare(scene: Scene, name: ServiceName): Promise<Trouble>;
}

interface Trouble {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
  /** True if the process must be replaced. Otherwise it must report that it is not ready. */
  isReplaced?(): boolean;
}

const STOPPED_MS = 400;
const RUNNING_MS = 100;

/** Lets a process run for a fifth of the time, in short pieces. */
async function slow({ topology }: Scene, name: ServiceName): Promise<Trouble> {
  let isOver = false;
  let turns = Promise.resolve();
  const run = async (): Promise<void> => {
    while (!isOver) {
      for (const [signal, ms] of [
        ['SIGSTOP', STOPPED_MS],
        ['SIGCONT', RUNNING_MS],
      ] as const) {
        await topology.processes.get(name)?.signal(signal);
        await sleep(ms);
      }
    }
  };
  return {
    begin: async () => {
      turns = run();
    },
    end: () => {
      isOver = true;
      return turns;
    },
  };
}

async function astray(scene: Scene, name: ServiceName): Promise<Trouble> {
  const clock = await clockOf(scene, name);
  return { begin: () => clock.set('+20m'), end: () => clock.set('+0') };
}

/** A name server for this process only. */
async function withoutNames(scene: Scene, name: ServiceName): Promise<Trouble> {
  const names = await startNameServer();
  for (const [host, addresses] of scene.names.zone) names.zone.set(host, addresses);
  await scene.restart(name, asking(names.port));
  return {
    begin: async () => {
      names.silentFor.add('all');
      // Open connections need no name.
      await scene.topology.receiver.renew({});
    },
    end: async () => names.silentFor.clear(),
  };
}

async function hung(scene: Scene, name: ServiceName): Promise<Trouble> {
  const unit = await runAsUnit(scene, name);
  return {
    begin: async () => scene.topology.processes.get(name)?.signal('SIGSTOP'),
    end: unit.stop,
    isReplaced: () => unit.replaced() > 0,
  };
}

export const strains: Readonly<Record<string, Strain>> = {
  'slow-api': { what: 'an API runs for a fifth of the time', process: 'api-1', withinS: 10, prepare: slow },
  'slow-worker': { what: 'a worker runs for a fifth of the time', process: 'worker-1', withinS: 10, prepare: slow },
  'clock-of-api': { what: "an API's clock is 20 minutes ahead", process: 'api-1', withinS: 10, prepare: astray },
  'clock-of-worker': { what: "a worker's is", process: 'worker-1', withinS: 10, prepare: astray },
  'names-of-worker': { what: 'a worker has no names', process: 'worker-1', withinS: 10, prepare: withoutNames },
  'hung-api': { what: 'an API hangs', process: 'api-1', withinS: 30, prepare: hung },
  'hung-worker': { what: 'a worker hangs', process: 'worker-1', withinS: 30, prepare: hung },
};

const BEFORE_MS = 30_000;
const AFTER_MS = 45_000;
const PATIENCE_MS = 60_000;
const LOOK_MS = 200;
const MAX_LAG_S = 2;

export const STRAIN_PROMISE =
  'a process takes itself out within 10 s, one that hangs is replaced within 30 s; from then on p99 ≤ 2 ×, lag ≤ 2 s';

export async function tryStrain({ process: name, withinS, prepare }: Strain, scene: Scene): Promise<Finding> {
  const { topology, load } = scene;
  const trouble = await prepare(scene, name);
  const readyz = async () => {
    const child = topology.processes.get(name);
    const signal = AbortSignal.timeout(2_000);
    return fetch(`${child && probesOf(child)}/readyz`, { signal }).then(
      (answer) => (answer.ok ? 'ready' : answer.text()),
      () => 'no answer',
    );
  };
  await sleep(BEFORE_MS);
  const began = performance.now();
  const before = p99(scene, began - BEFORE_MS, began);
  await trouble.begin();
  let said = '';
  const isOut = async () => {
    if (trouble.isReplaced) return trouble.isReplaced() || undefined;
    said = await readyz();
    return said.startsWith('not ready') || undefined;
  };
  const wasOut = await eventually(isOut, PATIENCE_MS, LOOK_MS);
  const outAt = performance.now();
  await sleep(AFTER_MS);
  const after = p99(scene, outAt, performance.now());
  const lag = longestLag(scene, outAt);
  await trouble.end();
  const isBack = await eventually(async () => (await readyz()) === 'ready' || undefined, PATIENCE_MS, LOOK_MS);
  const kept = await settleLoad(topology, load);
  const seconds = (outAt - began) / 1_000;
  return {
    figures: `${wasOut ? `${trouble.isReplaced ? 'replaced' : 'out'} after ${seconds.toFixed(1)} s` : 'never out'} ${said.trim()}; p99 ${before.toFixed(0)} ms before, ${after.toFixed(0)} ms after; lag up to ${lag.toFixed(2)} s; ${kept.figures}`,
    breaches: [
      ...expectThat(wasOut === true && seconds <= withinS, `not out within ${withinS} s`),
      ...expectThat(after <= 2 * before, 'p99 is more than twice what it was'),
      ...expectThat(lag <= MAX_LAG_S, `notifications came ${lag.toFixed(1)} s late`),
      ...expectThat(isBack === true, 'it does not come back by itself'),
      ...kept.breaches,
    ],
  };
}

const p99 = ({ load }: Scene, since: number, until: number): number =>
  quantile(
    load.waits.filter(({ sentAt, ms }) => sentAt >= since && sentAt + ms <= until).map(({ ms }) => ms),
    0.99,
  );

/** The longest time from a movement acknowledged since then to its notification, in seconds. */
function longestLag({ load, topology }: Scene, since: number): number {
  const now = performance.now();
  const arrivedAt = new Map<string, number>();
  for (const { at, path, entries } of topology.receiver.arrivals)
    for (const { loggiKey, updatedTime } of entries) arrivedAt.set(keyOf({ path, loggiKey, updatedTime }), at);
  const lags = load.movements
    .filter(({ at }) => at >= since)
    .map((each) => (arrivedAt.get(keyOf(each)) ?? now) - each.at);
  return Math.max(0, ...lags) / 1_000;
}
