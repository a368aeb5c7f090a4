import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Precision } from '../../src/base/place.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { planRoute, type RoutePlan } from '../../src/routing/planning.js';
import { EXACT_LIMIT } from '../../src/routing/route/exact.js';
import type { RouteStops } from '../../src/routing/visits.js';
import { placeAt, planning, stopAt } from './routing-support.js';

const plan = (stops: RouteStops): Promise<RoutePlan> =>
  planRoute(planning, stops, new Date('2026-03-10T12:00:00.000Z'));
const metresOf = async (stops: RouteStops): Promise<number> => (await plan(stops)).totalMetres;

/** Random orders whose stops share few cells. Some addresses come twice. */
function orders(pickups: number, deliveries: number, precisions: readonly Precision[]): fc.Arbitrary<RouteStops> {
  const stop = fc
    .tuple(fc.nat(5), fc.nat(5), fc.constantFrom(...precisions), fc.nat(9))
    .map(([south, west, precision, number]) => {
      const { address, place } = stopAt(-23.5 - south / 40, -46.6 - west / 40, precision);
      return { address: precision === 'rooftop' ? address : `${address}, ${number}`, place };
    });
  const delivery = fc.tuple(fc.nat(pickups - 1), stop).map(([pickupIndex, each]) => ({ pickupIndex, ...each }));
  return fc.record({
    pickups: fc.array(stop, { minLength: pickups, maxLength: pickups }),
    deliveries: fc.array(delivery, { minLength: 1, maxLength: deliveries }),
  });
}

const everyPrecision: readonly Precision[] = ['rooftop', 'street', 'postal_code', 'district', 'city'];

describe('stops at one address', () => {
  test.each([
    ['Rua da Praça, 10, Santos - SP', 'RUA DA PRAÇA 10, SANTOS/SP'],
    ['Rua da Praça, 10, Santos - SP', 'Rua da Praca, 10 - Santos - SP'],
    ['Rua da Praça, 10, Santos - SP', '  rua  da praça; 10; santos, sp.'],
    ['Av. Paulista, 1578 - Bela Vista, São Paulo - SP', 'avenida paulista nº 1.578 ap 12, Sao Paulo/SP, Brasil'],
  ])('are 0 m apart in any spelling: %s, %s', async (...addresses) => {
    const place = placeAt(-23.5, -46.6, 'city');
    const both = addresses.map((address) => ({ pickupIndex: 0, address, place }));
    const { deliveries } = await plan({ pickups: [stopAt(-23.4, -46.6)], deliveries: both });
    expect(deliveries.map(({ legDistance }) => legDistance).sort((a, b) => a - b)[0]).toBe(0);
  });

  test('cost one leg for a hundred packages, and each further address costs one more', async () => {
    const [home, center] = [stopAt(-23.5, -46.6, 'city'), { ...stopAt(-23.5, -46.7, 'city'), pickupIndex: 0 }];
    const hundred = Array.from({ length: 100 }, () => center);
    const one = await metresOf({ pickups: [home], deliveries: [center] });
    expect(await metresOf({ pickups: [home], deliveries: hundred })).toBe(one);
    const other = { ...center, address: 'Rua B, 2' };
    expect(await metresOf({ pickups: [home], deliveries: [...hundred, other] })).toBeGreaterThan(one);
  });

  test('are served together from one pickup, and each pickup address is visited once', async () => {
    const [home, center] = [stopAt(-23.5, -46.6), stopAt(-23.5, -46.7)];
    const { pickups, deliveries, totalMetres } = await plan({
      pickups: [home, home],
      deliveries: [0, 1, 0].map((pickupIndex) => ({ ...center, pickupIndex })),
    });
    expect(pickups.map(({ index }) => index).sort()).toEqual([0, 1]);
    expect(deliveries.filter(({ legDistance }) => legDistance > 0)).toHaveLength(1);
    expect(totalMetres).toBe(await metresOf({ pickups: [home], deliveries: [{ ...center, pickupIndex: 0 }] }));
  });
});

