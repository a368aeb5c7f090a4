import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { looseKey } from '../address/spelling.js';
import { bareCity, type City, type CityLine, findStreet, type Neighbourhood, type Street, toCity } from './city.js';
import { type Municipality, municipalityOfCode } from './municipalities.js';
import { streetKey } from './street-key.js';

const FILE = new URL('../data/odbl/cities.jsonl.gz', import.meta.url);

/** The places inside municipalities: lines of JSON, of which each is read when its municipality is first asked for. */
export class CityTable {
  private readonly lines = new Map<number, string>();
  private readonly cities = new Map<number, City>();
  private owners: Map<string, Municipality[]> | undefined;
  private streetNames: Set<string> | undefined;

  constructor(lines: readonly string[]) {
    const start = '{"code":'.length;
    for (const line of lines) this.lines.set(Number(line.slice(start, start + 7)), line);
  }

  cityOf({ code, seat }: Municipality): City {
    const known = this.cities.get(code);
    if (known) return known;
    const line = this.lines.get(code);
    const city = line === undefined ? bareCity(seat) : toCity(parse(line), seat);
    this.cities.set(code, city);
    return city;
  }

  /** Municipalities with a neighbourhood of that loose key. */
  ownersOf(key: string): readonly Municipality[] {
    this.owners ??= this.indexOwners();
    return this.owners.get(key) ?? [];
  }

  /** Whether a street of any municipality has that kind and name. */
  hasStreet(name: string): boolean {
    this.streetNames ??= new Set([...this.lines.values()].flatMap((line) => parse(line).streets.map(fullStreetKey)));
    return this.streetNames.has(name);
  }

  private indexOwners(): Map<string, Municipality[]> {
    const owners = new Map<string, Municipality[]>();
    for (const line of this.lines.values()) {
      const { code, neighbourhoods } = parse(line);
      const municipality = municipalityOfCode(code);
      if (municipality === undefined) continue;
      for (const [key] of neighbourhoods) {
        const listed = owners.get(key);
        if (listed) listed.push(municipality);
        else owners.set(key, [municipality]);
      }
    }
    return owners;
  }
}

function parse(line: string): CityLine {
  return JSON.parse(line);
}

const fullStreetKey = ([kind, key]: readonly [string, string]): string => `${kind} ${key}`;

let embedded: CityTable | undefined;

/** The table that comes with the program; read when it is first needed. */
export function embeddedCities(): CityTable {
  embedded ??= new CityTable(gunzipSync(readFileSync(FILE)).toString().trimEnd().split('\n'));
  return embedded;
}

/** The neighbourhood of the municipality that is written so: its words in lower case, a space between; abbreviations are understood. */
export function neighbourhoodOf(
  municipality: Municipality,
  key: string,
  cities = embeddedCities(),
): Neighbourhood | undefined {
  return cities.cityOf(municipality).neighbourhoods.get(looseKey(key.split(' ')));
}

/** Every municipality known to have a neighbourhood that is written so. */
export function municipalitiesWithNeighbourhood(key: string, cities = embeddedCities()): readonly Municipality[] {
  return cities.ownersOf(looseKey(key.split(' ')));
}

/** The street of the municipality that is written so (`r dr joao`); where its kind is left out or another, the only one of its name. */
export function streetOf(municipality: Municipality, key: string, cities = embeddedCities()): Street | undefined {
  return findStreet(cities.cityOf(municipality), key.split(' '));
}

/** Whether any municipality has a street that is written so, its kind included. */
export function isStreetKnown(key: string, cities = embeddedCities()): boolean {
  const { kind, name } = streetKey(key.split(' '));
  return cities.hasStreet(fullStreetKey([kind, name]));
}
