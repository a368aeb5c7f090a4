/**
 * Measures how many addresses lie within the accuracy of their place, by addresses that are left out of the tables, and
 * writes the factors by which nine of ten do to src/routing/data/accuracy.json: npx tsx lab/bench/accuracy.ts [--write]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Place } from '../../src/base/place.js';
import table from '../../src/routing/data/accuracy.json' with { type: 'json' };
import { sizeOf } from '../../src/routing/places/accuracy.js';
import { type Municipality, municipalityOfCode } from '../../src/routing/places/municipalities.js';
import { judge, quantile, spread } from '../../test/support/figures.js';
import { forms, placeWritten } from './geocode/held-out.js';
import { placeByRegisters } from './geocode/registers.js';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const SHARE = 0.9;
/** A class of fewer addresses has the factor of all sizes. */
const LEAST = 500;

type Scored = { place: Place; off: number; size: number };

/** Metres off over the accuracy that the place has now. */
const ratioOf = ({ place, off }: Scored): number => off / (place.accuracyMetres ?? 1);

const scoredPlace = (municipality: Municipality | undefined, place: Place | undefined, off: number): Scored[] =>
  place && municipality ? [{ place, off, size: sizeOf(municipality) }] : [];

// Points of OpenStreetMap lie where mappers live, and registers are those of cities: both are asked.
const scored = [
  ...(['street', 'address'] as const).flatMap((split) =>
    placeWritten(split, forms).flatMap(({ point, place, off }) =>
      scoredPlace(municipalityOfCode(Number(point.ibge)), place, off),
    ),
  ),
  ...placeByRegisters().flatMap(({ municipality, place, off }) => scoredPlace(municipality, place, off)),
];

function shareWithin(some: readonly Scored[]): number {
  return some.filter((each) => ratioOf(each) <= 1).length / some.length;
}

const factors = Object.entries(table).map(([precision, old]) => {
  const all = scored.filter(({ place }) => place.precision === precision);
  const renewed = old.map((factor, size) => {
    const ofSize = all.filter((each) => each.size === size);
    const counted = ofSize.length < LEAST ? all : ofSize;
    if (counted.length === 0) return factor;
    const [half = 0, most = 0] = [0.5, SHARE].map((share) => quantile(counted.map(ratioOf), share));
    const accuracy = quantile(
      counted.map(({ place }) => place.accuracyMetres ?? 0),
      0.5,
    );
    const what = `${precision}, size ${size}, ${ofSize.length} addresses, median accuracy ${accuracy} m, half within ${half.toFixed(2)}`;
    judge(`${what}: share within`, spread([shareWithin(counted)]), SHARE - 0.02, 'at least');
    return Number((factor * most).toPrecision(3));
  });
  return [precision, renewed] as const;
});

if (values.write) {
  const lines = factors.map(([precision, numbers]) => `  "${precision}": [${numbers.join(', ')}]`);
  writeFileSync(new URL('../../src/routing/data/accuracy.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
