import type { Place, Precision } from '../../src/base/place.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { embeddedDistances } from '../../src/routing/embedded-distances.js';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { createNominatim } from '../../src/routing/remote/nominatim.js';
import { createOsrm } from '../../src/routing/remote/osrm.js';
import { createVroom } from '../../src/routing/remote/vroom.js';
import { embeddedSolver, seededRandom } from '../../src/routing/route/embedded-solver.js';
import { routeMetres } from '../../src/routing/route/problem.js';
import { isLeftOut, metresApart, type Point, towns } from './extract.js';

/** One line of the table: what was tried and what came back. */
export type Row = readonly [engine: string, tried: string, cameBack: string];

/** A fallback that remembers what it would log. */
function recording(service: string) {
  const lines: object[] = [];
  return { lines, fallback: withFallback({ service, log: { warn: (fields) => void lines.push(fields) } }) };
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;

/** Points of a town that have all parts, evenly over the list. */
function sample(points: readonly Point[], town: string, leftOut: boolean, count: number): Point[] {
  const whole = points
    .filter(({ municipality }) => municipality === town)
    .filter(
      (point, index) =>
        isLeftOut(index) === leftOut && point.number !== '' && point.neighbourhood !== '' && point.cep !== '',
    );
  return Array.from(
    { length: Math.min(count, whole.length) },
    (_, at) => whole[Math.floor((at * whole.length) / count)],
  ).flatMap((point) => point ?? []);
}

const cityOf = ({ municipality, state }: Point): string => `${municipality} - ${state}`;
const abbreviated = (street: string): string =>
  street
    .replace(/^Rua /, 'R. ')
    .replace(/^Avenida /, 'Av. ')
    .replace('Doutor', 'Dr.')
    .replace('Professor', 'Prof.');

/** Ways to write the address of a point. */
const writings: Record<string, (point: Point) => string> = {
  'street, number - neighbourhood, city - UF, CEP': (point) =>
    `${point.street}, ${point.number} - ${point.neighbourhood}, ${cityOf(point)}, ${point.cep}`,
  'with "nº" and "ap 12"': (point) => `${abbreviated(point.street)}, nº ${point.number}, ap 12, ${cityOf(point)}`,
  'with an unknown neighbourhood': (point) => `${point.street}, ${point.number}, Vila Inventada, ${cityOf(point)}`,
  'with a number that no house has': (point) => `${point.street}, 98765 - ${point.neighbourhood}, ${cityOf(point)}`,
  'with a street that does not exist': (point) =>
    `Rua Que Não Existe, 9 - ${point.neighbourhood}, ${cityOf(point)}, ${point.cep}`,
};

const POINTS_PER_TOWN = 40;

/** Precisions and errors of points that the map has, and of those that were left out of it. */
export async function tryGeocoding(url: string, points: readonly Point[]): Promise<Row[]> {
  const rows: Row[] = [];
  const { lines, fallback } = recording('geocoder');
  const { locate } = createNominatim(url, fallback);
  for (const leftOut of [false, true]) {
    const asked = towns.flatMap(({ name }) => sample(points, name, leftOut, POINTS_PER_TOWN));
    for (const [writing, write] of Object.entries(writings)) {
      const located = await inTurn(asked, async (point) => ({ point, place: placeIn(await locate(write(point))) }));
      const embedded = asked.map((point) => ({ point, place: placeIn(locateEmbedded(write(point))) }));
      const asText = await inTurn(asked, async (point) => foundAsText(url, write(point)));
      const what = `${asked.length} houses ${leftOut ? 'left out of' : 'on'} the map, ${writing}`;
      const alone = `${asText.filter(Boolean).length} of them found as one text`;
      rows.push(['Nominatim', what, `${summary(located)}; ${alone}; embedded: ${summary(embedded)}`]);
    }
  }
  return [...rows, ['Nominatim', 'lines in the log', JSON.stringify(lines)]];
}

async function inTurn<T, R>(values: readonly T[], task: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await task(value));
  return results;
}

const placeIn = (located: Awaited<ReturnType<ReturnType<typeof createNominatim>['locate']>>): Place | undefined =>
  located.ok ? located.place : undefined;

/** Whether a search for the address as it is written finds anything. */
async function foundAsText(url: string, address: string): Promise<boolean> {
  const response = await fetch(
    `${url}/search?${new URLSearchParams({ q: address, format: 'jsonv2', countrycodes: 'br' })}`,
  );
  const answer: unknown = await response.json();
  return Array.isArray(answer) && answer.length > 0;
}

function summary(located: readonly { point: Point; place: Place | undefined }[]): string {
  const errors = new Map<Precision | 'refused', number[]>();
  for (const { point, place } of located) {
    const precision = place?.precision ?? 'refused';
    errors.set(precision, [...(errors.get(precision) ?? []), place ? metresApart(place, point) : 0]);
  }
  return [...errors]
    .map(([precision, metres]) => {
      const sorted = metres.sort((a, b) => a - b);
      const error = `${percentile(sorted, 0.5).toFixed(0)} / ${percentile(sorted, 0.95).toFixed(0)} m`;
      return `${precision} ${metres.length} (${error})`;
    })
    .join(', ');
}

