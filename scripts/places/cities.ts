/** Builds the tables of each municipality: its neighbourhoods, streets, CEPs, and points of them. */
import { listIn } from '../../src/base/values.js';
import { STEPS } from '../../src/routing/places/city-rows.js';
import type { Estimate } from '../../src/routing/places/clusters.js';
import { clusterOf, expectedMetres, metresBetween, sampleOf, weightedMean } from '../../src/routing/places/clusters.js';
import type { Point } from '../../src/routing/places/municipalities.js';
import { hashOf } from '../../src/routing/places/name-hash.js';
import { checkOf } from '../../src/routing/places/named-rows.js';
import { packedColumn, packedNames } from './columns.js';
import {
  type CitySources,
  type Draft,
  draftsOf,
  grouped,
  type KnownPoint,
  type Neighbourhood,
  type StreetPart,
} from './draft.js';
import { doubtNamesakes } from './namesakes.js';
import { BRASILIA, interpolatedQuadras } from './quadras.js';
import { asRegion, insideRegions } from './regions.js';
import { usualSpellings } from './vocabulary.js';

/** Usual metres from the middle of such points to an address; `town` is a CEP of a whole town. */
const usual = { postalCode: 300, town: 1_500, neighbourhood: 300, cell: 560, city: 4_000 };
/** A neighbourhood of n streets spreads so many metres for each √n: seen where it has many points. */
const METRES_OF_STREETS = 50;
/** A CEP of one street has its points in that street, or in two that OpenStreetMap names apart. */
const STREETS_OF_TOWN = 3;
/** With this many CEPs of the same first digits in a neighbourhood, the CEPs belong to streets. */
const CODES_OF_STREETS = 4;
export function cityTable(sources: CitySources): Buffer {
  const drafts = draftsOf(sources);
  for (const draft of drafts) doubtNamesakes(draft);
  const kinds = [''];
  const kindOf = (kind: string): number => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.push(kind) - 1);
  const rowsByTown = drafts.map(neighbourhoodRowsOf);
  const towns = drafts.map((draft, at) => townRow(draft, rowsByTown[at] ?? []));
  const neighbourhoods = rowsByTown.flat();
  const indexOf = new Map(neighbourhoods.map(({ neighbourhood }, index) => [neighbourhood, index]));
  const placed = <T extends { key: string; kind: string; neighbourhood: Neighbourhood }>(each: T) => ({
    ...each,
    key: hashOf(each.key),
    kind: kindOf(each.kind) + checkOf(each.key),
    neighbourhood: indexOf.get(each.neighbourhood) ?? 0,
  });
  const parts = drafts.flatMap(({ parts }) => parts.map(placed));
  parts.sort((a, b) => a.key - b.key || a.neighbourhood - b.neighbourhood || a.postalCode - b.postalCode);
  const quadras = drafts.filter(({ municipality }) => municipality.code === BRASILIA).flatMap(interpolatedQuadras);
  const points = [...drafts.map(({ points }) => points), quadras].flatMap((points) =>
    points.filter(({ key }) => key !== '').map((point) => ({ ...placed(point), ...toSteps(point) })),
  );
  points.sort((a, b) => a.key - b.key || a.neighbourhood - b.neighbourhood || a.number - b.number);
  const postalCodes = drafts.flatMap(postalCodeRows).sort((a, b) => a.digits - b.digits);
  return Buffer.concat([
    packedNames(kinds),
    packedNames(neighbourhoods.map(({ neighbourhood }) => neighbourhood.name)),
    packedNames(usualSpellings(sources.streets)),
    ...columnsOf(towns, 'code', 'latitude', 'longitude', 'metres'),
    ...columnsOf(neighbourhoods, 'code', 'key', 'latitude', 'longitude', 'metres', 'isTown'),
    ...columnsOf(parts, 'key', 'neighbourhood', 'kind', 'postalCode'),
    ...columnsOf(points, 'key', 'neighbourhood', 'kind', 'number', 'latitude', 'longitude'),
    ...columnsOf(postalCodes, 'digits', 'code', 'latitude', 'longitude', 'metres', 'isTown'),
  ]);
}

