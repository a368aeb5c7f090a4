import { describe, expect, test } from '@jest/globals';
import { createPlanning } from '../../src/routing/planning.js';
import type { RouteProblem } from '../../src/routing/ports.js';
import { embeddedSolver, seededRandom } from '../../src/routing/route/embedded-solver.js';
import { routeMetres } from '../../src/routing/route/problem.js';
import { answering, type Behaviour, recordingLog, startRemote, troubles } from './routing-remote-support.js';
import { searched } from './routing-support.js';

const vroom = await startRemote();

function freshPlanning() {
  const { log, lines } = recordingLog();
  return { planning: createPlanning({ vroomUrl: vroom.url, log }), lines };
}

/** Pickups 0 to 2 and deliveries on random roads. No package comes from pickup 2. */
function problemOf(stops: number, seed = 7): RouteProblem {
  const random = seededRandom(seed);
  const at = Array.from({ length: stops }, () => [random() * 30_000, random() * 30_000] as const);
  return {
    pickups: 3,
    pickupOf: Array.from({ length: stops - 3 }, (_, delivery) => delivery % 2),
    metres: at.map(([x, y]) => at.map(([toX, toY]) => Math.hypot(x - toX, y - toY) + 0.4)),
  };
}

/** VROOM's answer for a route: as pyvroom 1.15 and vroom-express give it, without the fields that are all 0. */
function answerFor({ pickups, pickupOf }: RouteProblem, order: readonly number[]): object {
  const steps = order.flatMap((stop) => {
    if (stop >= pickups) return [{ type: 'delivery', location_index: stop, id: stop, arrival: 1, violations: [] }];
    const given = pickupOf.flatMap((pickup, delivery) => (pickup === stop ? [pickups + delivery] : []));
    if (given.length === 0) return [{ type: 'job', location_index: stop, id: stop, arrival: 1, violations: [] }];
    return given.map((id) => ({ type: 'pickup', location_index: stop, id, arrival: 1, violations: [] }));
  });
  const start = { type: 'start', location_index: order.length, arrival: 0, violations: [] };
  return {
    code: 0,
    summary: { cost: 1, routes: 1, unassigned: 0, computing_times: { loading: 0, solving: 28, routing: 0 } },
    unassigned: [],
    routes: [{ vehicle: 0, cost: 1, steps: [start, ...steps] }],
  };
}

const inNumberOrder = ({ metres }: RouteProblem): number[] => metres.map((_, stop) => stop);

/** A route that is shorter than the embedded one, found by a longer search. */
function betterRoute(problem: RouteProblem): number[] {
  const routes = [2, 3, 4, 5].map((seed) => searched(problem, 100, seed));
  return routes.reduce((best, route) => (routeMetres(problem, route) < routeMetres(problem, best) ? route : best));
}

/** Answers every request, and records the requests. */
function listening(answer: object) {
  const requests: unknown[] = [];
  vroom.behave((incoming, response, body) => {
    requests.push(JSON.parse(body));
    answering(answer)(incoming, response, body);
  });
  return requests;
}

describe('with a VROOM server', () => {
  test('the route of the server is used if it is shorter; a pickup of several packages is one stop', async () => {
    const problem = problemOf(60);
    const order = betterRoute(problem);
    const embedded = await embeddedSolver.solve(problem);
    expect(routeMetres(problem, order)).toBeLessThan(routeMetres(problem, embedded.order));
    vroom.behave(answering(answerFor(problem, order)));
    const { planning, lines } = freshPlanning();
    expect(await planning.solver.solve(problem)).toEqual({ order, solver: 'vroom' });
    expect(lines).toEqual([]);
  });

  test('the embedded route is used if it is as short, and nothing is logged', async () => {
    const problem = problemOf(20);
    vroom.behave(answering(answerFor(problem, inNumberOrder(problem))));
    const { planning, lines } = freshPlanning();
    expect(await planning.solver.solve(problem)).toEqual(await embeddedSolver.solve(problem));
    expect(lines).toEqual([]);
  });

  test('the server is not asked if the embedded route is surely the best, or if the time is too short', async () => {
    const requests = listening({});
    const { planning, lines } = freshPlanning();
    for (const stops of [12, 61])
      expect(await planning.solver.solve(problemOf(stops))).toMatchObject({ solver: 'embedded' });
    expect([requests, lines]).toEqual([[], []]);
  });

  test('the server gets each package as a shipment, an idle pickup as a job, a free start, and its time', async () => {
    const problem = problemOf(13);
    const requests = listening(answerFor(problem, inNumberOrder(problem)));
    await freshPlanning().planning.solver.solve(problem);
    expect(requests).toMatchObject([
      {
        vehicles: [{ start_index: 13 }],
        jobs: [{ id: 2, location_index: 2 }],
        shipments: problem.pickupOf.map((pickup, delivery) => ({
          pickup: { id: 3 + delivery, location_index: pickup },
          delivery: { id: 3 + delivery, location_index: 3 + delivery },
        })),
        matrices: {
          car: { durations: [...problem.metres.map((row) => [...row.map(Math.round), 0]), new Array(14).fill(0)] },
        },
        options: { x: 5, l: 1 },
      },
    ]);
  });
});

describe('when the server', () => {
  const problem = problemOf(15);
  const [first = 0, ...others] = inNumberOrder(problem);
  const unusable: Record<string, Behaviour> = {
    ...troubles,
    'leaves stops out': answering(answerFor(problem, others)),
    'delivers before it collects': answering(answerFor(problem, [...others, first])),
    'names a stop that is not there': answering(answerFor(problem, [first, ...others, 99])),
    'gives no route': answering({ code: 0, routes: [] }),
    'refuses the problem': answering({ code: 2, error: 'Invalid JSON object in request' }),
  };

  test.each(Object.keys(unusable))('%s, the embedded solver is used and one line is logged', async (trouble) => {
    vroom.behave(unusable[trouble] ?? answering({}));
    const { planning, lines } = freshPlanning();
    expect(await planning.solver.solve(problem)).toMatchObject({ solver: 'embedded' });
    expect(lines).toEqual([{ fields: expect.objectContaining({ service: 'VROOM' }), message: expect.any(String) }]);
  });
});
