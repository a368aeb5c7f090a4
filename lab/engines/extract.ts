/**
 * Writes a small map of two Brazilian towns as OSM XML: streets drawn through real addressed points. No road joins the
 * towns.
 */
import { addressedPoints } from '../../scripts/places/sources.js';
import type { Place } from '../../src/base/place.js';

const towns = [
  { ibge: '3550308', city: 'São Paulo', state: 'SP' },
  { ibge: '2905206', city: 'Caetité', state: 'BA' },
] as const;

type LatLon = Pick<Place, 'latitude' | 'longitude'>;
type Node = LatLon & { id: number };
/** A street is cut where two neighbouring points lie further apart, and has a node at least each so many degrees. */
const LONGEST_GAP = 0.015;
const NODE_GAP = 0.0015;
/** OSRM takes a town of fewer streets than a grid of this size for a stray island. */
const GRID_SIZE = 24;
const GRID_DEGREES = 0.001;

/** Addressed houses of the towns, by the town's name. */
export function housesOf(town: string): (Place & { street: string })[] {
  const { ibge, city, state } = towns.find(({ city: name }) => name === town) ?? towns[0];
  return addressedPoints()
    .filter((point) => point.ibge === ibge && point.street !== '')
    .map(({ latitude, longitude, street }) => ({ latitude, longitude, street, precision: 'rooftop', city, state }));
}

/** The map as OSM XML. */
export function writeExtract(): string {
  const nodes: string[] = [];
  const ways: string[] = [];
  const node = (at: LatLon): Node => {
    const id = nodes.length + 1;
    nodes.push(`<node id="${id}" version="1" lat="${at.latitude.toFixed(7)}" lon="${at.longitude.toFixed(7)}"/>`);
    return { ...at, id };
  };
  const way = (along: readonly Node[], highway: string): void => {
    const refs = along.map(({ id }) => `<nd ref="${id}"/>`).join('');
    ways.push(`<way id="${ways.length + 1}" version="1">${refs}<tag k="highway" v="${highway}"/></way>`);
  };
  for (const { city } of towns) {
    const houses = housesOf(city);
    const drawn = houses[0] ? grid(houses[0], node, way) : [];
    for (const piece of streetsOf(houses).flatMap(piecesOf)) {
      const along = densified(piece).map(node);
      way(along, 'residential');
      // A way to what was there before, so that the town is one network.
      const [first] = along;
      const nearest = first && nearestTo(first, drawn);
      if (first && nearest) way([first, nearest], 'unclassified');
      drawn.push(...along);
    }
  }
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<osm version="0.6">', ...nodes, ...ways, '</osm>', ''].join('\n');
}

function grid(around: LatLon, node: (at: LatLon) => Node, way: (along: readonly Node[], kind: string) => void): Node[] {
  const offset = (at: number) => (at - GRID_SIZE / 2) * GRID_DEGREES;
  const steps = Array.from({ length: GRID_SIZE }, (_, at) => offset(at));
  const rows = steps.map((north) =>
    steps.map((east) => node({ latitude: around.latitude + north, longitude: around.longitude + east })),
  );
  const columns = steps.map((_, at) => rows.flatMap((row) => row[at] ?? []));
  for (const line of [...rows, ...columns]) way(line, 'residential');
  return rows.flat();
}

function streetsOf(houses: readonly (LatLon & { street: string })[]): LatLon[][] {
  const streets = new Map<string, LatLon[]>();
  for (const house of houses) streets.set(house.street, [...(streets.get(house.street) ?? []), house]);
  return [...streets.values()];
}

/** The points of one street along its longer direction, cut at wide gaps; a lone point gets a short way. */
function piecesOf(points: readonly LatLon[]): LatLon[][] {
  const spread = (axis: keyof LatLon) =>
    Math.max(...points.map((point) => point[axis])) - Math.min(...points.map((point) => point[axis]));
  const axis = spread('latitude') > spread('longitude') ? 'latitude' : 'longitude';
  const pieces: LatLon[][] = [];
  for (const point of points.toSorted((a, b) => a[axis] - b[axis])) {
    const last = pieces.at(-1)?.at(-1);
    if (last && apart(last, point) < LONGEST_GAP) pieces.at(-1)?.push(point);
    else pieces.push([point]);
  }
  return pieces.map(([first, ...others]) =>
    first && others.length === 0
      ? [first, { ...first, longitude: first.longitude + 0.001 }]
      : [...(first ? [first] : []), ...others],
  );
}

const apart = (a: LatLon, b: LatLon): number => Math.hypot(a.latitude - b.latitude, a.longitude - b.longitude);

function densified(line: readonly LatLon[]): LatLon[] {
  return line.flatMap((to, at) => {
    const from = line[at - 1];
    if (!from) return [to];
    const parts = Math.ceil(apart(from, to) / NODE_GAP) || 1;
    const between = (axis: keyof LatLon, share: number) => from[axis] + (to[axis] - from[axis]) * share;
    return Array.from({ length: parts }, (_, part) => {
      const share = (part + 1) / parts;
      return { latitude: between('latitude', share), longitude: between('longitude', share) };
    });
  });
}

function nearestTo(point: LatLon, others: readonly Node[]): Node | undefined {
  let nearest: Node | undefined;
  for (const other of others) if (!nearest || apart(point, other) < apart(point, nearest)) nearest = other;
  return nearest;
}