function columnsOf<K extends string>(rows: readonly Record<K, number>[], ...names: readonly K[]): Buffer[] {
  return names.map((name) => packedColumn(rows.map((row) => row[name])));
}

const toSteps = ({ latitude, longitude }: Point): Point => ({
  latitude: Math.round(latitude * STEPS),
  longitude: Math.round(longitude * STEPS),
});

/** Points of a register, or streets, that a town's middle is made of; with fewer, its points and its seat are. */
const MIN_REGISTERED = 1_000;
const MIN_STREETS = 30;
/** Points that the seat counts as. */
const SEAT = 3;
/** Places of the town. The distance of each pair is one possible distance of two addresses. */
const MAX_PAIRED = 400;
/** Two addresses lie this many times further apart than two placed streets (measured by 14 registers). */
const APART = 1.1;

type TownRow = ReturnType<typeof rowOf> & { code: number };

/** The middle of a town's addresses, and the usual metres between two of them. */
function townRow({ municipality: { code, seat }, parts, points, registered }: Draft, rows: NeighbourhoodRows): TownRow {
  const known = (list: readonly Estimate[], metres: number) => ({ code, ...rowOf({ at: middleOf(list), metres }) });
  const exact = registered.map((at) => ({ at, metres: 0 }));
  if (exact.length >= MIN_REGISTERED) return known(exact, apartIn(exact));
  const estimates = new Map<Neighbourhood, Estimate>();
  for (const { neighbourhood, estimate } of rows) if (estimate) estimates.set(neighbourhood, estimate);
  // Each street lies where its neighbourhood does.
  const streets = parts.flatMap(({ neighbourhood }) => estimates.get(neighbourhood) ?? []);
  if (streets.length >= MIN_STREETS) return known(streets, APART * apartIn(streets));
  const few = [...points, ...Array.from({ length: SEAT }, () => seat)].map((at) => ({
    at,
    metres: usual.neighbourhood,
  }));
  return known(few, (SEAT * usual.city + points.length * apartIn(few)) / (SEAT + points.length));
}

const middleOf = (estimates: readonly Estimate[]): Point => clusterOf(estimates.map(({ at }) => at));

/** The median metres between two addresses of the places. */
function apartIn(places: readonly Estimate[]): number {
  const sample = sampleOf(places, MAX_PAIRED);
  const inside = ({ metres }: Estimate): number => Math.min(metres, usual.cell);
  const apart = sample.flatMap((a, at) =>
    sample.slice(0, at).map((b) => Math.hypot(metresBetween(a.at, b.at), inside(a), inside(b))),
  );
  return apart.sort((a, b) => a - b)[apart.length >> 1] ?? usual.city;
}

const estimateOf = (points: readonly Point[], usualMetres: number): Estimate => {
  const cluster = clusterOf(points);
  return { at: cluster, metres: expectedMetres(cluster, usualMetres) };
};

const rowOf = ({ at, metres }: Estimate) => ({ ...toSteps(at), metres: Math.round(metres) });

type NeighbourhoodRows = ReturnType<typeof neighbourhoodRowsOf>;

/** By its own points, else by those that share the first digits of its CEPs. */
function neighbourhoodRowsOf({ municipality: { code, seat }, neighbourhoods, parts, points }: Draft) {
  const partsOf = grouped(parts, ({ neighbourhood }) => neighbourhood);
  const cells = grouped(
    points.filter(({ postalCode }) => postalCode > 0),
    ({ postalCode }) => Math.floor(postalCode / 1_000),
  );
  const cellCount = new Set([
    ...cells.keys(),
    ...[...neighbourhoods.values()].flatMap((each) => [...each.cells.keys()]),
  ]).size;
  const found = [...neighbourhoods.values()].map((neighbourhood) => {
    const streets = partsOf.get(neighbourhood)?.length ?? 0;
    const own = ownEstimate(neighbourhood, streets);
    return { neighbourhood, streets, own, estimate: own ?? byCells(neighbourhood, cells) };
  });
  const inside = insideRegions(found);
  const rows = found.map(({ neighbourhood, own, estimate: alone, streets }) => {
    const estimate = alone && asRegion({ estimate: alone, streets }, inside.get(neighbourhood.key) ?? []);
    return {
      neighbourhood,
      estimate,
      code,
      key: hashOf(neighbourhood.key),
      ...rowOf(estimate ?? { at: seat, metres: 0 }),
      // A town with one cell is that cell.
      isTown: Number(!own && cellCount === 1),
    };
  });
  return rows.sort((a, b) => a.key - b.key);
}

