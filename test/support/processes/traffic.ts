import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/base/ids.js';
import type { Db } from '../../../src/db/connect.js';
import { movePackages } from '../../../src/packages/move-packages.js';
import type { CheckingReceiver } from './checking-receiver.js';
import type { Endpoint } from './endpoints.js';

/** A movement that was committed, as the receiver must learn of it. */
export interface Committed {
  path: string;
  loggiKey: string;
  updatedTime: string;
  /** When it was committed, in performance.now()'s time. */
  at: number;
}

/** The name of a movement where a receiver learns of it. */
export const keyOf = ({ path, loggiKey, updatedTime }: Omit<Committed, 'at'>): string =>
  `${path} ${loggiKey} ${updatedTime}`;

const location = { city: 'Campinas', state: 'SP' };
const codes = [3, 14, 17, 11, 18];

/** Records movements whose times grow, so that the receiver learns their order from them. */
export type Traffic = ReturnType<typeof newTraffic>;

export function newTraffic(db: Db) {
  const committed: Committed[] = [];
  let clock = Date.now() - 3_600_000;
  let moved = 0;
  /** Moves a package of each endpoint, each once, in one transaction; `number` picks which package. */
  const move = async (endpoints: readonly Endpoint[], number = 0): Promise<void> => {
    clock += 1;
    moved += 1;
    const happenedAt = new Date(clock).toISOString();
    const updatedTime = happenedAt.replace('Z', '000Z');
    const statusCode = codes[moved % codes.length] ?? 17;
    const movements = endpoints.map(({ path, keys }) => ({
      path,
      loggiKey: keys[number % keys.length] ?? '',
      updatedTime,
    }));
    const items = movements.map(({ loggiKey }) => ({ id: newId(), loggiKey, statusCode, happenedAt, location }));
    const { outcomes } = await movePackages(db, items);
    const refused = outcomes.find(({ result }) => result !== 'recorded');
    if (refused) throw new Error(JSON.stringify(refused));
    const at = performance.now();
    committed.push(...movements.map((each) => ({ ...each, at })));
  };
  return { committed, move };
}

/** Two runs of the same kind on one machine differ by some milliseconds. */
export const NOISE_MS = 10;

export const ms = (value: number): string => `${value.toFixed(0)} ms`;

export const p99 = (lags: readonly number[]): number =>
  [...lags].sort((one, other) => one - other)[Math.floor(lags.length * 0.99)] ?? Number.NaN;

type Pace = { forMs: number; perSecond: number };

/** Moves a package of each endpoint in turn, at a steady rate. */
export async function drive(traffic: Traffic, world: readonly Endpoint[], { forMs, perSecond }: Pace): Promise<void> {
  const started = performance.now();
  const running: Promise<void>[] = [];
  for (let number = 0; number < (forMs / 1000) * perSecond; number += 1) {
    await sleep(Math.max(0, started + (number * 1000) / perSecond - performance.now()));
    const endpoint = world[number % world.length];
    if (endpoint) running.push(traffic.move([endpoint]));
  }
  await Promise.all(running);
}

/** Milliseconds from commit to arrival of movements for the paths; Infinity if half a second late. */
export async function lagsOf(
  receiver: CheckingReceiver,
  traffic: Traffic,
  paths: ReadonlySet<string>,
  meanwhile: () => Promise<void>,
): Promise<number[]> {
  const from = { committed: traffic.committed.length, arrivals: receiver.arrivals.length };
  await meanwhile();
  await sleep(500);
  const arrived = new Map<string, number>();
  for (const { path, at, entries } of receiver.arrivals.slice(from.arrivals)) {
    for (const { loggiKey, updatedTime } of entries) arrived.set(keyOf({ path, loggiKey, updatedTime }), at);
  }
  return traffic.committed
    .slice(from.committed)
    .filter(({ path }) => paths.has(path))
    .map((each) => (arrived.get(keyOf(each)) ?? Infinity) - each.at);
}
