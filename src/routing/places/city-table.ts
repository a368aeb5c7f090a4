import { LRUCache } from 'lru-cache';
import { computedOnce } from '../../base/values.js';
import type { Estimate } from './clusters.js';
import { ColumnReader } from './columns.js';
import { type Municipality, municipalityOfCode, type Point } from './municipalities.js';
import { Filter, hashOf } from './name-hash.js';
import { firstRow, indices, type Named, named, of, type Range, rowsOf } from './named-rows.js';
import { firstIndex } from './postal-codes.js';
import { mainKind, streetKey } from './street-key.js';

/** Coordinates of the table are whole numbers, so many to a degree. */
export const STEPS = 10_000;
const NEAR_POSTAL_CODES = 4;

export interface Neighbourhood {
  index: number;
  /** IBGE code of its municipality. */
  code: number;
  name: string;
  /** Undefined where nothing near it is known. */
  estimate: (Estimate & IsTown) | undefined;
}

interface IsTown {
  /** It says no more than its town, as the CEP of a whole town. */
  isTown: boolean;
}

export interface PostalCode extends Estimate, IsTown {
  digits: number;
}

/** A street in one neighbourhood, by its index, with one CEP. */
export interface StreetPart {
  kind: string;
  neighbourhood: number;
  postalCode: number;
}

export interface AddressPoint extends Point {
  kind: string;
  neighbourhood: number;
  /** 0 where none is known. */
  number: number;
}

export interface Street {
  /** The one that is written, else the only one that is known. */
  kind: string;
  /** Its name is known with the kind that is written, and is not one that streets have before they get a name. */
  isSure: boolean;
  parts: readonly StreetPart[];
  /** In each neighbourhood in the order of the numbers. */
  points: readonly AddressPoint[];
}

/** Names that streets of many neighbourhoods have before they get their own. */
const NO_NAME = /^(\d+|.|particular|projetada|principal|sem denominacao)( .| \d+)?$/;
/** Parts and points of the streets that are kept: an avenue recurs, and each address of an order asks twice. */
const MOST_KEPT = 20_000;

/** Neighbourhoods, streets and CEPs of municipalities; scripts/places/cities.ts builds the table. */
export class CityTable {
  private readonly kinds;
  private readonly names;
  private readonly towns;
  private readonly neighbourhoods;
  private readonly parts;
  private readonly points;
  private readonly postalCodes;
  private readonly hashes = new Filter();
  private readonly streets = new LRUCache<string, Street>({
    maxSize: MOST_KEPT,
    sizeCalculation: ({ parts, points }) => 1 + parts.length + points.length,
  });
  private readonly neighbourhoodsOf = computedOnce(({ code }: Municipality): Range => {
    const column = this.neighbourhoods.code;
    const firstFrom = (least: number) => firstIndex(column.length, (index) => of(column, index) >= least);
    return [firstFrom(code), firstFrom(code + 1)];
  });
  private neighbourhoodOwners: Map<number, Municipality[]> | undefined;

  constructor(bytes: Buffer) {
    const next = new ColumnReader(bytes);
    this.kinds = next.names();
    this.names = next.names();
    this.towns = { code: next.column(), metres: next.column() };
    this.neighbourhoods = { code: next.column(), key: next.column(), ...estimates(next) };
    this.parts = { ...named(next), postalCode: next.column() };
    this.points = { ...named(next), number: next.column(), latitude: next.column(), longitude: next.column() };
    this.postalCodes = { digits: next.column(), code: next.column(), ...estimates(next) };
    for (const { key } of [this.neighbourhoods, this.parts, this.points]) for (const hash of key) this.hashes.add(hash);
  }

  /** Metres from the seat at which an address is expected; undefined where nothing of the town is known. */
  metresFromSeat({ code }: Municipality): number | undefined {
    const at = firstIndex(this.towns.code.length, (index) => of(this.towns.code, index) >= code);
    return this.towns.code[at] === code ? this.towns.metres[at] : undefined;
  }

  /** `key` is its loose key. */
  neighbourhoodOf(municipality: Municipality, key: string): Neighbourhood | undefined {
    const at = key === '' ? undefined : this.indexOfNeighbourhood(municipality, hashOf(key));
    return at === undefined ? undefined : this.neighbourhoodAt(at);
  }

  hasNeighbourhood(municipality: Municipality, hash: number): boolean {
    return this.hashes.mayHave(hash) && this.indexOfNeighbourhood(municipality, hash) !== undefined;
  }

