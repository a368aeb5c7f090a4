/** Builds what is known inside each municipality: its neighbourhoods, streets, CEPs, and points of them. */
import { listIn } from '../../src/base/values.js';
import { nameKey } from '../../src/routing/address/words.js';
import { STEPS } from '../../src/routing/places/city-table.js';
import type { Estimate } from '../../src/routing/places/clusters.js';
import { clusterOf, expectedMetres, metresBetween, weightedMean } from '../../src/routing/places/clusters.js';
import {
  type Municipality,
  municipalityNamed,
  municipalityOfCode,
  type Point,
} from '../../src/routing/places/municipalities.js';
import { hashOf } from '../../src/routing/places/name-hash.js';
import { firstIndex, municipalitiesOfPostalCode } from '../../src/routing/places/postal-codes.js';
import { packedColumn, packedNames } from './columns.js';
import { Draft, type KnownPoint, type Neighbourhood, type StreetPart } from './draft.js';
import type { AddressedPoint, NeighbourhoodRow, RegisterPoint, StreetRow } from './sources.js';

export interface CitySources {
  points: readonly AddressedPoint[];
  neighbourhoods: readonly NeighbourhoodRow[];
  streets: readonly StreetRow[];
  registers: readonly RegisterPoint[];
}

/** Usual metres from the middle of such points to an address; `town` is a CEP of a whole town. */
const usual = { postalCode: 300, town: 1_500, neighbourhood: 300, cell: 560, city: 4_000 };
/** A CEP of one street has its points in that street, or in two that OpenStreetMap names apart. */
const STREETS_OF_TOWN = 3;
/** Where a neighbourhood has so many CEPs that begin alike, they are given to streets. */
const CODES_OF_STREETS = 4;
/** A neighbourhood is doubted where others' points that have CEPs near its own lie far from its points. */
const doubtFrom = { metres: 4_000, postalCodes: 5_000 };

export function cityTable(sources: CitySources): Buffer {
  const drafts = draftsOf(sources);
  for (const draft of drafts) doubtNamesakes(draft);
  const kinds = [''];
  const kindOf = (kind: string): number => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.push(kind) - 1);
  const neighbourhoods = drafts.flatMap((draft) => neighbourhoodRowsOf(draft));
  const indexOf = new Map(neighbourhoods.map(({ neighbourhood }, index) => [neighbourhood, index]));
  const placed = <T extends { key: string; kind: string; neighbourhood: Neighbourhood }>(each: T) => ({
    ...each,
    key: hashOf(each.key),
    kind: kindOf(each.kind),
    neighbourhood: indexOf.get(each.neighbourhood) ?? 0,
  });
  const parts = drafts.flatMap(({ parts }) => parts.map(placed));
  parts.sort((a, b) => a.key - b.key || a.neighbourhood - b.neighbourhood || a.postalCode - b.postalCode);
  const points = drafts.flatMap(({ points }) =>
    points.filter(({ key }) => key !== '').map((point) => ({ ...placed(point), ...toSteps(point) })),
  );
  points.sort((a, b) => a.key - b.key || a.neighbourhood - b.neighbourhood || a.number - b.number);
  const postalCodes = drafts.flatMap(postalCodeRows).sort((a, b) => a.digits - b.digits);
  return Buffer.concat([
    packedNames(kinds),
    packedNames(neighbourhoods.map(({ neighbourhood }) => neighbourhood.name)),
    ...columnsOf(drafts.map(townRow), 'code', 'metres'),
    ...columnsOf(neighbourhoods, 'code', 'key', 'latitude', 'longitude', 'metres', 'isTown'),
    ...columnsOf(parts, 'key', 'neighbourhood', 'kind', 'postalCode'),
    ...columnsOf(points, 'key', 'neighbourhood', 'kind', 'number', 'latitude', 'longitude'),
    ...columnsOf(postalCodes, 'digits', 'code', 'latitude', 'longitude', 'metres', 'isTown'),
  ]);
}

/** Metres that a neighbourhood may be off, as its points are those of a namesake; 0 where its CEPs do not say so. */
function doubtOf(neighbourhood: Neighbourhood, parts: readonly StreetPart[], coded: readonly KnownPoint[]): number {
  const own = clusterOf(neighbourhood.points);
  const metres = parts.flatMap(({ postalCode }) => {
    const next = firstIndex(coded.length, (at) => (coded[at]?.postalCode ?? 0) >= postalCode);
    const near = coded
      .slice(Math.max(0, next - 5), next + 5)
      .filter((point) => Math.abs(point.postalCode - postalCode) < doubtFrom.postalCodes)
      .filter((point) => point.neighbourhood !== neighbourhood)
      .map((point) => metresBetween(own, point));
    return near.length === 0 ? [] : Math.min(...near);
  });
  const far = metres.filter((each) => each > doubtFrom.metres);
  return far.length === 0 ? 0 : far.reduce((sum, each) => sum + each, 0) / metres.length;
}

