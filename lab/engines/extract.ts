/**
 * Writes a small OpenStreetMap extract of a few Brazilian towns, as OSM XML: boundaries, neighbourhoods, streets drawn through
 * real addressed points, and the points themselves, but for every fifth, which stay out so that a search can miss.
 */
import { type AddressedPoint, addressedPoints } from '../../scripts/places/sources.js';
import { type Box, type LatLon, MapWriter, type Tags } from './osm-xml.js';

export interface Point extends AddressedPoint {
  municipality: string;
  /** UF. */
  state: string;
}

/** A town of the extract, with the value of `place` that its boundary has in OpenStreetMap; a server names it by that. */
interface Town {
  ibge: string;
  name: string;
  state: string;
  place: 'city' | 'town' | 'village' | 'municipality';
}

/** Two states and every way in which a server names a municipality. */
export const towns: readonly Town[] = [
  { ibge: '3550308', name: 'São Paulo', state: 'SP', place: 'city' },
  { ibge: '3526407', name: 'Laranjal Paulista', state: 'SP', place: 'town' },
  { ibge: '2905206', name: 'Caetité', state: 'BA', place: 'village' },
  { ibge: '2919504', name: 'Livramento de Nossa Senhora', state: 'BA', place: 'municipality' },
];

/** Name and box (south, west, north, east) of each state; roughly, and without overlap. */
const stateBoxes: Record<string, { name: string; box: Box }> = {
  SP: { name: 'São Paulo', box: [-25.3, -53.1, -19.8, -44.2] },
  BA: { name: 'Bahia', box: [-18.3, -46.6, -8.5, -37.3] },
};
const brazil: Box = [-33.7, -74, 5.3, -34.8];

type Node = LatLon & { id: number };

/** A street is cut where two neighbouring points lie further apart. */
const LONGEST_GAP_METRES = 1_500;
const METRES_PER_DEGREE = 111_320;
/** The town that no road joins to the others, and its grid. */
const GRID_TOWN = 'Caetité';
const GRID_SIZE = 24;
const GRID_DEGREES = 0.001;
/** Nodes between two points of a street, so that a town has enough of them not to count as a stray island. */
const MOST_METRES_BETWEEN_NODES = 150;

/** The addressed points of the towns. */
export function townPoints(): Point[] {
  return addressedPoints().flatMap((point) => {
    const town = towns.find(({ ibge }) => ibge === point.ibge);
    return town && point.street !== '' ? [{ ...point, municipality: town.name, state: town.state }] : [];
  });
}

/** True for the points that the extract leaves out. */
export function isLeftOut(index: number): boolean {
  return index % 5 === 4;
}

export function metresApart(a: LatLon, b: LatLon): number {
  const east = (a.longitude - b.longitude) * Math.cos((a.latitude * Math.PI) / 180);
  return Math.hypot(a.latitude - b.latitude, east) * METRES_PER_DEGREE;
}

/** The whole extract as OSM XML. */
export function writeExtract(points: readonly Point[]): string {
  const map = new MapWriter();
  map.boundary(brazil, { name: 'Brasil', admin_level: '2', 'ISO3166-1': 'BR', 'ISO3166-1:alpha2': 'BR' });
  for (const [uf, { name, box }] of Object.entries(stateBoxes))
    map.boundary(box, { name, admin_level: '4', 'ISO3166-2': `BR-${uf}` });
  for (const town of towns)
    addTown(
      map,
      town,
      points.filter((point) => point.municipality === town.name && point.state === town.state),
    );
  return map.toXml();
}

function addTown(map: MapWriter, { name, state, place }: Town, points: readonly Point[]): void {
  const box = boxAround(points);
  map.boundary(box, { name, admin_level: '8', place, 'IBGE:GEOCODIGO': '0' });
  map.boundary(grown(box, 0.2), { name: `Região Imediata de ${name}`, admin_level: '7' });
  for (const [neighbourhood, inside] of groupBy(points, (point) => point.neighbourhood))
    map.node(middle(inside), { place: 'suburb', name: neighbourhood });
  const kept = points.filter((_, index) => !isLeftOut(index));
  for (const point of kept) if (point.number !== '') map.node(point, addressTags(point, state));
  addStreets(map, kept, name === GRID_TOWN ? addGrid(map, middle(kept)) : []);
}

