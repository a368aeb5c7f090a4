import type { AreaIndex } from '../../carrier/areas.js';
import { isCapital } from '../../routing/address/lone-city.js';
import { type Municipality, municipalityOfCode } from '../../routing/places/municipalities.js';
import { postalCodeRanges } from '../../routing/places/postal-codes.js';

/** CEPs of one municipality for which the same service area decides, both ends inclusive. */
export interface CepRange {
  from: number;
  to: number;
  municipality: Municipality;
  /** Counts of sample CEPs: where prices hardly differ, and where they may differ. */
  few: number;
  many: number;
}

const FIVE_DIGITS = 1_000;
/** Counts of samples by kind of range: `few` and `many`. */
const samplesIn = { capital: [3, 12], town: [4, 24], city: [6, 48] } as const;
/** Least CEPs in a range of a city. */
const CITY = 50_000;

/**
 * The ranges of Brazil in the order of the CEPs. A range is a municipality; in a capital it has the same first five
 * digits.
 */
export function* cepRanges(areas: AreaIndex | undefined): Generator<CepRange> {
  const cuts = (areas?.ranges ?? []).flatMap(({ from, to }) => [Number(from), Number(to) + 1]).sort((a, b) => a - b);
  for (const { from, to, code } of postalCodeRanges()) {
    const municipality = municipalityOfCode(code);
    if (!municipality) continue;
    const step = isCapital(municipality) ? FIVE_DIGITS : undefined;
    for (const [first, last] of pieces(from, to, step, cuts)) {
      const [few, many] = samplesIn[step !== undefined ? 'capital' : last - first >= CITY ? 'city' : 'town'];
      yield { from: first, to: last, municipality, few, many };
    }
  }
}

/** Cuts a range at multiples of a step, and at the ends of a service area. */
function* pieces(
  from: number,
  to: number,
  step: number | undefined,
  cuts: readonly number[],
): Generator<[first: number, last: number]> {
  const inside = cuts.filter((cut) => cut > from && cut <= to);
  for (let first = from; first <= to; ) {
    const nextStep = step === undefined ? to + 1 : (Math.floor(first / step) + 1) * step;
    const nextCut = inside.find((cut) => cut > first) ?? to + 1;
    const next = Math.min(nextStep, nextCut, to + 1);
    yield [first, next - 1];
    first = next;
  }
}

/** CEPs that are spread evenly over the range, up to `wanted`. */
export function spreadOver({ from, to }: Pick<CepRange, 'from' | 'to'>, wanted: number): number[] {
  const width = to - from + 1;
  const count = Math.min(width, wanted);
  return Array.from({ length: count }, (_, at) => from + Math.floor((width * (at + 0.5)) / count));
}
