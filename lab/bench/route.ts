/**
 * Measures the quality and speed of the embedded route solver on seeded random orders: npx tsx lab/bench/route.ts
 * [--quick]. The best known route of a large order is the best of long runs (16 times the rounds) with several seeds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { RouteProblem } from '../../src/routing/ports.js';
import { embeddedSolver, firstRoundsFor, seededRandom, tournament } from '../../src/routing/route/embedded-solver.js';
import { exactRoute } from '../../src/routing/route/exact.js';
import { routeMetres, stopCount, toGraph } from '../../src/routing/route/problem.js';
import { mention, spread } from '../figures.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

/** Stops in a city (15 km) or a region (60 km). In every third order the legs depend on the direction. */
function randomOrder(seed: number, pickups: number, packages: number): RouteProblem {
  const random = seededRandom(seed * 7_919 + 13);
  const side = seed % 2 === 0 ? 15_000 : 60_000;
  const skew = seed % 3 === 0 ? 0.3 : 0;
  const points = Array.from({ length: pickups + packages }, () => [random() * side, random() * side] as const);
  const pickupOf = Array.from({ length: packages }, () => Math.floor(random() * pickups));
  const metres = points.map(([x, y]) =>
    points.map(([u, v]) => 1.27 * Math.hypot(x - u, y - v) * (1 + skew * (random() - 0.5))),
  );
  return { pickups, pickupOf, metres };
}

function searched(problem: RouteProblem, seed = 1, effort = 1): number {
  const search = tournament(toGraph(problem), effort * firstRoundsFor(stopCount(problem)), seed);
  for (;;) {
    const step = search.next();
    if (step.done) return routeMetres(problem, [...step.value.stops]);
  }
}

function bestKnown(problem: RouteProblem, effort: number, seeds: number): number {
  return Math.min(...Array.from({ length: seeds }, (_, seed) => searched(problem, seed + 11, effort)));
}

function printGaps(label: string, orders: RouteProblem[], best: (problem: RouteProblem) => number): void {
  const gaps = orders.map((problem) => {
    const metres = searched(problem);
    return (metres / Math.min(metres, best(problem)) - 1) * 100;
  });
  mention(`${label}, ${gaps.length} orders: median, % longer`, spread(gaps));
}

const orders = (count: number, pickups: number, packages: number): RouteProblem[] =>
  Array.from({ length: count }, (_, seed) => randomOrder(seed + 1, pickups, packages));

/** The wall-clock and CPU time of each solution, and the longest time for which the event loop was blocked. */
async function printTimes(label: string, problems: RouteProblem[]): Promise<void> {
  const times: number[] = [];
  let longestBlock = 0;
  const { user, system } = process.cpuUsage();
  for (const problem of problems) {
    let over = false;
    let last = performance.now();
    const watching = (async () => {
      while (!over) {
        await nextTurn();
        longestBlock = Math.max(longestBlock, performance.now() - last);
        last = performance.now();
      }
    })();
    const from = performance.now();
    await embeddedSolver.solve(problem);
    times.push(performance.now() - from);
    over = true;
    await watching;
  }
  const used = process.cpuUsage({ user, system });
  mention(`${label}: CPU, ms`, spread([(used.user + used.system) / 1_000 / problems.length]));
  mention(`${label}: ms on the clock`, spread(times));
  mention(`${label}: longest block, ms`, spread([longestBlock]));
}

await printTimes('first solution in a cold process, 100 packages', orders(1, 10, 100));
await printTimes('time, 8 stops, exact', orders(100, 3, 5));
await printTimes('time, 12 stops, exact', orders(100, 4, 8));
await printTimes('time, 50 packages, 5 pickups', orders(60, 5, 50));
await printTimes('time, 100 packages, 10 pickups', orders(60, 10, 100));
const exact = (problem: RouteProblem): number => routeMetres(problem, exactRoute(toGraph(problem)));
printGaps('search over the optimum, 8 stops', orders(60, 3, 5), exact);
printGaps('search over the optimum, 12 stops', orders(60, 4, 8), exact);
printGaps('search over the optimum, 14 stops', orders(30, 5, 9), exact);
if (!values.quick) {
  for (const pickups of [1, 3, 10])
    printGaps(`over the best known, 50 packages, ${pickups} pickups`, orders(15, pickups, 50), (problem) =>
      bestKnown(problem, 16, 4),
    );
  printGaps('over the best known, 100 packages, 10 pickups', orders(6, 10, 100), (problem) =>
    bestKnown(problem, 16, 3),
  );
}
