import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Order {
  /** The first seed, and how many from it on. */
  first: number;
  count: number;
  /** Builds the worker wrong. */
  broken?: Breakage;
}

export interface Outcome {
  runs: number;
  violations: { seed: number; brokenPromises: string[] }[];
}

const part = fileURLToPath(new URL('part.ts', import.meta.url));

/**
 * Runs scenarios in a process of their own, as they take its timers away. Resolves to their outcomes, in their order.
 */
export async function simulate(orders: readonly Order[]): Promise<Outcome[]> {
  const child = fork(part, { execArgv: ['--import', 'tsx'] });
  const answered = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the simulation ended with ${code}`)));
  child.send(orders);
  const [outcomes]: Outcome[][] = await Promise.race([answered, ended]);
  return outcomes ?? [];
}

/** Ways in which a worker could be built wrong. The simulation must find each of them. */
export const breakages = [
  'a lane that is leased is claimed again before its lease ends',
  'a result is recorded without looking whose lease it is',
  'a body is frozen without looking whose lease it is',
  'a body is frozen anew at each attempt',
  '202 acknowledges',
  'a body that failed makes way for the next one',
  'a failed body is sent again at once',
  'the jitter is ten times as large',
  'Retry-After is not heard',
  'a body is given up an attempt too early',
  'a body carries the newest movement of a package',
  'idle lanes are not swept',
] as const;

export type Breakage = (typeof breakages)[number];
