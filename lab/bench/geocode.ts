/**
 * Measures the embedded geocoder: its error for addresses that its tables do not know, the share of CEPs with the right
 * municipality, and its time and memory: npx tsx lab/bench/geocode.ts [--quick]. `--quick` leaves out the figures from
 * OpenStreetMap's points.
 */
import { parseArgs } from 'node:util';
import { addressedPoints } from '../../scripts/places/sources.js';
import { judge, mention, quantile, spread } from '../figures.js';
import type { Placed, splits } from './geocode/held-out.js';
import type { Agreement } from './geocode/postal-codes.js';
import { importBundled } from './programs.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });

// Loaded before memory is measured.
const points = addressedPoints();
const { measureTime }: typeof import('./geocode/time.js') = await importBundled('lab/bench/geocode/time.ts');
let missed = measureTime(points) ? 0 : 1;
const { placeHeldOut } = await import('./geocode/held-out.js');
const { lefts, placeByRegisters } = await import('./geocode/registers.js');
const { addressesByTable, existingByRanges } = await import('./geocode/postal-codes.js');

/** IBGE codes of the twenty largest municipalities by inhabitants (census of 2022). */
const LARGEST = new Set(
  (
    '3550308 3304557 5300108 2304400 2927408 3106200 1302603 4106902 2611606 5208707 ' +
    '4314902 1501402 3518800 3509502 2111300 2704302 3304904 5002704 2211001 2507507'
  ).split(' '),
);

/**
 * Errors in km for addresses with neighbourhood and CEP. `better` is the share of addresses in the largest cities whose
 * precision is better than `city`.
 */
const goals: Partial<Record<keyof typeof splits, { p50: number; p95?: number; better?: number }>> = {
  street: { p50: 0.6, p95: 8, better: 0.8 },
  neighbourhood: { p50: 1 },
};

/** Errors in km for `street, number, city - UF`. */
const registerGoals: Record<string, Record<number, number>> = {
  number: { 0.5: 0.1, 0.95: 1.5 },
  street: { 0.5: 1.2, 0.95: 6 },
  city: { 0.5: 1.5, 0.95: 8 },
};

function tell(title: string, value: number, goal?: number, kind: 'below' | 'at least' = 'below'): void {
  if (goal === undefined) mention(title, spread([value]));
  else if (!judge(title, spread([value]), goal, kind)) missed++;
}

function km(placed: readonly Pick<Placed, 'off'>[], share: number): number {
  const metres = placed.map(({ off }) => off);
  return quantile(metres, share) / 1_000;
}

function scoreSplit(split: keyof typeof splits): void {
  const all = placeHeldOut(split);
  const full = all.filter(({ point }) => point.neighbourhood !== '' && point.cep !== '');
  const large = full.filter(({ point }) => LARGEST.has(point.ibge));
  const better = large.filter(({ place }) => place && place.precision !== 'city');
  const goal = goals[split];
  const name = `left out by ${split}`;
  for (const share of [0.5, 0.95]) tell(`${name}, all ${all.length}: p${share * 100}, km`, km(all, share));
  tell(`${name}, ${full.length} with neighbourhood and CEP: p50, km`, km(full, 0.5), goal?.p50);
  tell(`${name}, with neighbourhood and CEP: p95, km`, km(full, 0.95), goal?.p95);
  tell(
    `${name}, in the twenty largest cities: share better than city`,
    better.length / large.length,
    goal?.better,
    'at least',
  );
  for (const precision of ['street', 'postal_code', 'district', 'city', undefined]) {
    const placed = full.filter(({ place }) => place?.precision === precision);
    const what = `${name}, ${precision ?? 'refused (counted at the seat)'}`;
    tell(`${what}: share`, placed.length / full.length);
    if (placed.length > 0) for (const share of [0.5, 0.95]) tell(`${what}: p${share * 100}, km`, km(placed, share));
  }
}

function scorePostalCodes(title: string, { asked, alone, accepted }: Agreement): void {
  tell(`${title}: share with the same municipality`, alone / asked);
  tell(`${title}: share accepted`, accepted / asked);
}

const judged = placeByRegisters();
for (const left of lefts) {
  const placed = judged.filter((each) => each.left === left);
  for (const city of [undefined, ...new Set(placed.map(({ municipality }) => municipality))]) {
    const inside = placed.filter(({ municipality }) => !city || municipality === city);
    const name = `registers, ${left} left out, ${city?.name ?? 'all'}`;
    for (const share of [0.5, 0.95])
      tell(`${name}: p${share * 100}, km`, km(inside, share), city ? undefined : registerGoals[left]?.[share]);
    const far = inside.filter(({ place, off }) => place && place.precision !== 'city' && off > 5_000);
    tell(`${name}: share finer than city and more than 5 km off`, far.length / inside.length);
  }
}
scorePostalCodes('existing CEPs, asked of Correios’ ranges alone', existingByRanges());
scorePostalCodes('CEPs of OpenStreetMap’s addresses, asked of the table', addressesByTable());
for (const split of values.quick ? [] : (['street', 'neighbourhood', 'address'] as const)) scoreSplit(split);
if (missed > 0) process.exitCode = 1;
