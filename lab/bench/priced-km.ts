/**
 * Compares priced kilometres with kilometres by road, with the street lines of each city given as `3550308=<folder>`:
 * PYTHON=python3.12 npx tsx lab/bench/priced-km.ts [--orders 60] [--removals 400] [<IBGE code>=<folder> …]. The first
 * part uses each city with street lines (see lab/engines/streets.ts), and orders to addresses that the tables know in
 * part. It prints the priced kilometres divided by those of OSRM's shortest way between the register's points. The
 * second part uses random orders with more packages than the exact solver takes, removes a package, and prints by how
 * much the route grows longer.
 */
import { parseArgs } from 'node:util';
import type { Place, Precision } from '../../src/base/place.js';
import { greatCircleTable } from '../../src/routing/embedded-distances.js';
import { embeddedSolver, seededRandom } from '../../src/routing/route/embedded-solver.js';
import { EXACT_LIMIT } from '../../src/routing/route/exact.js';
import { routeMetres } from '../../src/routing/route/problem.js';
import { withOsrm } from '../engines/osrm.js';
import { osmOf } from '../engines/streets.js';
import { judge, mention, quantile, spread } from '../figures.js';
import { lefts, placeByRegisters } from './geocode/registers.js';

const { values, positionals } = parseArgs({
  options: { orders: { type: 'string', default: '60' }, removals: { type: 'string', default: '400' } },
  allowPositionals: true,
});

/** A shorter way, in metres, is left out because its ratio says nothing. */
const MIN_WAY = 300;
/** An address further from every street of the map, in metres, is left out. */
const MAX_MOVED = 500;

const everyPrecision: readonly Precision[] = ['rooftop', 'street', 'postal_code', 'district', 'city'];

type Position = Pick<Place, 'latitude' | 'longitude'>;
interface Stop {
  form: string;
  point: Position;
  place: Place;
}

const shortest = async (pickupOf: readonly number[], metres: number[][]): Promise<number> => {
  const problem = { pickups: metres.length - pickupOf.length, pickupOf, metres };
  return routeMetres(problem, (await embeddedSolver.solve(problem)).order);
};

const route = (places: readonly Place[], pickupOf: readonly number[]): Promise<number> =>
  shortest(pickupOf, greatCircleTable(places).metres);

function pick<T>(list: readonly T[], random: () => number): T {
  const picked = list[Math.floor(random() * list.length)];
  if (picked === undefined) throw new RangeError('nothing to pick from');
  return picked;
}

interface Table {
  distances: (number | null)[][];
  sources: { distance: number }[];
}

/** Metres by road between points. Undefined if the map lacks one of them. */
async function roadMetres(url: string, stops: readonly Stop[]): Promise<number[][] | undefined> {
  const coordinates = stops.map(({ point }) => `${point.longitude},${point.latitude}`).join(';');
  // OSRM ends a connection after 512 answers.
  const headers = { connection: 'close' };
  const answer = await fetch(`${url}/table/v1/driving/${coordinates}?annotations=distance`, { headers });
  const { distances, sources }: Table = JSON.parse(await answer.text());
  const isWhole = sources.every(({ distance }) => distance < MAX_MOVED);
  const rows = distances.map((row) => row.filter((metres) => metres !== null));
  return isWhole && rows.every((row) => row.length === stops.length) ? rows : undefined;
}

/** Priced kilometres divided by road kilometres, for orders from one of the stops to others. */
async function ratiosOf(url: string, placed: readonly Stop[], deliveries: number): Promise<number[]> {
  const random = seededRandom(7_919 + deliveries);
  const pickupOf = Array.from({ length: deliveries }, () => 0);
  const ratios: number[] = [];
  for (let order = 0; order < Number(values.orders); order++) {
    const stops = new Set<Stop>();
    while (stops.size <= deliveries) stops.add(pick(placed, random));
    const road = await roadMetres(url, [...stops]);
    const way = road && (await shortest(pickupOf, road));
    if (way === undefined || way < MIN_WAY) continue;
    const priced = await route(
      [...stops].map(({ place }) => place),
      pickupOf,
    );
    ratios.push(priced / way);
  }
  return ratios;
}

const forms = [...lefts.map((left) => `${left} left out`), 'city alone', 'city alone, city left out'];

/** Addresses of the register that the tables know in part, and as many that are placed by their city alone. */
const stopsOf = (code: string): Stop[] =>
  placeByRegisters([code]).flatMap(({ point, place, left, town }) => [
    ...(place ? [{ point, place, form: `${left} left out` }] : []),
    ...(left === 'street' ? [{ point, place: town, form: 'city alone' }] : []),
    ...(left === 'city' ? [{ point, place: town, form: 'city alone, city left out' }] : []),
  ]);

async function scoreRoads(url: string, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    const inside = stopsOf(code);
    for (const form of forms) {
      const some = inside.filter((stop) => stop.form === form);
      for (const deliveries of [1, 5, 20]) {
        const ratios = await ratiosOf(url, some, deliveries);
        const name = `${code}, ${form}, ${deliveries} deliveries: priced over road km`;
        const [least = 0, median = 0] = [0.1, 0.5].map((share) => quantile(ratios, share));
        judge(`${name}, 10th percentile`, spread([least]), 0.6, 'at least');
        judge(`${name}, median`, spread([median]), 0.85, 'at least');
        judge(`${name}, median`, spread([median]), 1.15, 'below');
      }
    }
  }
}

/** Stops at random points, or in random cells, of a square of 5 to 300 km. */
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
    longer.push((less / all - 1) * 100);
  }
  const share = (percent: number): number => longer.filter((value) => value > percent).length / longer.length;
  mention('a package less makes a large route longer, share', spread([share(0)]));
  mention('longer by more than 1 %, share', spread([share(1)]));
  mention('longer by at most, %', spread([Math.max(0, ...longer)]));
}

const cities = positionals.map((each) => each.split('='));
const folders = cities.map(([, folder = '']) => folder);
if (cities.length > 0)
  await withOsrm(osmOf(folders), (url) =>
    scoreRoads(
      url,
      cities.map(([code = '']) => code),
    ),
  );
await scoreRemovals();
