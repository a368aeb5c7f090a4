import type { Selectable } from 'kysely';
import { type Dimensions, maxDimensions } from '../base/dimensions.js';
import type { FieldError } from '../base/errors.js';
import { type Centavos, formatMoney, MAX_CENTAVOS } from '../base/money.js';
import type { PriceLine } from '../db/tables/changes.js';
import type { AdValorem, RateCards, Service } from '../db/tables/prices.js';
import { lineHaulPrice, wholeFromThousandths, zoneErrors } from './zones.js';

/** The prices of a rate card: a version without its number. */
export type Rates = Omit<Selectable<RateCards>, 'version' | 'name' | 'valid_from' | 'created_at'>;

export interface Pricing {
  totalCentavos: Centavos;
  rateCardVersion: number;
  lines: PriceLine[];
}

export interface PricedPackage {
  dimensions: Dimensions;
  pickupIndex: number;
  /** Road metres from the pickup to the delivery of the package, independent of the other stops. */
  directMetres: number;
  declaredCentavos: Centavos | null;
}

interface PricedRoute {
  pickupCount: number;
  /** Metres over the stops of the urban packages. For a card without zones, metres over all stops. */
  courierMetres: number;
}

/** A price, with the share of each package in its line-haul. The share is null if a courier carries the package. */
interface Price extends Pricing {
  lineHaul: (Centavos | null)[];
}

export const isUrban = ({ urban_km, zones }: Pick<Rates, 'urban_km' | 'zones'>, directMetres: number): boolean =>
  zones === null || directMetres <= (urban_km ?? 0) * 1000;

/**
 * Computes the price of an order in whole centavos (contracts/guides/behaviour.md#prices). Each line is rounded half up
 * on its own; the total is the sum of the lines. Every package counts as one stop for its delivery.
 */
export function price(
  card: Rates & { version: number },
  service: Service,
  route: PricedRoute,
  packages: readonly PricedPackage[],
): Price {
  const { zones } = card;
  const isByCourier = packages.map(({ directMetres }) => isUrban(card, directMetres));
  const lineHaul = packages.map(({ dimensions, directMetres }, at) =>
    isByCourier[at] || !zones
      ? null
      : lineHaulPrice(zones, service, directMetres, billableGrams(dimensions, card.volumetric_cm3_per_kg)),
  );
  const byCourier = packages.filter((_, at) => isByCourier[at]);
  const lines = [
    ...(byCourier.length > 0 ? courierLines(card, route, byCourier) : []),
    ...(byCourier.length < packages.length ? [whole('line_haul', sumOf(lineHaul))] : []),
    ...adValoremLines(card.ad_valorem, packages),
  ];
  const totalCentavos = sumOf(lines.map(({ amount }) => amount));
  return { totalCentavos, rateCardVersion: card.version, lines, lineHaul };
}

function courierLines(card: Rates, route: PricedRoute, packages: readonly PricedPackage[]): PriceLine[] {
  const grams = sumOf(packages.map(({ dimensions }) => billableGrams(dimensions, card.volumetric_cm3_per_kg)));
  const pickups = card.zones ? new Set(packages.map(({ pickupIndex }) => pickupIndex)).size : route.pickupCount;
  const metres = card.zones
    ? Math.min(route.courierMetres, sumOf(packages.map(({ directMetres }) => directMetres)))
    : route.courierMetres;
  const extraStops = Math.max(0, pickups - 1) + packages.length - 1;
  return [
    whole('base', card.base_centavos),
    line('distance', metres, card.per_km_centavos),
    line('weight', grams, card.per_kg_centavos),
    ...(extraStops > 0 ? [line('extra_stop', extraStops * 1000, card.per_extra_stop_centavos)] : []),
  ];
}

