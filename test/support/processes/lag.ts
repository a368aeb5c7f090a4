import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckingReceiver } from './checking-receiver.js';
import type { Endpoint } from './endpoints.js';
import type { Traffic } from './traffic.js';

/** Two runs of the same kind on one machine differ by some milliseconds. */
export const NOISE_MS = 10;

export const ms = (value: number): string => `${value.toFixed(0)} ms`;

export const p99 = (lags: readonly number[]): number =>
  [...lags].sort((one, other) => one - other)[Math.floor(lags.length * 0.99)] ?? Number.NaN;

export interface Pace {
  forMs: number;
  perSecond: number;
}

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

/**
 * Milliseconds from the commit to the request's arrival, of what is moved meanwhile and told to the paths; Infinity for what
 * has not arrived half a second later.
 */
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
    for (const { loggiKey, updatedTime } of entries) arrived.set(`${path} ${loggiKey} ${updatedTime}`, at);
  }
  return traffic.committed
    .slice(from.committed)
    .filter(({ path }) => paths.has(path))
    .map((each) => (arrived.get(`${each.path} ${each.loggiKey} ${each.updatedTime}`) ?? Infinity) - each.at);
}
