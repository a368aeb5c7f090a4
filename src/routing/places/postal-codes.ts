import postalCodeTable from '../data/odbl/postal-codes.json' with { type: 'json' };
import { firstRow } from './columns.js';
import { type Municipality, municipalityOfCode } from './municipalities.js';

/**
 * The municipalities of CEPs: ranges in the order of the CEPs, both ends inclusive, with IBGE codes, the most likely
 * first. Lines are `first CEP;last CEP;IBGE code[;IBGE code]`.
 */
export function toPostalCodeTable(lines: readonly string[]) {
  const fields = lines.map((line) => line.split(';').map(Number));
  return {
    from: Int32Array.from(fields, ([from = 0]) => from),
    to: Int32Array.from(fields, ([, to = 0]) => to),
    codes: fields.map(([, , ...codes]) => codes),
  };
}

const embedded = toPostalCodeTable(postalCodeTable.postalCodes);

/** The ranges in the order of their CEPs, each with the IBGE code of the municipality that it most likely is of. */
export function* postalCodeRanges(): Generator<{ from: number; to: number; code: number }> {
  for (const [at, [code = 0]] of embedded.codes.entries())
    yield { from: embedded.from[at] ?? 0, to: embedded.to[at] ?? 0, code };
}

/** CEPs that the table gives to a municipality first, by its IBGE code. */
export const postalCodeCounts: ReadonlyMap<number, number> = countsIn(embedded);

function countsIn({ from, to, codes }: typeof embedded): Map<number, number> {
  const counts = new Map<number, number>();
  codes.forEach(([code = 0], at) => {
    counts.set(code, (counts.get(code) ?? 0) + (to[at] ?? 0) - (from[at] ?? 0) + 1);
  });
  return counts;
}

/** The municipalities that a CEP may be of, the surest first; a second one where Correios' range is another's. */
export function municipalitiesOfPostalCode(digits: string, table = embedded): readonly Municipality[] {
  const codes = table.codes[indexOfRange(Number(digits), table)] ?? [];
  return codes.flatMap((code) => municipalityOfCode(code) ?? []);
}

/** -1 where no range holds the CEP. */
function indexOfRange(postalCode: number, { from, to }: typeof embedded): number {
  const at = firstRow(from, postalCode + 1) - 1;
  return postalCode <= (to[at] ?? -1) ? at : -1;
}

/** The first CEP of a municipality, if it is round: the one that the whole town had, or has. */
export function isOfWholeTown(digits: string): boolean {
  const value = Number(digits);
  return value % 100 === 0 && embedded.from[indexOfRange(value, embedded)] === value;
}

/** First digits of the CEPs of each state. */
const regions = new Set<string>();
embedded.codes.forEach(([code = 0], at) => {
  const state = municipalityOfCode(code)?.state;
  regions.add(`${state} ${Math.floor((embedded.from[at] ?? 0) / 10_000_000)}`);
});

/** A CEP of no range may be of the state: it lies in the state's region, and not among the CEPs of another one. */
export function mayBeOfState(digits: string, state: string): boolean {
  const next = firstRow(embedded.from, Number(digits));
  const [before, after] = [next - 1, next].map((at) => municipalityOfCode(embedded.codes[at]?.[0] ?? 0)?.state);
  if (before === undefined || after === undefined) return false;
  return regions.has(`${state} ${digits[0]}`) && (before !== after || before === state);
}
