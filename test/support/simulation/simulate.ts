import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Breakage } from './breakage.js';

export interface Order {
  /** The first seed, and how many from it on. */
  first: number;
  count: number;
  /** Builds the sender wrong. */
  broken?: Breakage;
}

export interface Outcome {
  runs: number;
  violations: { seed: number; found: string[] }[];
}

const part = fileURLToPath(new URL('part.ts', import.meta.url));

/** Runs scenarios in a process of their own, as they take its timers away. Answers in the order of the orders. */
export async function simulate(orders: readonly Order[]): Promise<Outcome[]> {
  const child = fork(part, { execArgv: ['--import', 'tsx'] });
  const told = once(child, 'message');
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the simulation ended with ${code}`)));
  child.send(orders);
  const [outcomes]: Outcome[][] = await Promise.race([told, ended]);
  return outcomes ?? [];
}
