import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dimensionErrors } from '../../src/base/dimensions.js';
import { MOST_CENTAVOS } from '../../src/base/money.js';
import { billableGrams, price, rateErrors } from '../../src/orders/pricing.js';

const card = {
  version: 3,
  baseCentavos: 890,
  perKmCentavos: 120,
  perKgCentavos: 95,
  perExtraStopCentavos: 350,
  volumetricCm3PerKg: 6000,
};
const small = { width: 20, height: 10, length: 30, weight: 1200 };

describe('a price', () => {
  test('has a line for the order, the way, the weight and each stop beyond two', () => {
    expect(price(card, { distanceMetres: 4210, pickupCount: 2 }, [small, small])).toEqual({
      totalCentavos: 890 + 505 + 228 + 700,
      rateCardVersion: 3,
      lines: [
        { kind: 'base', quantity: 1, unitPrice: 890, amount: 890 },
        { kind: 'distance', quantity: 4.21, unitPrice: 120, amount: 505 },
        { kind: 'weight', quantity: 2.4, unitPrice: 95, amount: 228 },
        { kind: 'extra_stop', quantity: 2, unitPrice: 350, amount: 700 },
      ],
    });
  });

  test('bills the larger of the actual and the volumetric weight of each package', () => {
    expect(billableGrams(small, 6000)).toBe(1200);
    expect(billableGrams({ ...small, height: 20 }, 6000)).toBe(2000);
  });

  test('rounds a line half up', () => {
    const rate = (perKmCentavos: number, distanceMetres: number) =>
      price({ ...card, perKmCentavos }, { distanceMetres, pickupCount: 1 }, [small]).lines[1]?.amount;
    expect([rate(1, 500), rate(1, 499), rate(3, 1500), rate(115, 1300)]).toEqual([1, 0, 5, 150]);
  });

  test('is within Money by every card that is not refused, whatever the order', () => {
    const cents = fc.nat(9_999_999);
    const rates = fc.record({
      baseCentavos: cents,
      perKmCentavos: fc.oneof(cents, fc.nat(1_000_000)),
      perKgCentavos: fc.oneof(cents, fc.nat(1000)),
      perExtraStopCentavos: cents,
      volumetricCm3PerKg: fc.integer({ min: 1, max: 1_000_000 }),
    });
    const side = fc.double({ min: 0.01, max: 100, noNaN: true });
    const size = fc
      .record({ width: side, height: side, length: side, weight: fc.double({ min: 0.1, max: 30_000, noNaN: true }) })
      .filter((dimensions) => dimensionErrors(dimensions, '').length === 0);
    const largest = { width: 200 / 3, height: 200 / 3, length: 200 / 3, weight: 30_000 };
    const route = fc.record({
      distanceMetres: fc.integer({ min: 900_000_000, max: 1_000_000_000 }),
      pickupCount: fc.constantFrom(1, 10),
    });
    let refused = 0;
    fc.assert(
      fc.property(rates, route, fc.oneof(size, fc.constant(largest)), (added, stops, each) => {
        const refusable = rateErrors(added).length > 0;
        refused += Number(refusable);
        const { totalCentavos, lines } = price(
          { version: 1, ...added },
          stops,
          Array.from({ length: 100 }, () => each),
        );
        const sayable = totalCentavos <= MOST_CENTAVOS && lines.every(({ quantity }) => quantity <= 1_000_000);
        expect(sayable || refusable).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(450);
  });

  test('adds up, in whole centavos, whatever the rates', () => {
    const cents = fc.nat(9_999_999);
    const cards = fc.record({
      version: fc.constant(1),
      baseCentavos: cents,
      perKmCentavos: cents,
      perKgCentavos: cents,
      perExtraStopCentavos: cents,
      volumetricCm3PerKg: fc.integer({ min: 1, max: 1_000_000 }),
    });
    const side = fc.double({ min: 0.01, max: 100, noNaN: true });
    const sizes = fc.array(
      fc.record({ width: side, height: side, length: side, weight: fc.double({ min: 0.1, max: 30_000, noNaN: true }) }),
      { minLength: 1, maxLength: 100 },
    );
    const route = fc.record({ distanceMetres: fc.nat(100_000_000), pickupCount: fc.integer({ min: 1, max: 10 }) });
    fc.assert(
      fc.property(cards, route, sizes, (rates, stops, packages) => {
        const { totalCentavos, lines } = price(rates, stops, packages);
        expect(totalCentavos).toBe(lines.reduce((sum, { amount }) => sum + amount, 0));
        for (const { quantity, unitPrice, amount } of lines) {
          expect(Number.isSafeInteger(amount)).toBe(true);
          expect(Math.abs(amount - quantity * unitPrice)).toBeLessThanOrEqual(0.5 + quantity * unitPrice * 1e-12);
        }
      }),
    );
  });
});