function addressTags({ street, number, neighbourhood, cep, municipality }: Point, state: string): Tags {
  return {
    'addr:street': street,
    'addr:housenumber': number,
    'addr:city': municipality,
    'addr:state': state,
    ...(neighbourhood !== '' && { 'addr:suburb': neighbourhood }),
    ...(cep !== '' && { 'addr:postcode': `${cep.slice(0, 5)}-${cep.slice(5)}` }),
  };
}

/** A grid of unnamed streets, so many that OSRM takes the town for a road network of its own. */
function addGrid(map: MapWriter, around: LatLon): Node[] {
  const rows = Array.from({ length: GRID_SIZE }, (_, row) =>
    Array.from({ length: GRID_SIZE }, (__, column) => {
      const north = (row - GRID_SIZE / 2) * GRID_DEGREES;
      const at = {
        latitude: around.latitude + north,
        longitude: around.longitude + (column - GRID_SIZE / 2) * GRID_DEGREES,
      };
      return { ...at, id: map.node(at) };
    }),
  );
  const columns = rows.map((_, column) => rows.flatMap((row) => row[column] ?? []));
  for (const line of [...rows, ...columns])
    map.way(
      line.map(({ id }) => id),
      { highway: 'residential' },
    );
  return rows.flat();
}

/** Each street as ways through its points, and an unnamed way from each to the nearest that was there before. */
function addStreets(map: MapWriter, points: readonly Point[], drawn: Node[]): void {
  for (const [name, onStreet] of groupBy(points, ({ street }) => street)) {
    for (const piece of piecesOf(onStreet)) {
      const nodes = densified(piece).map((at) => ({ ...at, id: map.node(at) }));
      map.way(
        nodes.map(({ id }) => id),
        { highway: 'residential', name },
      );
      const [first] = nodes;
      const nearest = first && nearestTo(first, drawn);
      if (first && nearest) map.way([first.id, nearest.id], { highway: 'unclassified' });
      drawn.push(...nodes);
    }
  }
}

/** The points of one street along its longer direction, cut at wide gaps; a lone point gets a short way. */
function piecesOf(points: readonly Point[]): LatLon[][] {
  const [south, west, north, east] = boxAround(points);
  const axis = north - south > east - west ? 'latitude' : 'longitude';
  const pieces: LatLon[][] = [];
  for (const point of [...points].sort((a, b) => a[axis] - b[axis])) {
    const piece = pieces.at(-1);
    const last = piece?.at(-1);
    if (piece && last && metresApart(last, point) < LONGEST_GAP_METRES) piece.push(point);
    else pieces.push([point]);
  }
  for (const piece of pieces) {
    const [only, second] = piece;
    if (only && !second) piece.push({ latitude: only.latitude, longitude: only.longitude + 0.001 });
  }
  return pieces;
}

function densified(line: readonly LatLon[]): LatLon[] {
  return line.flatMap((to, at) => {
    const from = line[at - 1];
    if (!from) return [to];
    const parts = Math.ceil(metresApart(from, to) / MOST_METRES_BETWEEN_NODES) || 1;
    return Array.from({ length: parts }, (_, part) => between(from, to, (part + 1) / parts));
  });
}

function between(from: LatLon, to: LatLon, share: number): LatLon {
  return {
    latitude: from.latitude + (to.latitude - from.latitude) * share,
    longitude: from.longitude + (to.longitude - from.longitude) * share,
  };
}

function nearestTo<T extends LatLon>(point: LatLon, others: readonly T[]): T | undefined {
  let nearest: T | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const other of others) {
    const metres = metresApart(point, other);
    if (metres >= least) continue;
    least = metres;
    nearest = other;
  }
  return nearest;
}

function middle(points: readonly LatLon[]): LatLon {
  const mean = (axis: keyof LatLon) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  return { latitude: mean('latitude'), longitude: mean('longitude') };
}

function boxAround(points: readonly LatLon[]): Box {
  const [latitudes, longitudes] = [points.map(({ latitude }) => latitude), points.map(({ longitude }) => longitude)];
  const box = [
    Math.min(...latitudes),
    Math.min(...longitudes),
    Math.max(...latitudes),
    Math.max(...longitudes),
  ] as const;
  return grown(box, 0.02);
}

function grown([south, west, north, east]: Box, by: number): Box {
  return [south - by, west - by, north + by, east + by];
}

/** By key, without those that have none. */
function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    if (key !== '') groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}
