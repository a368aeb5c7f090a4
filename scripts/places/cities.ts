/** Builds what is known inside each municipality: its neighbourhoods, its streets and points in them. */
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey } from '../../src/routing/address/words.js';
import { type CityLine, STEP } from '../../src/routing/places/city.js';
import { type Municipality, municipalityNamed, municipalityOfCode } from '../../src/routing/places/municipalities.js';
import { municipalitiesOfPostalCode } from '../../src/routing/places/postal-codes.js';
import { streetKey } from '../../src/routing/places/street-key.js';
import type { AddressedPoint, NeighbourhoodRow } from './sources.js';

/** Lists of a city as they grow, and where each entry stands in them. */
class Draft {
  readonly line: CityLine;
  private readonly neighbourhoods = new Map<string, number>();
  private readonly streets = new Map<string, number>();

  constructor(private readonly municipality: Municipality) {
    this.line = { code: municipality.code, neighbourhoods: [], streets: [], points: [] };
  }

  /** Its index; -1 for no name. */
  neighbourhood(name: string): number {
    const key = looseKey(nameKey(name).split(' '));
    if (key === '') return -1;
    const index = this.neighbourhoods.get(key) ?? this.line.neighbourhoods.push([key, name]) - 1;
    this.neighbourhoods.set(key, index);
    return index;
  }

  addCell({ neighbourhood, cep5, ceps }: NeighbourhoodRow): void {
    this.line.neighbourhoods[this.neighbourhood(neighbourhood)]?.push(Number(cep5), Number(ceps));
  }

  addPoint({ street, number, neighbourhood, cep, latitude, longitude }: AddressedPoint): void {
    const { seat } = this.municipality;
    this.line.points.push(
      this.street(street),
      Number.parseInt(number, 10) || 0,
      this.neighbourhood(neighbourhood),
      Number(cep),
      Math.round((latitude - seat.latitude) / STEP),
      Math.round((longitude - seat.longitude) / STEP),
    );
  }

  private street(name: string): number {
    const { kind, name: key } = streetKey(nameKey(name).split(' '));
    if (key === '') return -1;
    const index = this.streets.get(`${kind} ${key}`) ?? this.line.streets.push([kind, key]) - 1;
    this.streets.set(`${kind} ${key}`, index);
    return index;
  }
}

/** Lines of JSON in the order of the IBGE codes. */
export function cityLines(points: readonly AddressedPoint[], neighbourhoods: readonly NeighbourhoodRow[]): string[] {
  const drafts = new Map<number, Draft>();
  const draftOf = (municipality: Municipality): Draft => {
    const draft = drafts.get(municipality.code) ?? new Draft(municipality);
    drafts.set(municipality.code, draft);
    return draft;
  };
  for (const row of neighbourhoods) {
    const owner = ownerOf(row);
    if (owner) draftOf(owner).addCell(row);
  }
  for (const point of points) {
    const owner = municipalityOfCode(Number(point.ibge));
    if (owner) draftOf(owner).addPoint(point);
  }
  return [...drafts].sort(([a], [b]) => a - b).map(([, { line }]) => JSON.stringify(line));
}

/** A row of a place that is no municipality counts for the one that its CEPs are of. */
function ownerOf({ ibge, municipality, uf, cep5 }: NeighbourhoodRow): Municipality | undefined {
  if (ibge !== '') return municipalityOfCode(Number(ibge));
  return municipalityNamed(nameKey(municipality), uf) ?? municipalitiesOfPostalCode(`${cep5}000`)[0];
}