  private indexOfNeighbourhood(municipality: Municipality, hash: number): number | undefined {
    const { key } = this.neighbourhoods;
    const [from, to] = this.neighbourhoodsOf(municipality);
    const at = firstIndex(to - from, (index) => of(key, from + index) >= hash) + from;
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

  /** The street by its words; of the kind that is written, else of any. The lists must not change. */
  streetOf(municipality: Municipality, words: readonly string[]): Street | undefined {
    const key = `${municipality.code} ${words.join(' ')}`;
    const street = this.streets.get(key) ?? this.findStreet(municipality, words);
    if (street) this.streets.set(key, street);
    return street;
  }

  private findStreet(municipality: Municipality, words: readonly string[]): Street | undefined {
    const { kind, name } = streetKey(words);
    const [hash, range] = [hashOf(name), this.neighbourhoodsOf(municipality)];
    const [parts, points] = [indices(rowsOf(this.parts, hash, range)), indices(rowsOf(this.points, hash, range))];
    if (parts.length + points.length === 0) return undefined;
    const kindIn = (table: Named) => (row: number) => this.kindAt(table, row);
    const known = mainKind([...parts.map(kindIn(this.parts)), ...points.map(kindIn(this.points))], kind);
    const isOfKind = (table: Named) => (row: number) => known === undefined || this.kindAt(table, row) === known;
    return {
      kind: known ?? kind,
      isSure: (kind === '' || known === kind) && !NO_NAME.test(name),
      parts: parts.filter(isOfKind(this.parts)).map((row) => this.partAt(row)),
      points: points.filter(isOfKind(this.points)).map((row) => this.pointAt(row)),
    };
  }

  hasStreet(municipality: Municipality, hash: number): boolean {
    if (!this.hashes.mayHave(hash)) return false;
    const [first, end] = this.neighbourhoodsOf(municipality);
    return [this.parts, this.points].some((table) => {
      const row = firstRow(table, hash, first);
      return table.key[row] === hash && of(table.neighbourhood, row) < end;
    });
  }

  streetOwnersOf(words: readonly string[]): readonly Municipality[] {
    const { kind, name } = streetKey(words);
    const codes = [this.parts, this.points].flatMap((table) =>
      indices(rowsOf(table, hashOf(name), [0, Number.POSITIVE_INFINITY]))
        .filter((row) => this.kinds[of(table.kind, row)] === kind)
        .map((row) => of(this.neighbourhoods.code, of(table.neighbourhood, row))),
    );
    return municipalitiesOf(codes);
  }

  /** The CEP alone where it has points, else the nearest ones that have, the nearest first. */
  postalCodesNear({ code }: Pick<Municipality, 'code'>, digits: number): PostalCode[] {
    const next = firstIndex(this.postalCodes.digits.length, (index) => of(this.postalCodes.digits, index) >= digits);
    const away = (row: number): number => Math.abs(of(this.postalCodes.digits, row) - digits);
    const rows = indices([Math.max(0, next - NEAR_POSTAL_CODES), next + NEAR_POSTAL_CODES])
      .filter((row) => this.postalCodes.code[row] === code)
      .sort((a, b) => away(a) - away(b))
      .slice(0, this.postalCodes.digits[next] === digits ? 1 : NEAR_POSTAL_CODES);
    return rows.map((row) => ({ digits: of(this.postalCodes.digits, row), ...estimateAt(this.postalCodes, row) }));
  }

  private partAt(row: number): StreetPart {
    const [kind, neighbourhood] = [this.kindAt(this.parts, row), of(this.parts.neighbourhood, row)];
    return { kind, neighbourhood, postalCode: of(this.parts.postalCode, row) };
  }

  private pointAt(row: number): AddressPoint {
    const [kind, neighbourhood] = [this.kindAt(this.points, row), of(this.points.neighbourhood, row)];
    const { latitude, longitude } = pointAt(this.points, row);
    return { kind, neighbourhood, number: of(this.points.number, row), latitude, longitude };
  }

  private kindAt({ kind }: Named, row: number): string {
    return this.kinds[of(kind, row)] ?? '';
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

const estimates = (next: ColumnReader) => ({
  latitude: next.column(),
  longitude: next.column(),
  metres: next.column(),
  isTown: next.column(),
});

const pointAt = ({ latitude, longitude }: Record<keyof Point, Int32Array>, row: number): Point => ({
  latitude: of(latitude, row) / STEPS,
  longitude: of(longitude, row) / STEPS,
});

const estimateAt = (table: ReturnType<typeof estimates>, row: number) => ({
  at: pointAt(table, row),
  metres: of(table.metres, row),
  isTown: table.isTown[row] === 1,
});

const municipalitiesOf = (codes: readonly number[]): Municipality[] =>
  [...new Set(codes)].flatMap((code) => municipalityOfCode(code) ?? []);
