import { computedOnce } from '../../base/values.js';
import { looseKey } from '../address/spelling.js';
import {
  type AddressPoint,
  codeOfEstimate,
  estimateAt,
  estimates,
  type KnownPoints,
  type Neighbourhood,
  type PostalCode,
  pointAt,
  STEPS,
  type Street,
  type StreetPart,
} from './city-rows.js';
import type { Estimate } from './clusters.js';
import { ColumnReader, firstRow, of } from './columns.js';
import { type Municipality, municipalityOfCode } from './municipalities.js';
import { Filter, hashOf } from './name-hash.js';
import { NamedRows, type Range } from './named-rows.js';
import type { StreetKey } from './street-key.js';

const NEAR_POSTAL_CODES = 4;
/** Metres from the middle to an address, for a town without any data. */
const USUAL_TOWN = 4_000;

/** Provisional names that streets in many neighbourhoods have before they get a name of their own. */
const NO_NAME = /^(\d+[a-z]?( \d+)?|[a-z](\d+[a-z]?)?|(particular|projetada|principal|sem denominacao)( .| .?\d+.?)?)$/;
/** Least share of a name's rows with one kind. Then a street without a written kind is of that kind. */
const MAIN_KIND = 0.8;

/** Neighbourhoods, streets and CEPs of municipalities; scripts/places/cities.ts builds the table. */
export class CityTable {
  private readonly kinds;
  private readonly names;
  private readonly spellings;
  private readonly towns;
  private readonly neighbourhoods;
  private readonly parts;
  private readonly partCodes;
  private readonly points;
  private readonly houses;
  private readonly postalCodes;
  private readonly hashes = new Filter();
  private readonly neighbourhoodsOf = computedOnce(({ code }: Municipality): Range => {
    const codes = this.neighbourhoods.code;
    return { from: firstRow(codes, code), to: firstRow(codes, code + 1) };
  });
  private neighbourhoodOwners: Map<number, Municipality[]> | undefined;
  private spellingOf: Map<string, string> | undefined;

  constructor(bytes: Buffer) {
    const next = new ColumnReader(bytes);
    this.kinds = next.names();
    this.names = next.names();
    this.spellings = next.names();
    this.towns = { code: next.column(), latitude: next.column(), longitude: next.column(), metres: next.column() };
    this.neighbourhoods = { code: next.column(), key: next.column(), ...estimates(next) };
    this.parts = new NamedRows(next);
    this.partCodes = next.column();
    this.points = new NamedRows(next);
    this.houses = { number: next.column(), latitude: next.column(), longitude: next.column() };
    this.postalCodes = { digits: next.column(), code: next.column(), ...estimates(next) };
    for (const { key } of [this.neighbourhoods, this.parts, this.points]) for (const hash of key) this.hashes.add(hash);
  }

  /** The estimate for an address with only a known municipality. */
  townOf({ code, seat }: Municipality): Estimate {
    const { towns } = this;
    const at = firstRow(towns.code, code);
    if (towns.code[at] !== code) return { at: seat, metres: USUAL_TOWN };
    return { at: pointAt(towns, at), metres: of(towns.metres, at) };
  }

  /** Finds a neighbourhood by its loose key. */
  neighbourhoodOf(municipality: Municipality, key: string): Neighbourhood | undefined {
    const at = key === '' ? undefined : this.indexOfNeighbourhood(municipality, hashOf(key));
    return at === undefined ? undefined : this.neighbourhoodAt(at);
  }

  hasNeighbourhood(municipality: Municipality, hash: number): boolean {
    return this.hashes.mayHave(hash) && this.indexOfNeighbourhood(municipality, hash) !== undefined;
  }

  private indexOfNeighbourhood(municipality: Municipality, hash: number): number | undefined {
    const { key } = this.neighbourhoods;
    const { from, to } = this.neighbourhoodsOf(municipality);
    const at = firstRow(key, hash, from, to);
    return at < to && key[at] === hash ? at : undefined;
  }

  neighbourhoodAt(index: number): Neighbourhood {
    const estimate = estimateAt(this.neighbourhoods, index);
    const code = of(this.neighbourhoods.code, index);
    return { index, code, name: this.names[index] ?? '', estimate: estimate.metres > 0 ? estimate : undefined };
  }

  neighbourhoodOwnersOf(key: string): readonly Municipality[] {
    this.neighbourhoodOwners ??= this.listOwners();
    return (key !== '' && this.neighbourhoodOwners.get(hashOf(key))) || [];
  }

  /** Finds the street of the written kind. Without a kind, of the kind that most streets of this name have. */
  streetOf(municipality: Municipality, key: StreetKey): Street | undefined {
    const { kind, parts, points } = this.rowsOf(municipality, key);
    if (parts.length + points.length === 0) return undefined;
    const ofKind = (table: NamedRows, rows: number[]) =>
      kind === undefined ? rows : rows.filter((row) => table.kindAt(row) === kind);
    return {
      isSure: (key.kind === '' || this.kinds[kind ?? -1] === key.kind) && !NO_NAME.test(key.name),
      parts: ofKind(this.parts, parts).map((row) => this.partAt(row)),
      points: ofKind(this.points, points).map((row) => this.pointAt(row)),
    };
  }

  /** Tells whether the street is known with the written kind. Without a kind, any kind counts. */
  hasKind(municipality: Municipality, key: StreetKey): boolean {
    const { kind, parts, points } = this.rowsOf(municipality, key);
    return parts.length + points.length > 0 && (key.kind === '' || this.kinds[kind ?? -1] === key.kind);
  }

