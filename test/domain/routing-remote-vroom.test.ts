import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPlanning, planRoute } from '../../src/routing/planning.js';
import {
  answering,
  type Behaviour,
  type RemoteService,
  recordingLog,
  startRemote,
  troubles,
} from './routing-remote-support.js';
import { placeAt } from './routing-support.js';

let vroom: RemoteService;
beforeAll(async () => {
  vroom = await startRemote();
});
afterAll(() => vroom.close());

function freshPlanning() {
  const { log, lines } = recordingLog();
  return { planning: createPlanning({ vroomUrl: vroom.url, log }), lines };
}

/** Pickups 0 to 2, of which 2 gives out nothing, and deliveries 3 to 5. */
const smallProblem = {
  pickups: 3,
  pickupOf: [0, 1, 1],
  metres: Array.from({ length: 6 }, (_, from) => Array.from({ length: 6 }, (__, to) => Math.abs(from - to) * 60.4)),
};
const steps = (...list: [type: string, id: number][]) => ({
  code: 0,
  routes: [{ steps: [{ type: 'start' }, ...list.map(([type, id]) => ({ type, id }))] }],
});
const routeAnswer = steps(
  ['pickup', 4],
  ['pickup', 5],
  ['delivery', 4],
  ['job', 2],
  ['pickup', 3],
  ['delivery', 3],
  ['delivery', 5],
);

describe('with a VROOM server', () => {
  test('the route is its own; a pickup of several packages is one stop', async () => {
    vroom.behave(answering(routeAnswer));
    const { planning, lines } = freshPlanning();
    expect(await planning.solver.solve(smallProblem)).toEqual({ order: [1, 4, 2, 0, 3, 5], solver: 'vroom' });
    expect(lines).toEqual([]);
  });

  test('it receives each package as a shipment, an idle pickup as a job, and a start that costs nothing', async () => {
    let request: unknown;
    const listening: Behaviour = (incoming, response, body) => {
      request = JSON.parse(body);
      answering(routeAnswer)(incoming, response, body);
    };
    vroom.behave(listening);
    await freshPlanning().planning.solver.solve(smallProblem);
    expect(request).toMatchObject({
      vehicles: [{ start_index: 6 }],
      jobs: [{ id: 2, location_index: 2 }],
      shipments: [
        { pickup: { id: 3, location_index: 0 }, delivery: { id: 3, location_index: 3 } },
        { pickup: { id: 4, location_index: 1 }, delivery: { id: 4, location_index: 4 } },
        { pickup: { id: 5, location_index: 1 }, delivery: { id: 5, location_index: 5 } },
      ],
      matrices: {
        car: {
          durations: expect.arrayContaining([
            [0, 60, 121, 181, 242, 302, 0],
            [0, 0, 0, 0, 0, 0, 0],
          ]),
        },
      },
    });
  });

  test('the plan says who solved it', async () => {
    vroom.behave(answering(steps(['pickup', 1], ['delivery', 1])));
    const stops = { pickups: [placeAt(-23, -46)], deliveries: [{ pickupIndex: 0, place: placeAt(-23, -46.1) }] };
    expect(await planRoute(freshPlanning().planning, stops, new Date())).toMatchObject({ solver: 'vroom' });
  });
});

describe('when the server', () => {
  const unusable: Record<string, Behaviour> = {
    ...troubles,
    'leaves stops out': answering(steps(['pickup', 3], ['delivery', 3])),
    'delivers before it collects': answering(
      steps(['delivery', 3], ['pickup', 3], ['pickup', 4], ['delivery', 4], ['pickup', 5], ['delivery', 5], ['job', 2]),
    ),
    'names a stop that is not there': answering(steps(['pickup', 99], ['delivery', 99])),
    'gives no route': answering({ code: 0, routes: [] }),
  };

  test.each(Object.keys(unusable))('%s, the embedded solver answers and one line is logged', async (trouble) => {
    vroom.behave(unusable[trouble] ?? answering({}));
    const { planning, lines } = freshPlanning();
    expect(await planning.solver.solve(smallProblem)).toMatchObject({ solver: 'embedded' });
    expect(lines).toEqual([{ fields: expect.objectContaining({ service: 'VROOM' }), message: expect.any(String) }]);
  });
});
