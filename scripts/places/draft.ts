/** One municipality as its sources are read: its neighbourhoods, its streets, its points and what each is part of. */
import { computedOnce, listIn } from '../../src/base/values.js';
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey } from '../../src/routing/address/words.js';
import { clusterOf, metresBetween } from '../../src/routing/places/clusters.js';
import {
  type Municipality,
  municipalityNamed,
  municipalityOfCode,
  type Point,
} from '../../src/routing/places/municipalities.js';
import { municipalitiesOfPostalCode } from '../../src/routing/places/postal-codes.js';
import { streetKey } from '../../src/routing/places/street-key.js';
import type { DistrictRow } from './geonames.js';
import type { AddressedPoint, NeighbourhoodRow, StreetRow } from './sources.js';

export interface CitySources {
  points: readonly AddressedPoint[];
  neighbourhoods: readonly NeighbourhoodRow[];
  streets: readonly StreetRow[];
  registers: readonly AddressedPoint[];
  districts: readonly DistrictRow[];
}

export interface Neighbourhood {
  key: string;
  name: string;
  /** The number of its CEPs that begin with each five digits. */
  cells: Map<number, number>;
  points: Point[];
  /** Where GeoNames has a place of that name. */
  district: Point | undefined;
  /** Metres that its points may be off, as they may be a namesake's. */
  doubt: number;
}

/** A street in the part that lies in one neighbourhood and has one CEP; 0 where none is known. */
export interface StreetPart {
  kind: string;
  key: string;
  neighbourhood: Neighbourhood;
  postalCode: number;
}

/** 0 for a number or CEP that is not known. */
export interface KnownPoint extends StreetPart, Point {
  number: number;
}

const OF_POST_OFFICES = 900;

export class Draft {
  readonly neighbourhoods = new Map<string, Neighbourhood>();
  readonly parts: StreetPart[] = [];
  readonly points: KnownPoint[] = [];
  /** Points of the register alone. */
  readonly registered: Point[] = [];
  private readonly partsOf = new Map<string, StreetPart[]>();
  private readonly unnamed = this.neighbourhood('');

  constructor(readonly municipality: Municipality) {}

  addCell({ neighbourhood, cep5, ceps }: NeighbourhoodRow): void {
    this.neighbourhood(neighbourhood).cells.set(Number(cep5), Number(ceps));
  }

  addDistrict({ name, latitude, longitude }: DistrictRow): void {
    this.neighbourhood(name).district = { latitude, longitude };
  }

  addStreet({ street, neighbourhood, ceps }: StreetRow): void {
    for (const postalCode of ceps.split(' ').map(Number)) {
      // A CEP of one building is listed with the building's number.
      const name = postalCode % 1_000 < OF_POST_OFFICES ? street : street.replace(/,? (Km )?\S+$/, '');
      const part = { ...keysOf(name), neighbourhood: this.neighbourhood(neighbourhood), postalCode };
      listIn(this.partsOf, part.key, part);
      this.parts.push(part);
    }
  }

  /** A register's own names of neighbourhoods, often abbreviated, are not taken over. */
  addRegistered(point: AddressedPoint): void {
    const isKnown = this.neighbourhoods.has(neighbourhoodKey(point.neighbourhood));
    this.addPoint({ ...point, neighbourhood: isKnown ? point.neighbourhood : '' });
    this.registered.push(point);
  }

  addPoint({ street, number, neighbourhood, cep, latitude, longitude }: AddressedPoint): void {
    this.points.push({
      ...keysOf(street),
      number: Number.parseInt(number, 10) || 0,
      neighbourhood: this.neighbourhood(neighbourhood),
      postalCode: Number(cep),
      latitude,
      longitude,
    });
  }

  /** Completes each point by the street that it is of, first where only one part of the street is possible. */
  finish(): void {
    const open = this.points.filter((point) => !this.complete(point));
    for (const point of this.points) if (point.neighbourhood !== this.unnamed) point.neighbourhood.points.push(point);
    for (const point of open) this.completeByNearest(point);
  }

