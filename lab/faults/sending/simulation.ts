import { availableParallelism } from 'node:os';
import { type Order, simulate } from '../../simulation/simulate.js';
import type { Fault } from '../fault.js';

const SEEDS = 100_000;

export const simulation: Fault = {
  what: "the worker's decisions against a fake clock, network and database",
  promise: 'nothing lost, altered, out of order, stale or before its time, under 100 000 seeds',
  run: async ({ seed }) => {
    const parts = Math.min(4, availableParallelism());
    const count = Math.ceil(SEEDS / parts);
    const orders: Order[] = Array.from({ length: parts }, (_, number) => ({ first: seed + number * count, count }));
    const outcomes = (await Promise.all(orders.map((order) => simulate([order])))).flat();
    const runs = outcomes.reduce((sum, outcome) => sum + outcome.runs, 0);
    const violations = outcomes.flatMap((outcome) => outcome.violations);
    return {
      figures: `${runs} seeds from ${seed} on: violations ${violations.length}`,
      breaches: violations.slice(0, 5).map((each) => `seed ${each.seed}: ${each.brokenPromises[0]}`),
    };
  },
};
