import type { Centavos } from '../base/money.js';
import type { Dimensions } from '../packages/package.js';
import type { PriceLine, Pricing } from './order.js';
import type { Rates } from './rates.js';

export interface PricedRoute {
  distanceMetres: number;
  pickupCount: number;
}

/**
 * The price of an order by a rate card, in whole centavos (contracts/decisions.md §4): each line is rounded half up on its own
 * and the total is the sum of the lines. Every package is a delivery, and so a stop.
 */
export function price(card: Rates & { version: number }, route: PricedRoute, packages: readonly Dimensions[]): Pricing {
  const grams = packages.reduce((sum, parcel) => sum + billableGrams(parcel, card.volumetricCm3PerKg), 0);
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

/** The larger of the actual and the volumetric weight, to the gram. */
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