  private complete(point: KnownPoint): boolean {
    const parts = this.possible(point);
    const [neighbourhood, ...others] = new Set(parts.map((part) => part.neighbourhood));
    if (neighbourhood === undefined || others.length > 0) return neighbourhood === undefined;
    if (point.neighbourhood === this.unnamed) point.neighbourhood = neighbourhood;
    if (point.postalCode === 0 && parts.length === 1) point.postalCode = parts[0]?.postalCode ?? 0;
    return true;
  }

  private possible({ kind, key, neighbourhood, postalCode }: KnownPoint): StreetPart[] {
    const named = this.partsOf.get(key) ?? [];
    const ofKind = named.filter((part) => part.kind === kind);
    return (kind === '' ? named : ofKind).filter(
      (part) =>
        (neighbourhood === this.unnamed || part.neighbourhood === neighbourhood) &&
        (postalCode === 0 || part.postalCode === postalCode),
    );
  }

  private completeByNearest(point: KnownPoint): void {
    const metresTo = ({ points }: Neighbourhood): number =>
      points.length === 0 ? Number.POSITIVE_INFINITY : metresBetween(middleOf(points), point);
    const neighbourhoods = [...new Set(this.possible(point).map((part) => part.neighbourhood))];
    const nearest = neighbourhoods.reduce((a, b) => (metresTo(b) < metresTo(a) ? b : a));
    if (metresTo(nearest) < FAR) point.neighbourhood = nearest;
    this.complete(point);
  }

  private neighbourhood(name: string): Neighbourhood {
    const key = neighbourhoodKey(name);
    const known = this.neighbourhoods.get(key);
    if (known) return known;
    const fresh: Neighbourhood = {
      key,
      name: key && name,
      cells: new Map(),
      points: [],
      district: undefined,
      doubt: 0,
    };
    this.neighbourhoods.set(key, fresh);
    return fresh;
  }
}

/** The middle of points that do not change any more. */
const middleOf = computedOnce(clusterOf);

/** Metres beyond which a point belongs to none of the neighbourhoods that its street is listed in. */
const FAR = 3_000;

export const neighbourhoodKey = (name: string): string => looseKey(nameKey(name).split(' '));

function keysOf(street: string): { kind: string; key: string } {
  const { kind, name } = streetKey(nameKey(street).split(' '));
  return { kind, key: name };
}

/** In the order of the IBGE codes. */
export function draftsOf({ points, neighbourhoods, streets, registers, districts }: CitySources): Draft[] {
  const drafts = new Map<number, Draft>();
  const add = (municipality: Municipality | undefined, to: (draft: Draft) => void): void => {
    if (municipality === undefined) return;
    const draft = drafts.get(municipality.code) ?? new Draft(municipality);
    drafts.set(municipality.code, draft);
    to(draft);
  };
  for (const row of neighbourhoods) add(ownerOf(row), (draft) => draft.addCell(row));
  for (const row of districts) add(municipalityOfCode(Number(row.ibge)), (draft) => draft.addDistrict(row));
  const owners = new Map<string, Municipality | undefined>();
  for (const row of streets) {
    const city = `${row.city}/${row.uf}`;
    if (!owners.has(city))
      owners.set(city, ownerOf({ ibge: '', municipality: row.city, uf: row.uf, cep5: row.ceps.slice(0, 5) }));
    add(owners.get(city), (draft) => draft.addStreet(row));
  }
  for (const point of points) add(municipalityOfCode(Number(point.ibge)), (draft) => draft.addPoint(point));
  for (const point of registers) add(municipalityOfCode(Number(point.ibge)), (draft) => draft.addRegistered(point));
  const sorted = [...drafts.values()].sort((a, b) => a.municipality.code - b.municipality.code);
  for (const draft of sorted) draft.finish();
  return sorted;
}

/** A row of a place that is no municipality counts for the one that its CEPs are of. */
function ownerOf({ ibge, municipality, uf, cep5 }: Omit<NeighbourhoodRow, 'neighbourhood' | 'ceps'>) {
  if (ibge !== '') return municipalityOfCode(Number(ibge));
  return municipalityNamed(nameKey(municipality), uf) ?? municipalitiesOfPostalCode(`${cep5}000`)[0];
}

export function grouped<T, K>(values: readonly T[], keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    listIn(groups, keyOf(value), value);
  }
  return groups;
}