  /** Tells whether the street, by its loose key, is known in the neighbourhood, or in no named one. */
  mayBeIn(municipality: Municipality, key: StreetKey, inside: string): boolean {
    const named = this.neighbourhoodOf(municipality, inside)?.index;
    const { parts, points } = this.rowsOf(municipality, key);
    const indexes = [
      ...parts.map((row) => of(this.parts.neighbourhood, row)),
      ...points.map((row) => of(this.points.neighbourhood, row)),
    ];
    return indexes.some((index) => index === named) || indexes.every((index) => this.names[index] === '');
  }

  /** The written kind, unless the name is known with another kind only. */
  kindOf(municipality: Municipality, key: StreetKey): string {
    return this.kinds[this.rowsOf(municipality, key).kind ?? -1] ?? key.kind;
  }

  private rowsOf(municipality: Municipality, { kind, name }: StreetKey) {
    const hash = hashOf(name);
    const range = this.neighbourhoodsOf(municipality);
    const parts = this.parts.rowsOf(hash, range);
    const points = this.points.rowsOf(hash, range);
    return { parts, points, kind: this.mainKind(parts, points, this.kinds.indexOf(kind)) };
  }

  /** The written kind, if the name is known with it; else the usual kind of the name. */
  private mainKind(parts: readonly number[], points: readonly number[], written: number): number | undefined {
    const isWritten = (table: NamedRows) => (row: number) => table.kindAt(row) === written;
    if (parts.some(isWritten(this.parts)) || points.some(isWritten(this.points))) return written;
    const kinds = [...parts.map((row) => this.parts.kindAt(row)), ...points.map((row) => this.points.kindAt(row))];
    const least = MAIN_KIND * kinds.length;
    // A kind with more than half of the rows is the one in the middle.
    const middle = kinds.sort((a, b) => a - b)[kinds.length >> 1];
    return kinds.filter((kind) => kind === middle).length >= least ? middle : undefined;
  }

  /** Tells whether any street of the municipality has the hash. */
  hasStreet(municipality: Municipality, hash: number): boolean {
    if (!this.hashes.mayHave(hash)) return false;
    const range = this.neighbourhoodsOf(municipality);
    return this.parts.has(hash, range) || this.points.has(hash, range);
  }

  hasStreetNamed(municipality: Municipality, name: string): boolean {
    const range = this.neighbourhoodsOf(municipality);
    return this.parts.hasName(name, range) || this.points.hasName(name, range);
  }

  streetOwnersOf({ kind, name }: StreetKey): readonly Municipality[] {
    const written = this.kinds.indexOf(kind);
    const codes = [this.parts, this.points].flatMap((table) =>
      table
        .rowsOf(hashOf(name), { from: 0, to: Number.POSITIVE_INFINITY })
        .filter((row) => table.kindAt(row) === written)
        .map((row) => of(this.neighbourhoods.code, of(table.neighbourhood, row))),
    );
    return [...new Set(codes)].flatMap((code) => municipalityOfCode(code) ?? []);
  }

  /** Tells whether any street has the CEP, in any municipality. It takes 0.3 ms: ask rarely. */
  isPostalCodeOfStreet(digits: number): boolean {
    return this.partCodes.includes(digits);
  }

  /** The CEP itself, if it has points in the municipality (an IBGE code). Otherwise the nearest CEPs that have. */
  postalCodesNear(municipality: number, digits: number): PostalCode[] {
    const { digits: column, code: codes } = this.postalCodes;
    const next = firstRow(column, digits);
    if (column[next] === digits && codes[next] === municipality) return [this.postalCodeAt(next)];
    const near: PostalCode[] = [];
    for (let row = Math.max(0, next - NEAR_POSTAL_CODES); row < next + NEAR_POSTAL_CODES; row++)
      if (codes[row] === municipality) near.push(this.postalCodeAt(row));
    const away = (other: PostalCode): number => Math.abs(other.digits - digits);
    return near.sort((a, b) => away(a) - away(b)).slice(0, NEAR_POSTAL_CODES);
  }

  /** The known places, by columns of the table. */
  knownPoints(): readonly KnownPoints[] {
    const { towns, neighbourhoods, postalCodes, houses, points } = this;
    return [
      { ...towns, codeAt: (row) => of(towns.code, row) },
      { ...neighbourhoods, codeAt: (row) => codeOfEstimate(neighbourhoods, row) },
      { ...postalCodes, codeAt: (row) => codeOfEstimate(postalCodes, row) },
      { ...houses, codeAt: (row) => of(neighbourhoods.code, of(points.neighbourhood, row)) },
    ];
  }

  private postalCodeAt(row: number): PostalCode {
    const { at, metres, isTown } = estimateAt(this.postalCodes, row);
    return { digits: of(this.postalCodes.digits, row), at, metres, isTown };
  }

  private partAt(row: number): StreetPart {
    return { neighbourhood: of(this.parts.neighbourhood, row), postalCode: of(this.partCodes, row) };
  }

  private pointAt(row: number): AddressPoint {
    const { number, latitude, longitude } = this.houses;
    return {
      neighbourhood: of(this.points.neighbourhood, row),
      number: of(number, row),
      latitude: of(latitude, row) / STEPS,
      longitude: of(longitude, row) / STEPS,
    };
  }

  /** The usual spelling of a word of a street's name, by the loose key of the word. */
  usualSpelling(key: string): string {
    this.spellingOf ??= new Map(this.spellings.map((word) => [looseKey([word]), word]));
    return this.spellingOf.get(key) ?? key;
  }

  private listOwners(): Map<number, Municipality[]> {
    const owners = new Map<number, Municipality[]>();
    this.neighbourhoods.key.forEach((key, index) => {
      const municipality = municipalityOfCode(of(this.neighbourhoods.code, index));
      const list = owners.get(key);
      if (list && municipality) list.push(municipality);
      else if (municipality) owners.set(key, [municipality]);
    });
    return owners;
  }
}
