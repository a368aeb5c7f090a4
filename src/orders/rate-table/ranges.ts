import type { AreaIndex } from '../../carrier/areas.js';
import { isCapital } from '../../routing/address/lone-city.js';
import { type Municipality, municipalityOfCode } from '../../routing/places/municipalities.js';
import { postalCodeRanges } from '../../routing/places/postal-codes.js';

/** CEPs of one municipality that the same service area decides about, both ends inclusive. */
export interface CepRange {
  from: number;
  to: number;
  municipality: Municipality;
  /** CEPs that stand for the addresses of the range where prices hardly differ, and where they may. */
  few: number;
  many: number;
}

const FIVE_DIGITS = 1_000;
/** Numbers of samples of a range. */
const samplesIn = { capital: [3, 12], town: [4, 24], city: [6, 48] } as const;
/** Ranges of so many CEPs are those of cities. */
const CITY = 50_000;

/** The ranges of Brazil in the order of the CEPs: a municipality each, and in capitals five digits each. */
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

/** Cuts a range at multiples of a step, and where a service area begins or ends. */
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

/** So many CEPs, spread over the range. */
export function spreadOver({ from, to }: Pick<CepRange, 'from' | 'to'>, wanted: number): number[] {
  const width = to - from + 1;
  const count = Math.min(width, wanted);
  return Array.from({ length: count }, (_, at) => from + Math.floor((width * (at + 0.5)) / count));
}
