import type { RouteProblem, RouteSolver, SolvedRoute } from '../ports.js';
import { embeddedSolver } from '../route/embedded-solver.js';
import { isRoute, pickupOfStop } from '../route/problem.js';
import type { AskWithFallback } from './fallback.js';
import { below, postJson, toList, toNumber, toRecord, UnusableAnswerError } from './json-client.js';

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

/** Routes by a VROOM server. */
export function createVroom(url: string, ask: AskWithFallback): RouteSolver {
  const solve = async (problem: RouteProblem): Promise<SolvedRoute> => {
    const answer = await postJson(below(url, '/'), toVroom(problem));
    return { order: toOrder(answer, problem), solver: 'vroom' };
  };
  return {
    solve: (problem) =>
      ask(
        () => solve(problem),
        () => embeddedSolver.solve(problem),
      ),
  };
}
