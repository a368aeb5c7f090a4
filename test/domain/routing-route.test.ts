import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RouteProblem } from '../../src/routing/ports.js';
import { embeddedSolver, firstRoundsFor } from '../../src/routing/route/embedded-solver.js';
import { exactRoute } from '../../src/routing/route/exact.js';
import { isRoute, routeMetres, stopCount, toGraph } from '../../src/routing/route/problem.js';
import { randomProblem, searched } from './routing-support.js';

/** The metres of the shortest route, found by trying all routes. */
function leastByTrying(problem: RouteProblem): number {
  const stops = Array.from({ length: stopCount(problem) }, (_, stop) => stop);
  const tryAll = (order: number[], others: number[]): number => {
    if (others.length === 0) return isRoute(problem, order) ? routeMetres(problem, order) : Number.POSITIVE_INFINITY;
    const withoutIt = (stop: number) => others.filter((other) => other !== stop);
    return Math.min(...others.map((stop) => tryAll([...order, stop], withoutIt(stop))));
  };
  return tryAll([], stops);
}

/** The metres of the route that a search of `times` the usual length finds. */
const searchedMetres = (problem: RouteProblem, times = 1): number =>
  routeMetres(problem, searched(problem, times * firstRoundsFor(stopCount(problem))));

const problems = (maxPickups: number, maxDeliveries: number): fc.Arbitrary<RouteProblem> =>
  fc
    .tuple(fc.nat(1_000_000), fc.integer({ min: 1, max: maxPickups }), fc.nat(maxDeliveries), fc.constantFrom(0, 0.4))
    .map(([seed, pickups, deliveries, skew]) => randomProblem(seed, pickups, deliveries, skew));

describe('every route', () => {
  test('visits each stop once and each delivery after its pickup', async () => {
    await fc.assert(
      fc.asyncProperty(problems(10, 30), async (problem) => {
        const { order, solver } = await embeddedSolver.solve(problem);
        expect(isRoute(problem, order)).toBe(true);
        expect(solver).toBe('embedded');
      }),
      { numRuns: 60 },
    );
  });

  test('is the same for the same problem', async () => {
    const problem = randomProblem(5, 6, 40);
    expect(await embeddedSolver.solve(problem)).toEqual(await embeddedSolver.solve(problem));
  });

  test('may begin at any pickup', async () => {
    // On a line the route begins at the far pickup, although it is listed last.
    const line = [50, 100, 40, 10];
    const metres = line.map((from) => line.map((to) => Math.abs(from - to)));
    expect((await embeddedSolver.solve({ pickups: 2, pickupOf: [0, 0], metres })).order).toEqual([1, 0, 2, 3]);
  });

  test('of one stop has only that stop', async () => {
    expect(await embeddedSolver.solve({ pickups: 1, pickupOf: [], metres: [[0]] })).toMatchObject({ order: [0] });
  });
});

describe('a small order', () => {
  test('gets the best possible route', () => {
    fc.assert(
      fc.property(problems(3, 4), (problem) => {
        const route = exactRoute(toGraph(problem));
        expect(isRoute(problem, route)).toBe(true);
        expect(routeMetres(problem, route)).toBeCloseTo(leastByTrying(problem), 6);
      }),
      { numRuns: 40 },
    );
  });

  test('of up to 12 stops is solved exactly', async () => {
    const problem = randomProblem(3, 4, 8, 0.4);
    const { order } = await embeddedSolver.solve(problem);
    expect(routeMetres(problem, order)).toBeCloseTo(routeMetres(problem, exactRoute(toGraph(problem))), 6);
  });
});

describe('the search for larger orders', () => {
  test.each([
    [1, 11],
    [3, 9],
    [6, 8],
  ])('comes within 2 %% of a known best route: %d pickups, %d packages', (pickups, packages) => {
    for (let seed = 1; seed <= 10; seed++) {
      const problem = randomProblem(seed, pickups, packages, seed % 2 === 0 ? 0.3 : 0);
      const best = routeMetres(problem, exactRoute(toGraph(problem)));
      expect(searchedMetres(problem) / best).toBeLessThanOrEqual(1.02);
    }
  });

  test.each([1, 5, 10])('comes within 5 %% of an eight times longer search for 50 packages, %d pickups', (pickups) => {
    for (let seed = 1; seed <= 2; seed++) {
      const problem = randomProblem(seed, pickups, 50);
      expect(searchedMetres(problem) / searchedMetres(problem, 8)).toBeLessThanOrEqual(1.05);
    }
  });

  test('lets other work of the process go on', async () => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 30 }, (_, seed) => embeddedSolver.solve(randomProblem(seed + 1, 10, 100))));
    over = true;
    expect(turns).toBeGreaterThan(3);
  });
});
