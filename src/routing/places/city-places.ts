import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { onlyOne } from '../../base/values.js';
import { oneLetterOff, withCommonWord } from '../address/one-letter.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import {
  bareCity,
  type City,
  type CityLine,
  findStreet,
  listIn,
  type Neighbourhood,
  type Street,
  toCity,
} from './city.js';
import { type Municipality, municipalityOfCode } from './municipalities.js';
import { streetKey } from './street-key.js';

const file = new URL('../data/odbl/cities.jsonl.gz', import.meta.url);

/** Names and points of municipalities that are kept. All would be twice as many, and some 50 MB. */
const KEPT = 70_000;

interface Names {
  /** By loose keys. */
  neighbourhoods: Map<string, Municipality[]>;
  /** By kinds and keys. */
  streets: Map<string, Municipality[]>;
}

export class CityTable {
  private readonly lines = new Map<number, [from: number, to: number]>();
  private readonly cities = new LRUCache<number, City>({
    maxSize: KEPT,
    sizeCalculation: ({ points, neighbourhoods, streets }) => 1 + points.length + neighbourhoods.size + streets.size,
  });
  private names: Names | undefined;

  constructor(private readonly bytes: Buffer) {
    const start = '{"code":'.length;
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf('\n', from);
      const to = end < 0 ? bytes.length : end;
      this.lines.set(Number(bytes.toString('latin1', from + start, from + start + 7)), [from, to]);
      from = to + 1;
    }
  }

  cityOf({ code, seat }: Municipality): City {
    const known = this.cities.get(code);
    if (known) return known;
    const line = this.lineOf(code);
    const city = line ? toCity(line, seat) : bareCity(seat);
    this.cities.set(code, city);
    return city;
  }

  ownersOf(key: string, kind: keyof Names = 'neighbourhoods'): readonly Municipality[] {
    this.names ??= this.readNames();
    return this.names[kind].get(key) ?? [];
  }

  private lineOf(code: number): CityLine | undefined {
    const line = this.lines.get(code);
    return line && JSON.parse(this.bytes.toString('utf8', ...line));
  }

  private readNames(): Names {
    const names: Names = { neighbourhoods: new Map(), streets: new Map() };
    for (const [code, [from]] of this.lines) {
      const municipality = municipalityOfCode(code);
      if (municipality === undefined) continue;
      // The points, half of the line, are its last part.
      const known = `${this.bytes.toString('utf8', from, this.bytes.indexOf(',"points":', from))}}`;
      const { neighbourhoods, streets }: Omit<CityLine, 'points'> = JSON.parse(known);
      for (const [key] of neighbourhoods) listIn(names.neighbourhoods, key, municipality);
      for (const street of streets) listIn(names.streets, fullStreetKey(street), municipality);
    }
    return names;
  }
}

const fullStreetKey = ([kind, key]: readonly [string, string]): string => `${kind} ${key}`;

let embedded: CityTable | undefined;

/** The table that comes with the program, read when it is first needed. */
export function embeddedCities(): CityTable {
  embedded ??= new CityTable(gunzipSync(readFileSync(file)));
  return embedded;
}

/** Reads the names now, so that the first address, and every other request, does not wait some 200 ms. */
export function readPlaces(): void {
  embeddedCities().ownersOf('');
}

/** The neighbourhood of the municipality; `key` is its words in lower case, which may be abbreviated. */
export const neighbourhoodOf = (municipality: Municipality, key: string): Neighbourhood | undefined =>
  embeddedCities()
    .cityOf(municipality)
    .neighbourhoods.get(looseKey(key.split(' ')));

export const municipalitiesWithNeighbourhood = (key: string): readonly Municipality[] =>
  embeddedCities().ownersOf(looseKey(key.split(' ')));

/** The street of the municipality (`r dr joao`); where its kind is left out or another, the only one of its name. */
export const streetOf = (municipality: Municipality, key: string): Street | undefined =>
  findStreet(embeddedCities().cityOf(municipality), key.split(' '));

export function municipalitiesWithStreet(key: string): readonly Municipality[] {
  const { kind, name } = streetKey(key.split(' '));
  return embeddedCities().ownersOf(fullStreetKey([kind, name]), 'streets');
}

/** The words of the only neighbourhood of the municipality that is one letter off. */
export function neighbourhoodOneLetterOff(municipality: Municipality, words: readonly string[]) {
  const { neighbourhoods } = embeddedCities().cityOf(municipality);
  const keys = [...oneLetterOff(looseKey(words)), ...withCommonWord(words).map(looseKey)];
  const name = onlyOne([...new Set(keys)].flatMap((key) => neighbourhoods.get(key)?.name ?? []));
  return name === undefined ? undefined : nameKey(name).split(' ');
}

/** The words of the only street of the municipality that is one letter off. */
export function streetOneLetterOff(
  municipality: Municipality,
  words: readonly string[],
): readonly string[] | undefined {
  const { streets } = embeddedCities().cityOf(municipality);
  const { kind, name } = streetKey(words);
  const spelled = oneLetterOff(name).filter((other) => streets.has(other));
  const common = withCommonWord(words).filter((other) => streets.has(streetKey(other).name));
  const known = [...spelled.map((other) => `${kind} ${other}`.trim().split(' ')), ...common];
  return onlyOne([...new Map(known.map((other) => [streetKey(other).name, other])).values()]);
}
