/** Builds what is known inside each municipality: its neighbourhoods and streets. */
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey } from '../../src/routing/address/words.js';
import type { CityLine } from '../../src/routing/places/city-places.js';
import { municipalityNamed } from '../../src/routing/places/municipalities.js';
import { municipalitiesOfPostalCode } from '../../src/routing/places/postal-codes.js';
import { streetKey } from '../../src/routing/places/street-key.js';
import type { AddressedPoint, NeighbourhoodRow } from './sources.js';

/** Lines of JSON in the order of the IBGE codes. */
export function cityLines(points: readonly AddressedPoint[], neighbourhoods: readonly NeighbourhoodRow[]): string[] {
  const cities = new Map<number, { neighbourhoods: Map<string, string>; streets: Map<string, [string, string]> }>();
  const cityOf = (code: number) => {
    const city = cities.get(code) ?? { neighbourhoods: new Map(), streets: new Map() };
    cities.set(code, city);
    return city;
  };
  const addNeighbourhood = (code: number, name: string): void => {
    const key = looseKey(nameKey(name).split(' '));
    const names = cityOf(code).neighbourhoods;
    if (key !== '' && !names.has(key)) names.set(key, name);
  };
  for (const row of neighbourhoods) {
    const code = codeOf(row);
    if (code !== undefined) addNeighbourhood(code, row.neighbourhood);
  }
  for (const { ibge, neighbourhood, street } of points) {
    addNeighbourhood(Number(ibge), neighbourhood);
    const { kind, name } = streetKey(nameKey(street).split(' '));
    if (name !== '') cityOf(Number(ibge)).streets.set(`${kind} ${name}`, [kind, name]);
  }
  return [...cities]
    .sort(([a], [b]) => a - b)
    .map(([code, city]) => {
      const line: CityLine = { code, neighbourhoods: [...city.neighbourhoods], streets: [...city.streets.values()] };
      return JSON.stringify(line);
    });
}

/** A row of a place that is no municipality counts for the one that its CEPs are of. */
function codeOf({ ibge, municipality, uf, cep5 }: NeighbourhoodRow): number | undefined {
  if (ibge !== '') return Number(ibge);
  const named = municipalityNamed(nameKey(municipality), uf);
  return (named ?? municipalitiesOfPostalCode(`${cep5}000`)[0])?.code;
}
