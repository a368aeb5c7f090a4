import type { Point } from './municipalities.js';
import { streetKey } from './street-key.js';

/** A line of the table: what is known inside one municipality (scripts/places/cities.ts writes it). */
export interface CityLine {
  /** IBGE code. */
  code: number;
  /** Loose key, name, and the first five digits of its CEPs, each followed by how many of them there are. */
  neighbourhoods: [key: string, name: string, ...cells: number[]][];
  /** Kind and key of the name. */
  streets: [kind: string, key: string][];
  /**
   * Six numbers for each: index of its street, house number, index of its neighbourhood, CEP, and its latitude and
   * longitude in 0.0001° from the seat. The indices are -1, the others 0, where it is not known.
   */
  points: number[];
}

const NUMBERS_OF_POINT = 6;
/** One of a point's last two numbers, in degrees. */
export const STEP = 0.0001;

export interface AddressPoint extends Point {
  /** The house number; 0 where none is known. */
  number: number;
  neighbourhood: Neighbourhood | undefined;
  street: Street | undefined;
}

export interface Neighbourhood {
  name: string;
  points: Point[];
  /** The first five digits of its CEPs, and how many there are of each. */
  cells: [cell: number, count: number][];
}

export interface Street {
  /** `rua`, `avenida` and the like; empty where the source has none. */
  kind: string;
  points: AddressPoint[];
}

/** A CEP that has points. */
export interface PostalCode {
  digits: number;
  points: AddressPoint[];
}

/** What is known inside one municipality. */
export interface City {
  seat: Point;
  /** By loose key. */
  neighbourhoods: Map<string, Neighbourhood>;
  /** By key of the name; streets of several kinds may share it. */
  streets: Map<string, Street[]>;
  /** In the order of the CEPs. */
  postalCodes: PostalCode[];
  /** By the first five digits of their CEPs; `codes` is the most that one neighbourhood has of them. */
  cells: Map<number, { points: Point[]; codes: number }>;
  points: Point[];
}

/** The municipality of which nothing is known but its seat. */
export function bareCity(seat: Point): City {
  return { seat, neighbourhoods: new Map(), streets: new Map(), postalCodes: [], cells: new Map(), points: [] };
}

export function toCity(line: CityLine, seat: Point): City {
  const city = bareCity(seat);
  const neighbourhoods = line.neighbourhoods.map(([, name, ...cells]) => ({ name, points: [], cells: pairs(cells) }));
  line.neighbourhoods.forEach(([key], index) => {
    const neighbourhood = neighbourhoods[index];
    if (neighbourhood) city.neighbourhoods.set(key, neighbourhood);
  });
  const streets = line.streets.map(([kind]): Street => ({ kind, points: [] }));
  line.streets.forEach(([, key], index) => {
    const street = streets[index];
    if (street) listIn(city.streets, key, []).push(street);
  });
  for (const [cell, count] of neighbourhoods.flatMap(({ cells }) => cells)) {
    const listed = cellIn(city, cell);
    listed.codes = Math.max(listed.codes, count);
  }
  addPoints(city, line.points, streets, neighbourhoods);
  return city;
}

function addPoints(city: City, numbers: number[], streets: Street[], neighbourhoods: Neighbourhood[]): void {
  const byPostalCode = new Map<number, AddressPoint[]>();
  for (let at = 0; at < numbers.length; at += NUMBERS_OF_POINT) {
    const [street = -1, number = 0, area = -1, postalCode = 0, north = 0, east = 0] = numbers.slice(at, at + 6);
    const neighbourhood = neighbourhoods[area];
    const point: AddressPoint = {
      latitude: city.seat.latitude + north * STEP,
      longitude: city.seat.longitude + east * STEP,
      number,
      neighbourhood,
      street: streets[street],
    };
    city.points.push(point);
    point.street?.points.push(point);
    neighbourhood?.points.push(point);
    if (postalCode === 0) continue;
    cellIn(city, Math.floor(postalCode / 1_000)).points.push(point);
    listIn(byPostalCode, postalCode, []).push(point);
  }
  city.postalCodes = [...byPostalCode]
    .map(([digits, points]) => ({ digits, points }))
    .sort((a, b) => a.digits - b.digits);
}

function cellIn({ cells }: City, cell: number): { points: Point[]; codes: number } {
  return listIn(cells, cell, { points: [], codes: 0 });
}

/** What the map has for the key, or what is put there now. */
function listIn<K, V>(map: Map<K, V>, key: K, fresh: V): V {
  const listed = map.get(key) ?? fresh;
  map.set(key, listed);
  return listed;
}

function pairs(numbers: readonly number[]): [number, number][] {
  return Array.from({ length: numbers.length / 2 }, (_, i) => [numbers[2 * i] ?? 0, numbers[2 * i + 1] ?? 0]);
}

/** The street with these words; where its kind is left out, or is another, the only one of its name. */
export function findStreet({ streets }: City, words: readonly string[]): Street | undefined {
  const { kind, name } = streetKey(words);
  const named = streets.get(name) ?? [];
  return named.find((street) => street.kind === kind) ?? (named.length === 1 ? named[0] : undefined);
}
