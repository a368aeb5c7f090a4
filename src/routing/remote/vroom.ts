import type { RouteProblem, RouteSolver } from '../ports.js';
import { embeddedSolver } from '../route/embedded-solver.js';
import { EXACT_LIMIT } from '../route/exact.js';
import { isRoute, pickupOfStop, routeMetres, stopCount } from '../route/problem.js';
import type { Fallback } from './fallback.js';
import { below, postJson, toList, toNumber, toRecord, UnusableAnswerError } from './json-client.js';

/**
 * VROOM keeps its limit of time up to this many stops; beyond, its first solutions alone take longer (3 s of processor time for
 * 110 stops), and what it has when it is stopped is worse than the embedded route.
 */
const MOST_STOPS = 60;
/** vroom-express's options: the deepest search, for so many seconds at most. */
const searchOptions = { x: 5, l: 1 };
/** The limit, and as much again for a busy server. */
const TIMEOUT_MS = 2_000;

/**
 * The problem as VROOM takes it: a shipment per delivery, a job per pickup that nothing is delivered from, and one
 * vehicle. Metres stand for its durations, whose sum it keeps least. VROOM wants a place to start from, so one that lies
 * at no distance of all others is added at the end.
 */
function toVroom({ pickups, pickupOf, metres }: RouteProblem): object {
  const origin = metres.length;
  const durations = metres.map((row) => [...row.map(Math.round), 0]);
  durations.push(new Array<number>(origin + 1).fill(0));
  const used = new Set(pickupOf);
  const idle = Array.from({ length: pickups }, (_, stop) => stop).filter((stop) => !used.has(stop));
  return {
    vehicles: [{ id: 0, profile: 'car', start_index: origin }],
    jobs: idle.map((stop) => ({ id: stop, location_index: stop })),
    shipments: pickupOf.map((pickup, delivery) => ({
      pickup: { id: pickups + delivery, location_index: pickup },
      delivery: { id: pickups + delivery, location_index: pickups + delivery },
    })),
    matrices: { car: { durations } },
    options: searchOptions,
  };
}

function stopOf(step: Record<string, unknown>, problem: RouteProblem): number | undefined {
  if (step['type'] === 'start' || step['type'] === 'end') return undefined;
  const id = toNumber(step['id'], 'step.id');
  return step['type'] === 'pickup' ? pickupOfStop(problem, id) : id;
}

/** The stops in order; a pickup of several packages is one stop, where VROOM comes to it first. */
function toOrder(answer: unknown, problem: RouteProblem): number[] {
  const [route] = toList(toRecord(answer, 'answer')['routes'], 'routes');
  const steps = toList(toRecord(route, 'route')['steps'], 'steps');
  const stops = steps.map((step) => stopOf(toRecord(step, 'step'), problem));
  const order = [...new Set(stops.filter((stop): stop is number => stop !== undefined))];
  if (!isRoute(problem, order)) throw new UnusableAnswerError('VROOM answers no route over all stops');
  return order;
}

/**
 * The better of two routes, VROOM's and the embedded one, which costs a few milliseconds. VROOM is not asked where the
 * embedded route is the best there is, nor where it has not the time to find a good one.
 */
export function createVroom(url: string, { ask }: Fallback): RouteSolver {
  return {
    async solve(problem, owner) {
      const stops = stopCount(problem);
      if (stops <= EXACT_LIMIT || stops > MOST_STOPS) return embeddedSolver.solve(problem, owner);
      const [embedded, vroom] = await Promise.all([
        embeddedSolver.solve(problem, owner),
        ask<number[] | undefined>(
          () => fetchOrder(url, problem),
          () => undefined,
        ),
      ]);
      const isShorter = vroom !== undefined && routeMetres(problem, vroom) < routeMetres(problem, embedded.order);
      return isShorter ? { order: vroom, solver: 'vroom' } : embedded;
    },
  };
}

async function fetchOrder(url: string, problem: RouteProblem): Promise<number[]> {
  return toOrder(await postJson(below(url, '/'), toVroom(problem), TIMEOUT_MS), problem);
}
