/**
 * Measures how many addresses lie within the accuracy of their place, by addresses that are left out of the tables, and
 * writes to src/routing/data/accuracy.json the factors by which nine of ten do: one half of the streets gives them, the
 * other half judges them: npx tsx lab/bench/accuracy.ts [--write]
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { AddressedPoint } from '../../scripts/places/sources.js';
import type { Place, Precision } from '../../src/base/place.js';
import table from '../../src/routing/data/accuracy.json' with { type: 'json' };
import { sizeOf } from '../../src/routing/places/accuracy.js';
import { metresBetween } from '../../src/routing/places/clusters.js';
import { judge, quantile, spread } from '../figures.js';
import { forms, municipalityOf, type Placed, placeWritten } from './geocode/held-out.js';
import { placeByRegisters } from './geocode/registers.js';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const SHARE = 0.9;
/** A class of fewer addresses has the factor of all sizes. */
const LEAST = 500;

type Scored = { known: Precision | 'town'; accuracy: number; off: number; size: number; judges: boolean };

/** Metres off over the accuracy that the place has now. */
const ratioOf = ({ accuracy, off }: Scored): number => off / accuracy;

/** Half of the streets measure the factors, the others judge them. */
const isJudge = ({ ibge, street }: AddressedPoint): boolean =>
  (createHash('sha256').update(`${ibge} judge ${street}`).digest()[0] ?? 0) < 128;

/** The place of an address, and that of its city alone. */
function scoredPlaces({ point, place, town }: Pick<Placed, 'point' | 'place' | 'town'>): Scored[] {
  const scoredAs = (known: Scored['known'], { accuracyMetres = 1, ...at }: Place): Scored => ({
    known,
    accuracy: accuracyMetres,
    off: metresBetween(point, at),
    size: sizeOf(municipalityOf(point.ibge)),
    judges: isJudge(point),
  });
  const isTown = place?.latitude === town.latitude && place.longitude === town.longitude;
  return [scoredAs('town', town), ...(place && !isTown ? [scoredAs(place.precision, place)] : [])];
}

// Points of OpenStreetMap lie where mappers live, and registers are those of cities: both are asked.
const scored = [
  ...(['street', 'address'] as const).flatMap((split) => placeWritten(split, forms).flatMap(scoredPlaces)),
  ...placeByRegisters().flatMap(scoredPlaces),
];

const factors = Object.entries(table).map(([precision, old]) => {
  const all = scored.filter(({ known }) => known === precision);
  const renewed = old.map((factor, size) => {
    const ofSize = all.filter((each) => each.size === size);
    const counted = ofSize.length < LEAST ? all : ofSize;
    if (counted.length === 0) return factor;
    const most = quantile(counted.filter(({ judges }) => !judges).map(ratioOf), SHARE);
    const judges = counted.filter((each) => each.judges);
    const metres = quantile(
      judges.map(({ accuracy }) => most * accuracy),
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
