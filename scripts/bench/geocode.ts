/**
 * The embedded geocoder: how far off it places addresses that its tables do not know, whether a CEP gives the right
 * municipality, and the time and memory that it takes: node --expose-gc --import tsx scripts/bench/geocode.ts
 */

import type { Placed, splits } from './geocode/held-out.js';
import type { Agreement } from './geocode/postal-codes.js';

// First, before anything else reads the tables.
const { measureTime } = await import('./geocode/time.js');
measureTime();
const { placeHeldOut, quantile } = await import('./geocode/held-out.js');
const { addressesByTable, existingByRanges } = await import('./geocode/postal-codes.js');

/** IBGE codes of the twenty municipalities with the most inhabitants (census of 2022). */
const LARGEST = new Set(
  (
    '3550308 3304557 5300108 2304400 2927408 3106200 1302603 4106902 2611606 5208707 ' +
    '4314902 1501402 3518800 3509502 2111300 2704302 3304904 5002704 2211001 2507507'
  ).split(' '),
);

/** In km over addresses with neighbourhood and CEP; the share is that of the largest cities which is better than `city`. */
const goals = {
  street: { p50: 0.6, p95: 8, share: 0.8 },
  neighbourhood: { p50: 1, p95: Number.POSITIVE_INFINITY, share: 0 },
  address: undefined,
} satisfies Record<keyof typeof splits, { p50: number; p95: number; share: number } | undefined>;

let missed = 0;

const km = (placed: readonly Placed[], share: number): number =>
  quantile(
    placed.map(({ off }) => off),
    share,
  ) / 1_000;
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
const errors = (placed: readonly Placed[]): string =>
  `p50 ${km(placed, 0.5).toFixed(2)} km, p95 ${km(placed, 0.95).toFixed(2)} km`;

function scoreSplit(split: keyof typeof splits): void {
  const all = placeHeldOut(split);
  const full = all.filter(({ point }) => point.neighbourhood !== '' && point.cep !== '');
  const large = full.filter(({ point }) => LARGEST.has(point.ibge));
  const better = large.filter(({ place }) => place.precision !== 'city').length;
  console.log(`\nleft out by ${split}: ${all.length} addresses, ${errors(all)}`);
  console.log(`  with neighbourhood and CEP: ${full.length}, ${errors(full)}`);
  for (const precision of ['street', 'postal_code', 'district', 'city']) {
    const placed = full.filter(({ place }) => place.precision === precision);
    if (placed.length > 0) console.log(`    ${precision}: ${percent(placed.length, full.length)}, ${errors(placed)}`);
  }
  console.log(
    `  in the twenty largest cities: ${large.length}, ${errors(large)}, ${percent(better, large.length)} better than city`,
  );
  const goal = goals[split];
  if (goal === undefined) return;
  const [p50, p95, share] = [km(full, 0.5), km(full, 0.95), better / large.length];
  const isReached = p50 <= goal.p50 && p95 <= goal.p95 && share >= goal.share;
  if (!isReached) missed++;
  console.log(
    `  goal p50 ${goal.p50} km, p95 ${goal.p95} km, ${goal.share * 100} % of the largest: ${isReached ? 'reached' : 'MISSED'}`,
  );
}

function scorePostalCodes(asked: string, { asked: all, alone, accepted }: Agreement): void {
  console.log(
    `${asked}: ${percent(alone, all)} of ${Math.round(all)} CEPs the same, ${percent(accepted, all)} accepted`,
  );
}

console.log('');
scorePostalCodes('existing CEPs, asked of Correios’ ranges alone', existingByRanges());
scorePostalCodes('CEPs of OpenStreetMap’s addresses, asked of the table', addressesByTable());
for (const split of ['street', 'neighbourhood', 'address'] as const) scoreSplit(split);
if (missed > 0) process.exitCode = 1;
