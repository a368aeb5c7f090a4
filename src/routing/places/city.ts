import { metresBetween } from './clusters.js';
import type { Point } from './municipalities.js';
import { streetKey } from './street-key.js';

/** A line of the table, with the places inside one municipality; scripts/places/cities.ts writes it. */
export interface CityLine {
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
  /** The first five digits of its CEPs, each followed by how many of them there are. */
  cells: number[];
}

export interface Street {
  /** `rua`, `avenida` and the like; empty where the source has none. */
  kind: string;
  points: AddressPoint[];
}

export interface PostalCode {
  digits: number;
  points: AddressPoint[];
}

interface Cell {
  points: Point[];
  /** The most of them that one neighbourhood has. */
  codes: number;
}

export type City = ReturnType<typeof bareCity>;

export const bareCity = (seat: Point) => ({
  seat,
  /** By loose key. */
  neighbourhoods: new Map<string, Neighbourhood>(),
  /** By key of the name; streets of several kinds may share it. */
  streets: new Map<string, Street[]>(),
  /** In the order of the CEPs. */
  postalCodes: [] as PostalCode[],
  /** By the first five digits of their CEPs. */
  cells: new Map<number, Cell>(),
  points: [] as Point[],
  /** The metres from the seat to every point, together. */
  metresFromSeat: 0,
});

export function toCity(line: CityLine, seat: Point): City {
  const city = bareCity(seat);
  const neighbourhoods = line.neighbourhoods.map(([key, name, ...cells]) => {
    const neighbourhood = { name, points: [], cells };
    city.neighbourhoods.set(key, neighbourhood);
    return neighbourhood;
  });
  const streets = line.streets.map(([kind, key]) => {
    const street: Street = { kind, points: [] };
    listIn(city.streets, key, street);
    return street;
  });
  addPoints(city, line.points, streets, neighbourhoods);
  addCells(city, neighbourhoods);
  return city;
}

function addPoints(city: City, numbers: number[], streets: Street[], neighbourhoods: Neighbourhood[]): void {
  const byPostalCode = new Map<number, AddressPoint[]>();
  for (let at = 0; at < numbers.length; at += NUMBERS_OF_POINT) {
    const point: AddressPoint = {
      street: streets[numbers[at] ?? -1],
      number: numbers[at + 1] ?? 0,
      neighbourhood: neighbourhoods[numbers[at + 2] ?? -1],
      latitude: city.seat.latitude + (numbers[at + 4] ?? 0) * STEP,
      longitude: city.seat.longitude + (numbers[at + 5] ?? 0) * STEP,
    };
    city.points.push(point);
    city.metresFromSeat += metresBetween(city.seat, point);
    point.street?.points.push(point);
    point.neighbourhood?.points.push(point);
    const postalCode = numbers[at + 3] ?? 0;
    if (postalCode !== 0) listIn(byPostalCode, postalCode, point);
  }
  for (const [digits, points] of byPostalCode) city.postalCodes.push({ digits, points });
  city.postalCodes.sort((a, b) => a.digits - b.digits);
}

function addCells({ cells, postalCodes }: City, neighbourhoods: readonly Neighbourhood[]): void {
  const cellOf = (digits: number): Cell => {
    const cell = cells.get(digits) ?? { points: [], codes: 0 };
    cells.set(digits, cell);
    return cell;
  };
  for (const neighbourhood of neighbourhoods)
    for (let at = 0; at < neighbourhood.cells.length; at += 2) {
      const cell = cellOf(neighbourhood.cells[at] ?? 0);
      cell.codes = Math.max(cell.codes, neighbourhood.cells[at + 1] ?? 0);
    }
  for (const { digits, points } of postalCodes) cellOf(Math.floor(digits / 1_000)).points.push(...points);
}

export function listIn<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** The street with these words; where its kind is left out or another, the only one of its name. */
export function findStreet({ streets }: City, words: readonly string[]): Street | undefined {
  const { kind, name } = streetKey(words);
  const named = streets.get(name) ?? [];
  return named.find((street) => street.kind === kind) ?? (named.length === 1 ? named[0] : undefined);
}
