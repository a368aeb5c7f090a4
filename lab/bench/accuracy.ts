/**
 * Measures how many addresses lie within the accuracy of their place, using addresses that are not in the tables: npx
 * tsx lab/bench/accuracy.ts [--write] [--quick]. Computes the factors within which nine of ten addresses lie, and
 * writes them to src/routing/data/accuracy.json with `--write`. One half of the streets sets the factors, the other
 * half checks them. Prints the share by class and by source. `--quick` uses a fifth of OpenStreetMap's points.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { AddressedPoint } from '../../scripts/places/sources.js';
import table from '../../src/routing/data/accuracy.json' with { type: 'json' };
import { type Known, sizeOf } from '../../src/routing/places/accuracy.js';
import { judge, mention, quantile, spread } from '../figures.js';
import { forms, municipalityOf, type Placed, placeWritten } from './geocode/held-out.js';
import { placeByRegisters } from './geocode/registers.js';

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});

const SHARE = 0.9;
/** Kinds of places, such as schools and shops, whose points are less exact in other sources. They are left out. */
const AIMED_HIGHER = new Set<string>(['part', 'street', 'district'] satisfies Known[]);
const HIGHER = 0.92;
/** A class with fewer addresses than this uses the factor of all sizes. */
const LEAST = 500;
/** These factors need other sources: points that are not doors for doors, and GeoNames for the whole country. */
const FIXED = new Set<string>(['rooftop', 'number', 'rural'] satisfies Known[]);

interface Scored {
  known: Known;
  source: string;
  accuracy: number;
  off: number;
  size: number;
  /** Figures of the half that checks the factors. */
  judges: boolean;
}

/** The error in metres divided by the accuracy that the place has now. */
const ratioOf = ({ accuracy, off }: Scored): number => off / accuracy;

const isWithin = (scored: Scored): boolean => ratioOf(scored) <= 1;

const isJudge = ({ ibge, street }: AddressedPoint): boolean =>
  (createHash('sha256').update(`${ibge} judge ${street}`).digest()[0] ?? 0) < 128;

const scoredOf =
  (source: string) =>
  ({ point, place, known, off }: Pick<Placed, 'point' | 'place' | 'known' | 'off'>): Scored[] =>
    place?.accuracyMetres === undefined || known === undefined
      ? []
      : [
          {
            known,
            source,
            accuracy: place.accuracyMetres,
            off,
            size: sizeOf(municipalityOf(point.ibge)),
            judges: isJudge(point),
          },
        ];

// Both sources are used: OpenStreetMap's points lie where mappers live, and registers exist in cities only.
const ofMaps = (['street', 'address'] as const).flatMap((split) =>
  placeWritten(split, forms, values.quick ? 1 : undefined).flatMap(scoredOf(`OpenStreetMap, ${split} left out`)),
);
const registers = placeByRegisters();
const ofRegisters = (['city', 'street', 'number'] as const).map((left) =>
  registers.filter((each) => each.left === left).flatMap(scoredOf(`registers, ${left} left out`)),
);
const scored = [...ofMaps, ...ofRegisters.flat()];
// Most cities have no register.
const asMostCities = [...ofMaps, ...(ofRegisters[0] ?? [])];

/** The quantile, with the same weight for each source. */
function evenQuantile(list: readonly Scored[], share: number): number {
  const counts = new Map<string, number>();
  for (const { source } of list) counts.set(source, (counts.get(source) ?? 0) + 1);
  const sorted = list
    .map((each) => ({ ratio: ratioOf(each), weight: 1 / (counts.get(each.source) ?? 1) }))
    .sort((a, b) => a.ratio - b.ratio);
  let sum = 0;
  for (const { ratio, weight } of sorted) {
    sum += weight;
    if (sum >= share * counts.size) return ratio;
  }
  return 1;
}

const factors = Object.entries(table).map(([known, old]) => {
  const all = asMostCities.filter((each) => each.known === known);
  const renewed = old.map((factor, size) => {
    const ofSize = all.filter((each) => each.size === size);
    const counted = ofSize.length < LEAST ? all : ofSize;
    if (counted.length === 0 || FIXED.has(known)) return factor;
    const share = AIMED_HIGHER.has(known) ? HIGHER : SHARE;
    const most = evenQuantile(
      counted.filter(({ judges }) => !judges),
      share,
    );
    const judges = counted.filter((each) => each.judges);
    const metres = quantile(
      judges.map(({ accuracy }) => most * accuracy),
      0.5,
    );
    const what = `${known}, size ${size}, ${ofSize.length} addresses, median accuracy ${Math.round(metres)} m`;
    const within = judges.filter((each) => ratioOf(each) <= most).length / judges.length;
    judge(`${what}: share within`, spread([within]), SHARE - 0.03, 'at least');
    judge(`${what}: share within`, spread([within]), SHARE + 0.03, 'below');
    return Number((factor * most).toPrecision(3));
  });
  return [known, renewed] as const;
});

/** The share of addresses within the accuracy that is in use now. */
function tellShares(title: string, classOf: (each: Scored) => string): void {
  for (const name of [...new Set(scored.map(classOf))].sort()) {
    const inside = scored.filter((each) => classOf(each) === name);
    const share = inside.filter(isWithin).length / inside.length;
    mention(`${title} ${name}, ${inside.length} addresses: share within`, spread([share]));
  }
}

const upTo = (metres: number): string =>
  [200, 400, 800, 1_500, 4_000]
    .find((most) => metres <= most)
    ?.toString()
    .concat(' m') ?? 'more';

tellShares('by class:', ({ known }) => known);
tellShares('by class and accuracy:', ({ known, accuracy }) => `${known} up to ${upTo(accuracy)}`);
tellShares('by source:', ({ source }) => source);
tellShares('by class and source:', ({ known, source }) => `${known}, ${source}`);

if (values.write) {
  const lines = factors.map(([known, numbers]) => `  "${known}": [${numbers.join(', ')}]`);
  writeFileSync(new URL('../../src/routing/data/accuracy.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}
