import type { Centavos } from '../../base/money.js';
import type { Place } from '../../base/place.js';
import { coverageOf } from '../../carrier/coverage.js';
import { isUrban, price } from '../../carrier/pricing.js';
import { locateEmbedded } from '../../routing/address/embedded-geocoder.js';
import { standardCalendar } from '../../routing/calendar.js';
import { aloneMetres } from '../../routing/embedded-distances.js';
import { placeWithoutHouse } from '../../routing/visits.js';
import { visitDaysBy } from '../check-places.js';
import { type CepRange, cepRanges, spreadOver } from './ranges.js';
import type { TableFacts } from './table-facts.js';
import { workdaysBetween } from './workdays.js';

// A table of prices for checkouts, which must quote even when no service answers. Its price for a range of CEPs and a
// band of weights covers 95 of 100 such parcels: to all parts of the range, of all weights in the band. The functions
// that price orders compute it, with embedded places and distances.

export interface TableRow {
  /** First and last CEP, both inclusive. */
  from: number;
  to: number;
  /** A price for each band. */
  prices: readonly Centavos[];
  workdays: number;
}

const COVERED = 0.95;
/** Count of the weights in a band that are priced. The last one is its upper bound. */
const WEIGHTS_IN_BAND = 24;

/** The rows for places that the carrier serves. Neighbouring ranges with the same prices and workdays become one. */
export function* tableRows(facts: TableFacts): Generator<void, TableRow[]> {
  const { areas, calendar, card, pickup, service } = facts;
  const coverage = { areas, work: calendar ?? standardCalendar, hasEconomy: card.zones?.economyDays !== undefined };
  const prices = pricesBy(facts);
  const daysTo = workdaysBetween({ ...facts, visitDays: visitDaysBy(areas) });
  const from = placeWithoutHouse(pickup);
  const metresTo = (place: Place): number => aloneMetres(from, placeWithoutHouse(place));
  const rows: TableRow[] = [];
  for (const range of cepRanges(areas)) {
    const [first, ...others] = placesIn(range, range.few);
    yield;
    if (!first) continue;
    const { isServed, services } = coverageOf(coverage, { ok: true, place: first }, { ok: true, place: pickup });
    if (!isServed || !services.includes(service)) continue;
    let metres = [first, ...others].map(metresTo);
    if (!prices.areOne(metres)) metres = placesIn(range, range.many).map(metresTo);
    const workdays = daysTo(first, Math.max(...metres));
    addRow(rows, { from: range.from, to: range.to, prices: prices.at(metres), workdays });
    yield;
  }
  return rows;
}

/** The places of CEPs that are spread over a range, without those that lie in another municipality by the tables. */
function placesIn(range: CepRange, count: number): Place[] {
  const { name, state } = range.municipality;
  return spreadOver(range, count).flatMap((cep) => {
    const located = locateEmbedded(String(cep).padStart(8, '0'));
    return located.ok && located.place.city === name && located.place.state === state ? located.place : [];
  });
}

function addRow(rows: TableRow[], row: TableRow): void {
  const last = rows.at(-1);
  const isNext = last && last.to + 1 === row.from && last.workdays === row.workdays;
  if (isNext && last.prices.every((price, band) => price === row.prices[band])) last.to = row.to;
  else rows.push(row);
}

/** Prices bands at distances. Each distance stands for one sample of a range. */
function pricesBy({ card, service, weights }: Pick<TableFacts, 'card' | 'service' | 'weights'>) {
  const bands = weights.map((upper, band) => {
    const lower = weights[band - 1] ?? 0;
    return Array.from({ length: WEIGHTS_IN_BAND }, (_, at) =>
      Math.round(lower + ((upper - lower) * (at + 1)) / WEIGHTS_IN_BAND),
    );
  });
  const priceOf = (metres: number, grams: number): Centavos => {
    const dimensions = { width: 1, height: 1, length: 1, weight: grams };
    const parcel = { dimensions, pickupIndex: 0, directMetres: metres, declaredCentavos: null };
    return price(card, service, { pickupCount: 1, courierMetres: metres }, [parcel]).totalCentavos;
  };
  const zoneOf = (metres: number): number => {
    const rows = card.zones?.rows ?? [];
    const zone = rows.findIndex(({ upToKm }) => metres <= upToKm * 1000);
    return zone < 0 ? rows.length - 1 : zone;
  };
  const pricedAt = (metres: number): Centavos[][] => bands.map((grams) => grams.map((each) => priceOf(metres, each)));
  /** Prices by zone: line-haul costs the same at every distance of a zone. */
  const ofZones = new Map<number, SamplePrices>();
  /**
   * Urban prices at one distance. Distance and weight have separate lines, so another distance adds the same to each
   * price.
   */
  let urban: { metres: number; prices: Centavos[][] } | undefined;
  const ofSample = (metres: number): SamplePrices => {
    if (isUrban(card, metres)) {
      urban ??= { metres, prices: pricedAt(metres) };
      return { prices: urban.prices, more: priceOf(metres, 1) - priceOf(urban.metres, 1) };
    }
    const zone = zoneOf(metres);
    const known = ofZones.get(zone) ?? { prices: pricedAt(metres), more: 0 };
    ofZones.set(zone, known);
    return known;
  };
  return {
    /** Tells whether line-haul has one price for all these distances. */
    areOne: (metres: readonly number[]): boolean => {
      const zones = new Set(metres.map((each) => (isUrban(card, each) ? undefined : zoneOf(each))));
      return zones.size === 1 && !zones.has(undefined);
    },
    at: (metres: readonly number[]): Centavos[] => {
      const samples = metres.map(ofSample);
      return bands.map((_, band) => quantileOf(samples, band));
    },
  };
}

/** Prices of each band at one distance: those of a computed distance, and the centavos to add to each. */
interface SamplePrices {
  prices: readonly (readonly Centavos[])[];
  more: Centavos;
}

/** The least price of a band that is not below the COVERED share of all its samples. */
function quantileOf(samples: readonly SamplePrices[], band: number): Centavos {
  const [first] = samples;
  const areOne = samples.every(({ prices, more }) => prices === first?.prices && more === first.more);
  const counted = areOne && first ? [first] : samples;
  const sorted = Float64Array.from(
    counted.flatMap(({ prices, more }) => (prices[band] ?? []).map((each) => each + more)),
  );
  sorted.sort();
  return sorted[Math.ceil(COVERED * sorted.length) - 1] ?? 0;
}
