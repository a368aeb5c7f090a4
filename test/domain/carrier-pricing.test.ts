import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Dimensions, dimensionErrors } from '../../src/base/dimensions.js';
import { formatMoney, MAX_CENTAVOS } from '../../src/base/money.js';
import { billableGrams, type PricedPackage, price, type Rates, rateErrors } from '../../src/carrier/pricing.js';
import type { Zones } from '../../src/db/tables/prices.js';

const card = {
  version: 3,
  base_centavos: 890,
  per_km_centavos: 120,
  per_kg_centavos: 95,
  per_extra_stop_centavos: 350,
  volumetric_cm3_per_kg: 6000,
  urban_km: null,
  zones: null,
  ad_valorem: null,
};
const small = { width: 20, height: 10, length: 30, weight: 1200 };
const parcel = (dimensions: Dimensions, more: Partial<PricedPackage> = {}): PricedPackage => ({
  dimensions,
  pickupIndex: 0,
  directMetres: 0,
  declaredCentavos: null,
  ...more,
});
const plain = (rates: Rates & { version: number }, courierMetres: number, pickupCount: number, sizes: Dimensions[]) =>
  price(
    rates,
    'express',
    { courierMetres, pickupCount },
    sizes.map((size) => parcel(size)),
  );

const cents = fc.nat(9_999_999);
const none = fc.constant(null);
const plainRates = {
  base_centavos: cents,
  per_extra_stop_centavos: cents,
  volumetric_cm3_per_kg: fc.integer({ min: 1, max: 1_000_000 }),
  ...{ urban_km: none, zones: none, ad_valorem: none },
};
const side = fc.double({ min: 0.01, max: 100, noNaN: true });
const weight = fc.double({ min: 0.1, max: 30_000, noNaN: true });
const size = fc.record({ width: side, height: side, length: side, weight });