const toPlace = ({ latitude, longitude, municipality, state }: Point): Place => ({
  latitude,
  longitude,
  precision: 'rooftop',
  city: municipality,
  state,
});

const manaus: Place = { latitude: -3.119, longitude: -60.0217, precision: 'rooftop', city: 'Manaus', state: 'AM' };

/** Legs inside a town, out of the map, and between towns that no road joins. */
export async function tryDistances(url: string, points: readonly Point[]): Promise<Row[]> {
  const within = (town: string, count: number) => sample(points, town, false, count).map(toPlace);
  const [saoPaulo = [], caetite = []] = [within('São Paulo', 110), within('Caetité', 1)];
  const tried: [string, Place[]][] = [
    ['20 houses in São Paulo', saoPaulo.slice(0, 20)],
    ['110 houses in São Paulo', saoPaulo],
    ['São Paulo → Manaus, which the map has not', [...saoPaulo.slice(0, 1), manaus]],
    ['São Paulo → Caetité, which the map joins by no road', [...saoPaulo.slice(0, 1), ...caetite]],
  ];
  return inTurn(tried, async ([what, places]): Promise<Row> => {
    const { lines, fallback } = recording('OSRM');
    const started = performance.now();
    const table = await createOsrm(url, fallback).table(places);
    const ms = performance.now() - started;
    const embedded = await embeddedDistances.table(places);
    const first = `first leg ${((table.metres[0]?.[1] ?? 0) / 1_000).toFixed(1)} km`;
    const computed = `computed ${((embedded.metres[0]?.[1] ?? 0) / 1_000).toFixed(1)} km`;
    const raw = places.length === 2 ? `; OSRM alone: ${await rawLeg(url, places)}` : '';
    return [
      'OSRM',
      what,
      `${table.source}, ${first} (${computed})${raw}; ${ms.toFixed(0)} ms; log ${JSON.stringify(lines)}`,
    ];
  });
}

async function rawLeg(url: string, places: readonly Place[]): Promise<string> {
  const coordinates = places.map(({ longitude, latitude }) => `${longitude},${latitude}`).join(';');
  const response = await fetch(`${url}/table/v1/driving/${coordinates}?annotations=distance`);
  const answer = JSON.parse(await response.text());
  return `${answer.distances?.[0]?.[1]} m, places moved by ${answer.sources?.map((source: { distance: number }) => Math.round(source.distance)).join(' and ')} m`;
}

const sizes = [12, 20, 40, 60, 61, 110];
const PROBLEMS = 10;

/** How often VROOM's route is the shorter one, and what it costs. */
export async function tryRoutes(url: string): Promise<Row[]> {
  return inTurn(sizes, async (stops): Promise<Row> => {
    const { lines, fallback } = recording('VROOM');
    const solver = createVroom(url, fallback);
    const results = await inTurn(
      Array.from({ length: PROBLEMS }, (_, seed) => seed + 1),
      async (seed) => {
        const problem = randomProblem(stops, seed);
        const started = performance.now();
        const { order, solver: by } = await solver.solve(problem);
        const ms = performance.now() - started;
        const embedded = await embeddedSolver.solve(problem);
        return { by, ms, share: routeMetres(problem, order) / routeMetres(problem, embedded.order) };
      },
    );
    const better = results.filter(({ by }) => by === 'vroom');
    const times = results.map(({ ms }) => ms).sort((a, b) => a - b);
    const least = Math.min(...results.map(({ share }) => share));
    const gain = better.length === 0 ? '' : ` (by ${((1 - least) * 100).toFixed(2)} % at most)`;
    const took = `${percentile(times, 0.5).toFixed(0)} ms in the median, ${percentile(times, 1).toFixed(0)} at most`;
    return [
      'VROOM',
      `${PROBLEMS} routes of ${stops} stops`,
      `shorter than the embedded one in ${better.length}${gain}; ${took}; log ${JSON.stringify(lines)}`,
    ];
  });
}

/** Stops at random in 30 km × 30 km, up to ten of them pickups. */
function randomProblem(stops: number, seed: number) {
  const random = seededRandom(seed * 7_919);
  const at = Array.from({ length: stops }, () => [random() * 30_000, random() * 30_000] as const);
  const pickups = Math.min(10, Math.ceil(stops / 10));
  return {
    pickups,
    pickupOf: Array.from({ length: stops - pickups }, () => Math.floor(random() * pickups)),
    metres: at.map(([x, y]) => at.map(([toX, toY]) => Math.hypot(x - toX, y - toY) * 1.3)),
  };
}