/** By its points, or by that of GeoNames where it is surer. */
function ownEstimate({ points, doubt, district }: Neighbourhood, streets: number): Estimate | undefined {
  const spread = Math.max(usual.neighbourhood, METRES_OF_STREETS * Math.sqrt(streets));
  const named = district && { at: district, metres: Math.max(usual.cell, spread) };
  if (points.length === 0) return named;
  const { at, metres } = estimateOf(points, spread);
  return named && named.metres < metres + doubt ? named : { at, metres: metres + doubt };
}

function byCells({ cells }: Neighbourhood, points: ReadonlyMap<number, KnownPoint[]>): Estimate | undefined {
  const known = [...cells].flatMap(([cell, count]) => {
    const inside = points.get(cell);
    return inside ? [{ ...estimateOf(inside, usual.cell), count }] : [];
  });
  const total = known.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const at = weightedMean(known.map((cell) => ({ at: cell.at, metres: 1 / Math.sqrt(cell.count) })));
  return {
    at,
    metres: known.reduce((sum, cell) => sum + cell.count * (cell.metres + metresBetween(cell.at, at)), 0) / total,
  };
}

function postalCodeRows(draft: Draft) {
  const {
    municipality: { code },
    neighbourhoods,
    points,
  } = draft;
  const codes = new Map<number, number>();
  for (const { cells } of neighbourhoods.values())
    for (const [cell, count] of cells) codes.set(cell, Math.max(count, codes.get(cell) ?? 0));
  const byCode = grouped(
    points.filter(({ postalCode }) => postalCode > 0),
    ({ postalCode }) => postalCode,
  );
  const rows = [...byCode].map(([digits, points]) => {
    const ofStreets = (codes.get(Math.floor(digits / 1_000)) ?? 0) >= CODES_OF_STREETS;
    const last = digits % 1_000;
    const isTown =
      new Set(points.map(({ kind, key }) => `${kind} ${key}`)).size >= STREETS_OF_TOWN ||
      last >= 900 ||
      (last === 0 && !ofStreets);
    return {
      digits,
      code,
      ...rowOf(estimateOf(points, isTown ? usual.town : usual.postalCode)),
      isTown: Number(isTown),
    };
  });
  const cells = new Set(rows.map(({ digits }) => Math.floor(digits / 1_000)));
  return [...rows, ...cellRows(draft, cells)];
}

/** Where no point has a CEP with such first digits, a neighbourhood's points stand for its CEPs. */
function cellRows({ municipality: { code }, parts }: Draft, known: ReadonlySet<number>) {
  const byNeighbourhood = new Map<Neighbourhood, StreetPart[]>();
  for (const part of parts)
    if (
      part.neighbourhood.points.length > 0 &&
      part.neighbourhood.doubt === 0 &&
      !known.has(Math.floor(part.postalCode / 1_000))
    )
      listIn(byNeighbourhood, part.neighbourhood, part);
  return [...byNeighbourhood].map(([{ points }, inside]) => {
    const digits = inside.map(({ postalCode }) => postalCode).sort((a, b) => a - b)[inside.length >> 1] ?? 0;
    const { at, metres } = estimateOf(points, usual.cell);
    return { digits, code, ...rowOf({ at, metres: metres + usual.town }), isTown: 0 };
  });
}