describe('a price', () => {
  test('has lines for the order, the distance, the weight and the stops beyond two', () => {
    expect(plain(card, 4210, 2, [small, small])).toEqual({
      lineHaul: [null, null],
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

  test('has lines that are rounded half up', () => {
    const rate = (per_km_centavos: number, distanceMetres: number) =>
      plain({ ...card, per_km_centavos }, distanceMetres, 1, [small]).lines[1]?.amount;
    expect([rate(1, 500), rate(1, 499), rate(3, 1500), rate(115, 1300)]).toEqual([1, 0, 5, 150]);
  });

  test('fits into Money with every card that is not refused, for any order', () => {
    const rates = fc.record({
      per_km_centavos: fc.oneof(cents, fc.nat(1_000_000)),
      per_kg_centavos: fc.oneof(cents, fc.nat(1000)),
      ...plainRates,
    });
    const accepted = size.filter((dimensions) => dimensionErrors(dimensions, '').length === 0);
    const largest = { width: 200 / 3, height: 200 / 3, length: 200 / 3, weight: 30_000 };
    const route = fc.record({
      distanceMetres: fc.integer({ min: 900_000_000, max: 1_000_000_000 }),
      pickupCount: fc.constantFrom(1, 10),
    });
    let refused = 0;
    fc.assert(
      fc.property(rates, route, fc.oneof(accepted, fc.constant(largest)), (added, stops, each) => {
        const refusable = rateErrors(added).length > 0;
        refused += Number(refusable);
        const { totalCentavos, lines } = plain(
          { version: 1, ...added },
          stops.distanceMetres,
          stops.pickupCount,
          Array.from({ length: 100 }, () => each),
        );
        const sayable = totalCentavos <= MAX_CENTAVOS && lines.every(({ quantity }) => quantity <= 1_000_000);
        expect(sayable || refusable).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(450);
  });

  test('adds up in whole centavos with any rates', () => {
    const version = fc.constant(1);
    const cards = fc.record({ version, per_km_centavos: cents, per_kg_centavos: cents, ...plainRates });
    const sizes = fc.array(size, { minLength: 1, maxLength: 100 });
    const route = fc.record({ distanceMetres: fc.nat(100_000_000), pickupCount: fc.integer({ min: 1, max: 10 }) });
    fc.assert(
      fc.property(cards, route, sizes, (rates, stops, packages) => {
        const { totalCentavos, lines } = plain(rates, stops.distanceMetres, stops.pickupCount, packages);
        expect(totalCentavos).toBe(lines.reduce((sum, { amount }) => sum + amount, 0));
        for (const { quantity, unitPrice, amount } of lines) {
          expect(Number.isSafeInteger(amount)).toBe(true);
          expect(Math.abs(amount - quantity * unitPrice)).toBeLessThanOrEqual(0.5 + quantity * unitPrice * 1e-12);
        }
      }),
    );
  });
});

describe('zones', () => {
  const zones: Zones = {
    weights: [1000, 5000],
    rows: [
      { upToKm: 100, prices: [1500, 2000], perFurtherKg: 100 },
      { upToKm: 500, prices: [2500, 4000], perFurtherKg: 300 },
    ],
  };
  const rates = { ...card, per_km_centavos: 10, per_kg_centavos: 50, urban_km: 60, zones, ad_valorem: null };
  const one = { width: 1, height: 1, length: 1, weight: 1000 };
  const by = (packages: PricedPackage[], ad_valorem: Rates['ad_valorem'] = null) =>
    price({ ...rates, ad_valorem }, 'express', { courierMetres: 80_000, pickupCount: 2 }, packages);

  test('price each package that goes beyond the urban kilometres by line-haul alone', () => {
    const far = parcel({ ...one, weight: 7500 }, { directMetres: 100_001, pickupIndex: 1 });
    const { lines, lineHaul } = by([
      parcel(one, { directMetres: 60_000 }),
      far,
      parcel(one, { directMetres: 900_000 }),
    ]);
    expect(lineHaul).toEqual([null, 4750, 2500]);
    expect(lines.map(({ kind, quantity, amount }) => [kind, quantity, amount])).toEqual([
      ['base', 1, 890],
      ['distance', 60, 600],
      ['weight', 1, 50],
      ['line_haul', 1, 7250],
    ]);
    expect(by([far]).lines).toEqual([{ kind: 'line_haul', quantity: 1, unitPrice: 4750, amount: 4750 }]);
  });

  test('charge a part of declared values, and the least amount once per order', () => {
    const declared = (centavos: number) => parcel(one, { declaredCentavos: centavos });
    const adValorem = { basisPoints: 30, leastCentavos: 100 };
    const paid = (...values: number[]) => by(values.map(declared), adValorem).lines.at(-1);
    expect(paid(100, 200)).toEqual({ kind: 'ad_valorem', quantity: 1, unitPrice: 100, amount: 100 });
    expect(paid(10_000_000, 150)).toMatchObject({ kind: 'ad_valorem', amount: 30_000 });
    expect(by([parcel(one)], adValorem).lines.map(({ kind }) => kind)).not.toContain('ad_valorem');
  });

  const row = (more: Partial<Zones['rows'][number]>, at = 0): Zones => ({
    ...zones,
    rows: zones.rows.map((each, index) => (index === at ? { ...each, ...more } : each)),
  });
  const economy = { prices: [1400, 1900], perFurtherKg: 90 };
  const both = (first: object, days = 3): Zones => ({
    ...zones,
    economyDays: days,
    rows: zones.rows.map((each, at) => ({ ...each, economy: at === 0 ? { ...economy, ...first } : { ...economy } })),
  });

  test.each<[string, Zones, string[]]>([
    ['weights that do not rise', { ...zones, weights: [1000, 1000] }, ['zones.weights.1']],
    ['a first zone within the urban kilometres', row({ upToKm: 60 }), ['zones.rows.0.upToKm']],
    ['distances that do not rise', row({ upToKm: 100 }, 1), ['zones.rows.1.upToKm']],
    ['a missing price', row({ prices: [1500] }), ['zones.rows.0.prices']],
    ['a price that falls with weight', row({ prices: [2500, 2400] }, 1), ['zones.rows.1.prices.1']],
    ['a price that falls with distance', row({ prices: [1400, 4000] }, 1), ['zones.rows.1.prices.0']],
    ['a price per kg that falls', row({ perFurtherKg: 99 }, 1), ['zones.rows.1.perFurtherKg']],
    [
      'a first zone below an urban package',
      row({ prices: [999, 1199] }),
      ['zones.rows.0.prices.0', 'zones.rows.0.prices.1'],
    ],
    ['a price per kg below the urban one', row({ perFurtherKg: 49 }), ['zones.rows.0.perFurtherKg']],
    ['economy in one row only', row({ economy }), ['zones.rows.0.economy']],
    [
      'economy above express',
      both({ prices: [1400, 2001] }),
      ['zones.rows.1.economy.prices.1', 'zones.rows.0.economy.prices.1'],
    ],
    ['economy below an urban package', both({ prices: [999, 1900] }), ['zones.rows.0.economy.prices.0']],
  ])('with %s are refused, and the error names the place', (_, wrong, fields) => {
    expect(rateErrors({ ...rates, zones: wrong }).map(({ field }) => field)).toEqual(fields);
  });

  test('at the bounds of the rules are not refused', () => {
    expect(rateErrors(rates)).toEqual([]);
    expect(rateErrors({ ...rates, zones: both({}) })).toEqual([]);
    expect(rateErrors({ ...rates, zones: row({ prices: [1000, 1200], perFurtherKg: 50 }) })).toEqual([]);
    expect(rateErrors({ ...rates, zones: null })).toMatchObject([{ field: 'urbanKm' }]);
  });

  test('never price an order beyond Money, or else are refused', () => {
    const dear = (most: number, volumetricCm3PerKg: number): Rates => ({
      ...{
        ...rates,
        volumetric_cm3_per_kg: volumetricCm3PerKg,
        ad_valorem: { basisPoints: 10_000, leastCentavos: 9_999_999 },
      },
      zones: { weights: [1000], rows: [{ upToKm: 100, prices: [most], perFurtherKg: most }] },
    });
    const largest = { width: 66.6, height: 66.7, length: 66.7, weight: 30_000 };
    const far = parcel(largest, { directMetres: 1e9, declaredCentavos: 10_000_000 });
    const total = (added: Rates) =>
      price({ version: 1, ...added }, 'express', { courierMetres: 0, pickupCount: 1 }, Array(100).fill(far))
        .totalCentavos;
    const cases = [dear(9_999_999, 6000), dear(9_999_999, 200), dear(9_999_999, 30), dear(100_000, 30)];
    expect(cases.map((added) => rateErrors(added).length > 0)).toEqual([false, true, true, false]);
    for (const added of cases) expect(rateErrors(added).length > 0 || total(added) <= MAX_CENTAVOS).toBe(true);
    expect(rateErrors(dear(9_999_999, 30))[0]?.message).toContain(formatMoney(MAX_CENTAVOS));
  });
});