function adValoremLines(adValorem: AdValorem | null, packages: readonly PricedPackage[]): PriceLine[] {
  const declared = packages.flatMap(({ declaredCentavos }) => declaredCentavos ?? []);
  if (!adValorem || declared.length === 0) return [];
  const { basisPoints, leastCentavos } = adValorem;
  const parts = declared.map((centavos) => Math.floor((centavos * basisPoints + 5000) / 10_000));
  return [whole('ad_valorem', Math.max(leastCentavos, sumOf(parts)))];
}

const sumOf = (numbers: readonly (number | null)[]): number =>
  numbers.reduce<number>((sum, each) => sum + (each ?? 0), 0);

// Bounds of the contracts: for an order, for a line's quantity in km and kg, and for a declared value.
const MAX_PICKUPS = 10;
const MAX_PACKAGES = 100;
const MAX_QUANTITY = 1_000_000;
const MAX_DECLARED: Centavos = 10_000_000;

const fieldsOf: Record<PriceLine['kind'], readonly string[]> = {
  base: ['base'],
  distance: ['perKm'],
  weight: ['perKg', 'volumetricCm3PerKg'],
  extra_stop: ['perExtraStop'],
  line_haul: ['zones'],
  ad_valorem: ['adValorem'],
};

/** Finds errors of rates: wrong zones, and prices of the largest order beyond the bounds of the contracts. */
export function rateErrors(rates: Rates): FieldError[] {
  const { zones, urban_km } = rates;
  if (!zones && urban_km !== null) return [{ field: 'urbanKm', code: 'contradiction', message: 'needs zones' }];
  const errors = zones ? zoneErrors(zones, rates) : [];
  return errors.length > 0 ? errors : largestErrors(rates);
}

/** Finds rates that price the largest order above the maximum of `Money`, or bill more kg than a line can have. */
function largestErrors(rates: Rates): FieldError[] {
  const card = { version: 0, ...rates, zones: null };
  const largest = { dimensions: maxDimensions, pickupIndex: 0, declaredCentavos: MAX_DECLARED };
  const directMetres = MAX_QUANTITY * 1000;
  const packages = Array.from({ length: MAX_PACKAGES }, () => ({ ...largest, directMetres }));
  const byCourier = price(card, 'express', { courierMetres: directMetres, pickupCount: MAX_PICKUPS }, packages);
  // No real order has all these lines: its packages go either by courier or by line-haul.
  const lines = [...byCourier.lines, ...(rates.zones ? [whole('line_haul', lineHaulOf(rates, packages))] : [])];
  if (lines.some(({ quantity }) => quantity > MAX_QUANTITY)) {
    const message = `bills the largest order at more than ${MAX_QUANTITY} kg`;
    return [{ field: 'volumetricCm3PerKg', code: 'too_small', message }];
  }
  if (sumOf(lines.map(({ amount }) => amount)) <= MAX_CENTAVOS) return [];
  const tooExpensive = lines.filter(({ amount }) => amount > MAX_CENTAVOS);
  const message =
    `prices the largest order (${MAX_PICKUPS} pickups, ${MAX_PACKAGES} packages, ${MAX_QUANTITY} km) ` +
    `above ${formatMoney(MAX_CENTAVOS)}`;
  return (tooExpensive.length > 0 ? tooExpensive : lines).flatMap(({ kind }) =>
    fieldsOf[kind].map((field) => ({ field, code: 'too_large', message })),
  );
}

const lineHaulOf = (rates: Rates, packages: readonly PricedPackage[]): Centavos =>
  sumOf(price({ version: 0, ...rates }, 'express', { courierMetres: 0, pickupCount: 1 }, packages).lineHaul);

export function billableGrams({ width, height, length, weight }: Dimensions, cm3PerKg: number): number {
  return Math.round(Math.max(weight, (width * height * length * 1000) / cm3PerKg));
}

const whole = (kind: PriceLine['kind'], centavos: Centavos): PriceLine => line(kind, 1000, centavos);

function line(kind: PriceLine['kind'], thousandths: number, unitPrice: Centavos): PriceLine {
  return { kind, quantity: thousandths / 1000, unitPrice, amount: wholeFromThousandths(thousandths * unitPrice) };
}