describe('if street or number were not read, the complement', () => {
  const stop = (address: string, complement?: string) => {
    const located = locateEmbedded(address);
    if (!located.ok) throw new Error(located.message);
    return { address, complement, place: located.place };
  };
  const legOf = (...[from, to]: [from: ReturnType<typeof stop>, to: ReturnType<typeof stop>]): Promise<number> =>
    metresOf({ pickups: [from], deliveries: [{ ...to, pickupIndex: 0 }] });

  test.each(['São Paulo - SP', 'Altamira - PA', 'Rua Augusta, s/n, São Paulo - SP', 'Centro, Santos - SP'])(
    'tells two places apart: %s',
    async (address) => {
      expect(await legOf(stop(address, 'Rua A, 1'), stop(address, 'Rua B, 2'))).toBeGreaterThan(0);
      expect(await legOf(stop(address, 'Rua A, 1'), stop(address, 'rua a - 1'))).toBe(0);
      expect(await legOf(stop(address, 'Rua A, 1'), stop(address))).toBeGreaterThan(0);
    },
  );

  test('does not count beside a street and number', async () => {
    const address = 'Av. Paulista, 1578, São Paulo - SP';
    expect(await legOf(stop(address, 'ap 12'), stop(address, 'ap 30'))).toBe(0);
  });

  test.each(['São Paulo - SP', 'Altamira - PA', 'Brasília - DF'])(
    'puts stops with only a known municipality as far apart as two of its addresses: %s',
    async (city) => {
      const unknown = await legOf(stop(`Rua Xyzw, 10, ${city}`), stop(`Rua Wzyx, 20, ${city}`));
      expect(await legOf(stop(city, 'Rua Xyzw, 10'), stop(city, 'Rua Wzyx, 20'))).toBe(unknown);
      const vague = stop(city, 'casa azul');
      const sure = { ...vague, place: { ...vague.place, accuracyMetres: 800 } };
      expect(await legOf(sure, stop(city, 'Rua Wzyx, 20'))).toBeGreaterThanOrEqual(unknown);
    },
  );
});

describe('the order of the lists', () => {
  test.each([
    ['a small order', 3, 8, 60],
    ['a large order', 4, 40, 8],
  ])('changes neither the metres of %s nor the time of each visit', async (_, pickups, deliveries, numRuns) => {
    const shuffled = orders(pickups, deliveries, everyPrecision).chain((stops) => {
      const whole = { minLength: stops.deliveries.length, maxLength: stops.deliveries.length };
      return fc.record({ stops: fc.constant(stops), mixed: fc.shuffledSubarray([...stops.deliveries], whole) });
    });
    await fc.assert(
      fc.asyncProperty(shuffled, async ({ stops, mixed }) => {
        const last = stops.pickups.length - 1;
        const turned: RouteStops = {
          pickups: [...stops.pickups].reverse(),
          deliveries: mixed.map((delivery) => ({ ...delivery, pickupIndex: last - delivery.pickupIndex })),
        };
        const [one, other] = [await plan(stops), await plan(turned)];
        expect(other.totalMetres).toBe(one.totalMetres);
        expect(visited(turned, other)).toEqual(visited(stops, one));
      }),
      { numRuns },
    );
  });

  /** The addresses in the order of the route, with their times of arrival. */
  function visited(stops: RouteStops, { pickups, deliveries }: RoutePlan) {
    return [
      ...stops.pickups.map(({ address }, at) => ({ address, ...pickups[at] })),
      ...stops.deliveries.map(({ address }, at) => ({ address, ...deliveries[at] })),
    ].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  }
});

describe('removing one package', () => {
  test.each<[string, number, readonly Precision[], number]>([
    ['of exact addresses from several pickups, by nothing', 3, ['rooftop'], 1],
    // A few in thousands get longer, because stops share the cell of a coarse address: at most 0.2 % in 40 000 runs.
    ['of coarse addresses from one pickup, by 1 % at most', 1, everyPrecision, 1.01],
  ])('makes a route of exactly solved size longer: %s', async (_, pickups, precisions, most) => {
    await fc.assert(
      fc.asyncProperty(orders(pickups, EXACT_LIMIT - pickups, precisions), fc.nat(), async (stops, choice) => {
        const removed = choice % stops.deliveries.length;
        const deliveries = stops.deliveries.filter((__, at) => at !== removed);
        expect(await metresOf({ ...stops, deliveries })).toBeLessThanOrEqual(most * (await metresOf(stops)));
      }),
      { numRuns: 1_000 },
    );
  });
});
