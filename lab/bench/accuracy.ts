/**
 * Measures how many addresses lie within the accuracy of their place, by addresses that are left out of the tables, and
 * writes to src/routing/data/accuracy.json the factors by which nine of ten do: one half of the streets gives them, the
 * other half judges them: npx tsx lab/bench/accuracy.ts [--write]
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Place } from '../../src/base/place.js';
import table from '../../src/routing/data/accuracy.json' with { type: 'json' };
import { sizeOf } from '../../src/routing/places/accuracy.js';
import { judge, quantile, spread } from '../../test/support/figures.js';
import { asked, municipalityOf, placeWritten } from './geocode/held-out.js';
import { placeByRegisters } from './geocode/registers.js';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const SHARE = 0.9;
/** A class of fewer addresses has the factor of all sizes. */
const LEAST = 500;

type Scored = { place: Place; off: number; size: number; judges: boolean };

/** Metres off over the accuracy that the place has now. */
const ratioOf = ({ place, off }: Scored): number => off / (place.accuracyMetres ?? 1);

/** Half of the streets measure the factors, the others judge them. */
const isJudge = ({ ibge, street }: { ibge: string; street: string }): boolean =>
  (createHash('sha256').update(`${ibge} judge ${street}`).digest()[0] ?? 0) < 128;

function scoredPlace(point: { ibge: string; street: string }, place: Place | undefined, off: number): Scored[] {
  return place ? [{ place, off, size: sizeOf(municipalityOf(point.ibge)), judges: isJudge(point) }] : [];
}

// Points of OpenStreetMap lie where mappers live, and registers are those of cities: both are asked.
const scored = [
  ...(['street', 'address'] as const).flatMap((split) =>
    placeWritten(split, asked).flatMap(({ point, place, off }) => scoredPlace(point, place, off)),
  ),
  ...placeByRegisters().flatMap(({ point, place, off }) => scoredPlace(point, place, off)),
];

const factors = Object.entries(table).map(([precision, old]) => {
  const all = scored.filter(({ place }) => place.precision === precision);
  const renewed = old.map((factor, size) => {
    const ofSize = all.filter((each) => each.size === size);
    const counted = ofSize.length < LEAST ? all : ofSize;
    if (counted.length === 0) return factor;
    const most = quantile(counted.filter(({ judges }) => !judges).map(ratioOf), SHARE);
    const judges = counted.filter((each) => each.judges);
    const metres = quantile(
      judges.map(({ place }) => most * (place.accuracyMetres ?? 0)),
      0.5,
    );
    const what = `${precision}, size ${size}, ${ofSize.length} addresses, median accuracy ${Math.round(metres)} m`;
    const within = judges.filter((each) => ratioOf(each) <= most).length / judges.length;
    judge(`${what}: share within`, spread([within]), SHARE - 0.02, 'at least');
    judge(`${what}: share within`, spread([within]), SHARE + 0.02, 'below');
    return Number((factor * most).toPrecision(3));
  });
  return [precision, renewed] as const;
});

if (values.write) {
  const lines = factors.map(([precision, numbers]) => `  "${precision}": [${numbers.join(', ')}]`);
  writeFileSync(new URL('../../src/routing/data/accuracy.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
