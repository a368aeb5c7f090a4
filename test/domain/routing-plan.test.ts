import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Precision } from '../../src/base/place.js';
import { planRoute, type RoutePlan } from '../../src/routing/planning.js';
import { planning, stopAt } from './routing-support.js';

const orderedAt = new Date('2026-03-10T12:00:00.000Z');
/** Half an hour after the order. */
const departure = new Date('2026-03-10T12:30:00.000Z');

async function stop(address: string) {
  const located = await planning.geocoder.locate(address);
  if (!located.ok) throw new Error(located.message);
  return { address, place: located.place };
}

const visited = (plan: RoutePlan) => [...plan.pickups, ...plan.deliveries].sort((a, b) => a.index - b.index);

describe('the route of an order', () => {
  test('has for each pickup and delivery its place in the route, the leg to it and the arrival', async () => {
    const plan = await planRoute(
      planning,
      {
        pickups: [await stop('Rua A, 1, Lapa, São Paulo - SP'), await stop('Rua B, 1, Sé, São Paulo - SP')],
        deliveries: [
          { pickupIndex: 0, ...(await stop('Rua C, 1, Moema, São Paulo - SP')) },
          { pickupIndex: 1, ...(await stop('Rua D, 1, Santos - SP')) },
        ],
      },
      orderedAt,
    );
    expect(plan.pickups.map(({ index }) => index)).toEqual([0, 1]);
    expect(plan.deliveries.map(({ index }) => index)).toEqual([2, 3]);
    expect(plan.pickups[0]).toEqual({ index: 0, eta: departure, legDistance: 0 });
    expect(plan.totalMetres).toBe(visited(plan).reduce((sum, { legDistance }) => sum + legDistance, 0));
    expect(plan).toMatchObject({ distanceSource: 'great_circle', solver: 'embedded' });
  });

  test('adds the time spent at each stop to the driving time', async () => {
    const home = stopAt(-23.5, -46.6);
    const stops = {
      pickups: [home],
      deliveries: [
        { pickupIndex: 0, ...home },
        { pickupIndex: 0, ...home },
      ],
    };
    const plan = await planRoute(planning, stops, orderedAt);
    const minutes = visited(plan).map(({ eta }) => (eta.getTime() - departure.getTime()) / 60_000);
    expect(minutes).toEqual([0, 5, 9]);
  });

  test('is refused for a package of a missing pickup', async () => {
    const home = stopAt(-23.5, -46.6);
    const stops = { pickups: [home], deliveries: [{ pickupIndex: 1, ...home }] };
    await expect(planRoute(planning, stops, orderedAt)).rejects.toThrow(RangeError);
  });

  test('is complete and in sequence, and later at each stop, for any order', async () => {
    const somewhere = fc
      .record({
        latitude: fc.double({ min: -24, max: -23, noNaN: true }),
        longitude: fc.double({ min: -47, max: -46, noNaN: true }),
        precision: fc.constantFrom<Precision>('rooftop', 'street', 'postal_code', 'district', 'city'),
      })
      .map(({ latitude, longitude, precision }) => stopAt(latitude, longitude, precision));
    const orders = fc.array(somewhere, { minLength: 1, maxLength: 4 }).chain((pickups) =>
      fc.record({
        pickups: fc.constant(pickups),
        deliveries: fc.array(
          fc.tuple(fc.nat(pickups.length - 1), somewhere).map(([pickupIndex, stop]) => ({ pickupIndex, ...stop })),
          { maxLength: 12 },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(orders, async (stops) => {
        const plan = await planRoute(planning, stops, orderedAt);
        const route = visited(plan);
        expect(route.map(({ index }) => index)).toEqual(route.map((_, index) => index));
        expect(route.every(({ legDistance }) => Number.isInteger(legDistance) && legDistance >= 0)).toBe(true);
        route.slice(1).forEach(({ eta }, i) => {
          expect(eta.getTime()).toBeGreaterThan(route[i]?.eta.getTime() ?? Number.NaN);
        });
        stops.deliveries.forEach(({ pickupIndex }, i) => {
          expect(plan.deliveries[i]?.index).toBeGreaterThan(plan.pickups[pickupIndex]?.index ?? Number.NaN);
        });
      }),
      { numRuns: 50 },
    );
  });
});
