import { type Dimensions, largestDimensions } from '../base/dimensions.js';
import type { FieldError } from '../base/errors.js';
import { type Centavos, formatMoney, MOST_CENTAVOS } from '../base/money.js';
import type { PriceLine, Pricing } from './order.js';

/** Whole centavos for an order, for each km, each kg of billable weight, and each extra stop. */
export interface Rates {
  baseCentavos: number;
  perKmCentavos: number;
  perKgCentavos: number;
  perExtraStopCentavos: number;
  /** Volume that is billed as one kilogram. */
  volumetricCm3PerKg: number;
}

interface PricedRoute {
  distanceMetres: number;
  pickupCount: number;
}

/**
 * The price of an order in whole centavos (contracts/guides/behaviour.md#orders-packages-states). Each line is rounded
 * half up on its own, and the total is their sum. Every package is a delivery, and so a stop.
 */
export function price(card: Rates & { version: number }, route: PricedRoute, packages: readonly Dimensions[]): Pricing {
  const grams = packages.reduce((sum, size) => sum + billableGrams(size, card.volumetricCm3PerKg), 0);
  const extraStops = Math.max(0, route.pickupCount - 1) + Math.max(0, packages.length - 1);
  const extra = line('extra_stop', extraStops * 1000, card.perExtraStopCentavos);
  const lines = [
    line('base', 1000, card.baseCentavos),
    line('distance', route.distanceMetres, card.perKmCentavos),
    line('weight', grams, card.perKgCentavos),
    ...(extraStops > 0 ? [extra] : []),
  ];
  return { totalCentavos: lines.reduce((sum, { amount }) => sum + amount, 0), rateCardVersion: card.version, lines };
}

// Bounds of the contracts: of an order, and of a line's quantity in km and kg.
const MOST_PICKUPS = 10;
const MOST_PACKAGES = 100;
const MOST_QUANTITY = 1_000_000;

const fieldsOf: Record<PriceLine['kind'], readonly string[]> = {
  base: ['base'],
  distance: ['perKm'],
  weight: ['perKg', 'volumetricCm3PerKg'],
  extra_stop: ['perExtraStop'],
};

/** The rates that price the largest order above what `Money` can say, or weigh it above what a line can say. */
export function rateErrors(rates: Rates): FieldError[] {
  const route = { distanceMetres: MOST_QUANTITY * 1000, pickupCount: MOST_PICKUPS };
  const packages = Array.from({ length: MOST_PACKAGES }, () => largestDimensions);
  const { totalCentavos, lines } = price({ version: 0, ...rates }, route, packages);
  if (lines.some(({ quantity }) => quantity > MOST_QUANTITY)) {
    return [{ field: 'volumetricCm3PerKg', message: `bills the largest order at more than ${MOST_QUANTITY} kg` }];
  }
  if (totalCentavos <= MOST_CENTAVOS) return [];
  const tooExpensive = lines.filter(({ amount }) => amount > MOST_CENTAVOS);
  const message =
    `prices the largest order (${MOST_PICKUPS} pickups, ${MOST_PACKAGES} packages, ${MOST_QUANTITY} km) ` +
    `above ${formatMoney(MOST_CENTAVOS)}`;
  return (tooExpensive.length > 0 ? tooExpensive : lines).flatMap(({ kind }) =>
    fieldsOf[kind].map((field) => ({ field, message })),
  );
}

export function billableGrams({ width, height, length, weight }: Dimensions, cm3PerKg: number): number {
  return Math.round(Math.max(weight, (width * height * length * 1000) / cm3PerKg));
}

function line(kind: PriceLine['kind'], thousandths: number, unitPrice: Centavos): PriceLine {
  return { kind, quantity: thousandths / 1000, unitPrice, amount: wholeFromThousandths(thousandths * unitPrice) };
}

/** Half up, in integers: a division first would round twice. */
function wholeFromThousandths(product: number): number {
  const rest = product % 1000;
  return (product - rest) / 1000 + (rest >= 500 ? 1 : 0);
}
