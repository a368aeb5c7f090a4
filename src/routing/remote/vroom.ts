import type { RouteProblem, RouteSolver } from '../ports.js';
import { embeddedSolver } from '../route/embedded-solver.js';
import { EXACT_LIMIT } from '../route/exact.js';
import { isRoute, pickupOfStop, routeMetres, stopCount } from '../route/problem.js';
import type { Fallback } from './fallback.js';
import { askJson, below, toList, toNumber, toRecord, UnusableAnswerError } from './json-client.js';

/** Most stops for VROOM. With more it exceeds its time limit (3 s for 110) and is worse than the embedded route. */
const MAX_STOPS = 60;
/** Options of vroom-express: the deepest search, for at most `l` seconds. */
const searchOptions = { x: 5, l: 1 };
/** The time limit of the search, and as much again for a busy server. */
const timeout = { request: 2_000 };

/**
 * Writes the problem for VROOM, with metres in place of durations. The vehicle starts at an added place, 0 metres from
 * all.
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

function toOrder(answer: unknown, problem: RouteProblem): number[] {
  const [route] = toList(toRecord(answer, 'answer')['routes'], 'routes');
  const steps = toList(toRecord(route, 'route')['steps'], 'steps');
  const stops = steps.map((step) => stopOf(toRecord(step, 'step'), problem));
  const order = [...new Set(stops.filter((stop): stop is number => stop !== undefined))];
  if (!isRoute(problem, order)) throw new UnusableAnswerError('VROOM answers no route over all stops');
  return order;
}

/** Takes the better of VROOM's route and the embedded one. Does not ask VROOM for small or large orders. */
export const createVroom = (url: string, { ask }: Fallback): RouteSolver => ({
  async solve(problem, owner) {
    const stops = stopCount(problem);
    if (stops <= EXACT_LIMIT || stops > MAX_STOPS) return embeddedSolver.solve(problem, owner);
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
});

const fetchOrder = async (url: string, problem: RouteProblem): Promise<number[]> =>
  toOrder(await askJson(below(url, '/'), { method: 'POST', json: toVroom(problem), timeout }), problem);