function doubtNamesakes({ neighbourhoods, parts, points }: Draft): void {
  const coded = points.filter(({ postalCode }) => postalCode > 0).sort((a, b) => a.postalCode - b.postalCode);
  const partsOf = grouped(parts, ({ neighbourhood }) => neighbourhood);
  for (const each of neighbourhoods.values())
    if (each.points.length > 0) each.doubt = doubtOf(each, partsOf.get(each) ?? [], coded);
}

function columnsOf<K extends string>(rows: readonly Record<K, number>[], ...names: readonly K[]): Buffer[] {
  return names.map((name) => packedColumn(rows.map((row) => row[name])));
}

const toSteps = ({ latitude, longitude }: Point): Point => ({
  latitude: Math.round(latitude * STEPS),
  longitude: Math.round(longitude * STEPS),
});

/** In the order of the IBGE codes. */
function draftsOf({ points, neighbourhoods, streets, registers }: CitySources): Draft[] {
  const drafts = new Map<number, Draft>();
  const add = (municipality: Municipality | undefined, to: (draft: Draft) => void): void => {
    if (municipality === undefined) return;
    const draft = drafts.get(municipality.code) ?? new Draft(municipality);
    drafts.set(municipality.code, draft);
    to(draft);
  };
  for (const row of neighbourhoods) add(ownerOf(row), (draft) => draft.addCell(row));
  const owners = new Map<string, Municipality | undefined>();
  for (const row of streets) {
    const city = `${row.city}/${row.uf}`;
    if (!owners.has(city))
      owners.set(city, ownerOf({ ibge: '', municipality: row.city, uf: row.uf, cep5: row.ceps.slice(0, 5) }));
    add(owners.get(city), (draft) => draft.addStreet(row));
  }
  for (const point of points) add(municipalityOfCode(Number(point.ibge)), (draft) => draft.addPoint(point));
  for (const point of registers) add(municipalityOfCode(Number(point.ibge)), (draft) => draft.addRegistered(point));
  const sorted = [...drafts.values()].sort((a, b) => a.municipality.code - b.municipality.code);
  for (const draft of sorted) draft.finish();
  return sorted;
}

/** A row of a place that is no municipality counts for the one that its CEPs are of. */
function ownerOf({
  ibge,
  municipality,
  uf,
  cep5,
}: Omit<NeighbourhoodRow, 'neighbourhood' | 'ceps'>): Municipality | undefined {
  if (ibge !== '') return municipalityOfCode(Number(ibge));
  return municipalityNamed(nameKey(municipality), uf) ?? municipalitiesOfPostalCode(`${cep5}000`)[0];
}

/** The more the points lie about, the less the seat says. */
function townRow({ municipality: { code, seat }, points }: Draft) {
  const metres = points.reduce((sum, point) => sum + metresBetween(seat, point), 0);
  return { code, metres: Math.round((3 * usual.city + 1.4 * metres) / (3 + points.length)) };
}

const estimateOf = (points: readonly Point[], usualMetres: number): Estimate => {
  const cluster = clusterOf(points);
  return { at: cluster, metres: expectedMetres(cluster, usualMetres) };
};

const rowOf = ({ at, metres }: Estimate) => ({ ...toSteps(at), metres: Math.round(metres) });

/** By its own points, else by those that share the first digits of its CEPs. */
function neighbourhoodRowsOf({ municipality: { code, seat, districts }, neighbourhoods, points }: Draft) {
  const districtNamed = (name: string): Estimate | undefined => {
    const at = districts.get(nameKey(name));
    return at && { at, metres: usual.cell };
  };
  const cells = grouped(
    points.filter(({ postalCode }) => postalCode > 0),
    ({ postalCode }) => Math.floor(postalCode / 1_000),
  );
  const cellCount = new Set([
    ...cells.keys(),
    ...[...neighbourhoods.values()].flatMap((each) => [...each.cells.keys()]),
  ]).size;
  const rows = [...neighbourhoods.values()].map((neighbourhood) => {
    const own = neighbourhood.points.length > 0;
    const estimate = own
      ? withDoubt(estimateOf(neighbourhood.points, usual.neighbourhood), neighbourhood)
      : (districtNamed(neighbourhood.name) ?? byCells(neighbourhood, cells));
    return {
      neighbourhood,
      code,
      key: hashOf(neighbourhood.key),
      ...rowOf(estimate ?? { at: seat, metres: 0 }),
      // The one cell of a town is the town.
      isTown: Number(!own && cellCount === 1),
    };
  });
  return rows.sort((a, b) => a.key - b.key);
}

const withDoubt = ({ at, metres }: Estimate, { doubt }: Neighbourhood): Estimate => ({ at, metres: metres + doubt });

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

function grouped<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    listIn(groups, keyOf(value), value);
  }
  return groups;
}
