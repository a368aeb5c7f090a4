import type { Place } from '../base/place.js';
import { weekdays } from '../base/weekdays.js';
import type { Area, AreaTerms } from '../db/tables/areas.js';
import type { Service } from '../db/tables/prices.js';
import { municipalityOfCode } from '../routing/places/municipalities.js';

// The carrier's own rules about where it collects and delivers, in versions that never change
// (contracts/guides/behaviour.md#service-areas). One function, `verdictAt`, decides about a place. Coverage, estimates,
// orders, returns and changes of address call it with the version in force at that moment, so they never disagree. A
// new version does not affect existing orders. No version changes a price.

/** A version, laid out for look-ups. Undefined means no version: then every place is served. */
export interface AreaIndex {
  version: number;
  areas: readonly Area[];
  states: ReadonlyMap<string, number>;
  /** By name and state as in places: `Santos - SP`. */
  municipalities: ReadonlyMap<string, { area: number; code: number }>;
  /** Sorted by CEP. The ranges do not overlap. */
  ranges: readonly IndexedRange[];
}

interface IndexedRange {
  from: string;
  to: string;
  area: number;
}

/** The terms at a place, and the area that sets them. */
export interface AreaVerdict {
  terms: AreaTerms;
  /** Index of the area, from 0. Undefined if no area has the place. */
  area?: number;
  /** The state, municipality or range that decides: `SP`, `3550308` or `01000000-05999999`. */
  decidedBy?: string;
}

const servedEverywhere: AreaVerdict = {
  terms: {
    collects: true,
    delivers: true,
    services: ['express', 'economy'],
    weekdays: [...weekdays],
    extraWorkdays: 0,
  },
};
const servedNowhere: AreaVerdict = {
  terms: { collects: false, delivers: false, services: [], weekdays: [], extraWorkdays: 0 },
};

export type AreaPlace = Pick<Place, 'city' | 'state' | 'postalCode'>;

const nameIn = ({ city, state }: AreaPlace): string => `${city} - ${state}`;

export function indexOfAreas(version: number, areas: readonly Area[]): AreaIndex {
  const states = new Map(areas.flatMap((each, area) => each.states.map((state) => [state, area] as const)));
  const municipalities = new Map(
    areas.flatMap((each, area) =>
      each.municipalities.flatMap((code) => {
        const municipality = municipalityOfCode(code);
        return municipality ? [[`${municipality.name} - ${municipality.state}`, { area, code }] as const] : [];
      }),
    ),
  );
  const ranges = areas
    .flatMap((each, area) => each.postalCodes.map((range) => ({ ...range, area })))
    .sort((a, b) => Number(a.from) - Number(b.from));
  return { version, areas, states, municipalities, ranges };
}

/** Decides about a place: by the range that holds its CEP, else by its municipality, else by its state. */
export function verdictAt(index: AreaIndex | undefined, place: AreaPlace): AreaVerdict {
  if (!index) return servedEverywhere;
  const range = place.postalCode === undefined ? undefined : rangeOf(index.ranges, place.postalCode);
  if (range) return verdictOf(index, range.area, `${range.from}-${range.to}`);
  const municipality = index.municipalities.get(nameIn(place));
  if (municipality) return verdictOf(index, municipality.area, String(municipality.code));
  const area = index.states.get(place.state);
  return area === undefined ? servedNowhere : verdictOf(index, area, place.state);
}

function verdictOf({ areas }: AreaIndex, area: number, decidedBy: string): AreaVerdict {
  const terms = areas[area];
  if (!terms) throw new RangeError(`there is no area ${area}`);
  return { terms, area, decidedBy };
}

function rangeOf(ranges: readonly IndexedRange[], postalCode: string): IndexedRange | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.from ?? '') <= postalCode) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range && postalCode <= range.to ? range : undefined;
}

/** The carrier's task at an address of an order. */
export type StopKind = 'pickup' | 'delivery';

export type RefusalCode = 'not_collected' | 'not_delivered' | 'not_offered';

export interface AreaRefusal {
  code: RefusalCode;
  message: string;
}

/** The reason to refuse a stop. Undefined if the area serves it with the service. */
export function refusalAt(
  { terms }: AreaVerdict,
  kind: StopKind,
  place: AreaPlace,
  service: Service | undefined,
): AreaRefusal | undefined {
  const where = nameIn(place);
  if (kind === 'pickup' && !terms.collects)
    return { code: 'not_collected', message: `The carrier does not collect in ${where}.` };
  if (kind === 'delivery' && !terms.delivers)
    return { code: 'not_delivered', message: `The carrier does not deliver in ${where}.` };
  if (service === undefined || terms.services.includes(service)) return undefined;
  return { code: 'not_offered', message: `The carrier does not offer ${service} in ${where}.` };
}
