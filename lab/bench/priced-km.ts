/**
 * Compares priced kilometres with true ones: npx tsx lab/bench/priced-km.ts [--orders 40] [--removals 400]
 *
 * First, orders to addresses that the tables do not know, in seven capitals: the kilometres that are priced over those
 * of the best way past the addresses' own points, and the length of the way in the planned order of stops over that
 * best one. True means the great circle times the road factor: no road network is at hand. Second, random orders above
 * the exact size from which a package is taken: by how much the route grows longer.
 */
import { parseArgs } from 'node:util';
import type { Place, Precision } from '../../src/base/place.js';
import { greatCircleTable } from '../../src/routing/embedded-distances.js';
import { embeddedSolver, seededRandom } from '../../src/routing/route/embedded-solver.js';
import { EXACT_LIMIT } from '../../src/routing/route/exact.js';
import { routeMetres } from '../../src/routing/route/problem.js';
import { judge, mention, quantile, spread } from '../../test/support/figures.js';
import { type Placed, placeHeldOut } from './geocode/held-out.js';

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '40' }, removals: { type: 'string', default: '400' } },
});

/** IBGE codes of São Paulo, Rio de Janeiro, Salvador, Fortaleza, Belo Horizonte, Curitiba and Recife. */
const capitals = '3550308 3304557 2927408 2304400 3106200 4106902 2611606'.split(' ');
/** A way shorter than this, in metres, is left out: its ratio says nothing. */
const LEAST_WAY = 300;

interface Routed {
  order: number[];
  metres: number;
}

async function route(places: readonly Place[], pickupOf: readonly number[]): Promise<Routed> {
  const { metres } = greatCircleTable(places);
  const problem = { pickups: places.length - pickupOf.length, pickupOf, metres };
  const { order } = await embeddedSolver.solve(problem);
  return { order, metres: routeMetres(problem, order) };
}

function pick<T>(list: readonly T[], random: () => number): T {
  const picked = list[Math.floor(random() * list.length)];
  if (picked === undefined) throw new RangeError('nothing to pick from');
  return picked;
}

const exactly = (place: Place, { latitude, longitude }: { latitude: number; longitude: number }): Place => ({
  ...place,
  latitude,
  longitude,
  precision: 'rooftop',
});

/** Priced over true, and planned order over best, of an order from the first of the addresses to the others. */
async function compare(stops: readonly { point: Placed['point']; place: Place }[]) {
  const pickupOf = stops.slice(1).map(() => 0);
  const truth = stops.map(({ place, point }) => exactly(place, point));
  const best = await route(truth, pickupOf);
  const planned = await route(
    stops.map(({ place }) => place),
    pickupOf,
  );
  const driven = routeMetres({ pickups: 1, pickupOf, metres: greatCircleTable(truth).metres }, planned.order);
  return { best: best.metres, priced: planned.metres / best.metres, order: driven / best.metres };
}

/** There is a goal for addresses with neighbourhood and CEP; what stays at the city's seat has no order to be found. */
async function scoreCapitals(split: 'street' | 'neighbourhood'): Promise<void> {
  const located = placeHeldOut(split).flatMap(({ point, place }) => (place ? [{ point, place }] : []));
  const full = located.filter(({ point }) => point.neighbourhood !== '' && point.cep !== '');
  for (const [which, placed] of [['with neighbourhood and CEP', full] as const, ['all', located] as const]) {
    for (const deliveries of [1, 5, 20]) {
      const ratios = await ratiosOf(placed, deliveries);
      const name = `left out by ${split}, ${which}, ${deliveries} deliveries`;
      const [priced, order] = [ratios.map((ratio) => ratio.priced), ratios.map((ratio) => ratio.order)];
      mention(
        `${name}: priced over true km, 10th, 50th, 90th percentile`,
        spread([0.1, 0.5, 0.9].map((p) => quantile(priced, p))),
      );
      const best = spread([quantile(order, 0.5)]);
      if (placed === full) judge(`${name}: stop order over best, median`, best, 1.35, 'below');
      else mention(`${name}: stop order over best, median`, best);
    }
  }
}

async function ratiosOf(placed: readonly { point: Placed['point']; place: Place }[], deliveries: number) {
  const ratios: { priced: number; order: number }[] = [];
  for (const capital of capitals) {
    const inside = placed.filter(({ point }) => point.ibge === capital);
    const random = seededRandom(Number(capital));
    for (let order = 0; order < Number(values.orders); order++) {
      const stops = new Set<(typeof inside)[number]>();
      while (stops.size < Math.min(deliveries + 1, inside.length)) stops.add(pick(inside, random));
      const { best, ...ratio } = await compare([...stops]);
      if (best >= LEAST_WAY) ratios.push(ratio);
    }
  }
  return ratios;
}

const everyPrecision: readonly Precision[] = ['rooftop', 'street', 'postal_code', 'district', 'city'];

/** Stops at random points, or in random cells, in a square of some 5 to 300 km. */
function randomStops(random: () => number): { places: Place[]; pickupOf: number[] } {
  const pickups = 1 + Math.floor(random() * 4);
  const packages = EXACT_LIMIT + 2 - pickups + Math.floor(random() * (100 - EXACT_LIMIT));
  const degrees = pick([0.05, 0.15, 0.5, 3], random);
  const somewhere = (precision: Precision): Place => {
    const [latitude, longitude] = [-23.5 - random() * degrees, -46.6 - random() * degrees];
    return { latitude, longitude, precision, city: 'São Paulo', state: 'SP' };
  };
  const cells = Array.from({ length: 3 + Math.floor(random() * 40) }, () => somewhere(pick(everyPrecision, random)));
  const isExact = random() < 0.5;
  const places = Array.from({ length: pickups + packages }, () =>
    isExact ? somewhere('rooftop') : pick(cells, random),
  );
  return { places, pickupOf: Array.from({ length: packages }, () => Math.floor(random() * pickups)) };
}

async function scoreRemovals(): Promise<void> {
  const random = seededRandom(7_919);
  const longer: number[] = [];
  for (let count = 0; count < Number(values.removals); count++) {
    const { places, pickupOf } = randomStops(random);
    const removed = Math.floor(random() * pickupOf.length);
    const stop = places.length - pickupOf.length + removed;
    const all = await route(places, pickupOf);
    const less = await route(
      places.filter((_, at) => at !== stop),
      pickupOf.filter((_, at) => at !== removed),
    );
    longer.push((less.metres / all.metres - 1) * 100);
  }
  const share = (percent: number): number => longer.filter((value) => value > percent).length / longer.length;
  mention('a package less makes a large route longer, share', spread([share(0)]));
  mention('longer by more than 1 %, share', spread([share(1)]));
  mention('longer by at most, %', spread([Math.max(0, ...longer)]));
}

await scoreCapitals('street');
await scoreCapitals('neighbourhood');
await scoreRemovals();
