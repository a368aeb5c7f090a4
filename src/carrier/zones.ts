import type { DetailCode, FieldError } from '../base/errors.js';
import { type Centavos, formatMoney } from '../base/money.js';
import type { BandPrices, RateCards, Service, ZoneRow, Zones } from '../db/tables/prices.js';

type UrbanRates = Pick<RateCards, 'urban_km' | 'per_km_centavos' | 'per_kg_centavos' | 'per_extra_stop_centavos'>;

export function lineHaulPrice(zones: Zones, service: Service, directMetres: number, grams: number): Centavos {
  const row = zones.rows.find(({ upToKm }) => directMetres <= upToKm * 1000) ?? zones.rows.at(-1);
  const prices = service === 'economy' ? row?.economy : row;
  if (!prices) throw new RangeError(`the rate card has no zones of ${service}`);
  const band = zones.weights.findIndex((max) => grams <= max);
  if (band >= 0) return prices.prices[band] ?? 0;
  const furtherGrams = grams - (zones.weights.at(-1) ?? 0);
  return (prices.prices.at(-1) ?? 0) + wholeFromThousandths(furtherGrams * prices.perFurtherKg);
}

/** Rounds half up, in integers. A division first would round twice. */
export function wholeFromThousandths(product: number): Centavos {
  const rest = product % 1000;
  return (product - rest) / 1000 + (rest >= 500 ? 1 : 0);
}

/**
 * Finds the errors of zones (contracts/guides/behaviour.md#prices). Each one would let a price fall for a larger order,
 * or leave an order without a price.
 */
export function zoneErrors(zones: Zones, rates: UrbanRates): FieldError[] {
  const shape = shapeErrors(zones, rates.urban_km ?? 0);
  if (shape.length > 0) return shape;
  const express = gridOf(zones, (row) => row, '');
  const economy = zones.economyDays === undefined ? [] : gridOf(zones, (row) => row.economy ?? row, '.economy');
  return [
    ...[express, economy].flatMap((grid) => [...fallErrors(grid), ...urbanErrors(grid[0] ?? [], zones, rates)]),
    ...dearerErrors(express, economy),
  ];
}

function shapeErrors({ weights, rows, economyDays }: Zones, urbanKm: number): FieldError[] {
  const error = (field: string, code: DetailCode, message: string) => ({ field: `zones.${field}`, code, message });
  const rising = (bounds: readonly number[], least: number, fieldOf: (at: number) => string) =>
    bounds.flatMap((bound, at) => {
      const before = bounds[at - 1] ?? least;
      return bound > before ? [] : [error(fieldOf(at), 'too_small', `must be above ${before}`)];
    });
  const isWhole = ({ prices }: BandPrices) => prices.length === weights.length;
  const onePriceEach = `must have a price for each of the ${weights.length} weights`;
  const lists = rows.flatMap((row, at) => [
    ...(isWhole(row) ? [] : [error(`rows.${at}.prices`, 'contradiction', onePriceEach)]),
    ...(row.economy && !isWhole(row.economy)
      ? [error(`rows.${at}.economy.prices`, 'contradiction', onePriceEach)]
      : []),
    ...((row.economy === undefined) === (economyDays === undefined)
      ? []
      : [error(`rows.${at}.economy`, 'contradiction', 'must be in every row, with economy_days, or in none')]),
  ]);
  return [
    ...rising(weights, 0, (at) => `weights.${at}`),
    ...rising(
      rows.map(({ upToKm }) => upToKm),
      urbanKm,
      (at) => `rows.${at}.upToKm`,
    ),
    ...lists,
  ];
}

interface Cell {
  field: string;
  price: Centavos;
}

/** The cells of each row: one per weight band, then the price per further kg. */
const gridOf = ({ rows }: Zones, pick: (row: ZoneRow) => BandPrices, part: string): Cell[][] =>
  rows.map((row, at) => {
    const { prices, perFurtherKg } = pick(row);
    const field = `zones.rows.${at}${part}`;
    return [
      ...prices.map((price, band) => ({ field: `${field}.prices.${band}`, price })),
      { field: `${field}.perFurtherKg`, price: perFurtherKg },
    ];
  });

function fallErrors(grid: readonly (readonly Cell[])[]): FieldError[] {
  return grid.flatMap((cells, at) =>
    cells.flatMap(({ field, price }, band): FieldError[] => {
      const isPerKg = band === cells.length - 1;
      if (!isPerKg && price < (cells[band - 1]?.price ?? 0))
        return [{ field, code: 'too_small', message: 'is less than for less weight' }];
      if (price < (grid[at - 1]?.[band]?.price ?? 0))
        return [{ field, code: 'too_small', message: 'is less than in the nearer zone' }];
      return [];
    }),
  );
}

/** Finds prices of the first zone that are below the price of a package at the far end of the urban zone. */
function urbanErrors(first: readonly Cell[], { weights }: Zones, rates: UrbanRates): FieldError[] {
  const { per_km_centavos, per_kg_centavos, per_extra_stop_centavos } = rates;
  const way = (rates.urban_km ?? 0) * per_km_centavos + per_extra_stop_centavos;
  return first.flatMap(({ field, price }, band) => {
    const grams = weights[band];
    const least = grams === undefined ? per_kg_centavos : way + Math.ceil((grams * per_kg_centavos) / 1000);
    const message = `is less than an urban package's way: ${formatMoney(least)}`;
    return price >= least ? [] : [{ field, code: 'too_small', message }];
  });
}

const dearerErrors = (express: readonly Cell[][], economy: readonly Cell[][]): FieldError[] =>
  economy.flatMap((cells, at) =>
    cells.flatMap(({ field, price }, band): FieldError[] =>
      price > (express[at]?.[band]?.price ?? 0)
        ? [{ field, code: 'too_large', message: 'is above the price of express' }]
        : [],
    ),
  );
