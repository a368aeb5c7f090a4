import postalCodeTable from '../data/odbl/postal-codes.json' with { type: 'json' };
import { firstRow } from './columns.js';
import { type Municipality, municipalityOfCode } from './municipalities.js';

/**
 * Reads ranges of CEPs, sorted by CEP, both ends inclusive. Each has the IBGE codes of its municipalities, the most
 * likely first. Lines are `first CEP;last CEP;IBGE code[;IBGE code]`.
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

/** Lists the ranges in the order of their CEPs, each with the IBGE code of its most likely municipality. */
export function* postalCodeRanges(): Generator<{ from: number; to: number; code: number }> {
  for (const [at, [code = 0]] of embedded.codes.entries())
    yield { from: embedded.from[at] ?? 0, to: embedded.to[at] ?? 0, code };
}

/** Count of the CEPs whose most likely municipality this is, by IBGE code. */
export const postalCodeCounts: ReadonlyMap<number, number> = countsIn(embedded);

function countsIn({ from, to, codes }: typeof embedded): Map<number, number> {
  const counts = new Map<number, number>();
  codes.forEach(([code = 0], at) => {
    counts.set(code, (counts.get(code) ?? 0) + (to[at] ?? 0) - (from[at] ?? 0) + 1);
  });
  return counts;
}

/**
 * The municipalities to which a CEP may belong, the surest first. There are two if Correios gives the range to another
 * one.
 */
export function municipalitiesOfPostalCode(digits: string, table = embedded): readonly Municipality[] {
  const codes = table.codes[indexOfRange(Number(digits), table)] ?? [];
  return codes.flatMap((code) => municipalityOfCode(code) ?? []);
}

/** The index of the range that has the CEP, or -1. */
function indexOfRange(postalCode: number, { from, to }: typeof embedded): number {
  const at = firstRow(from, postalCode + 1) - 1;
  return postalCode <= (to[at] ?? -1) ? at : -1;
}

/** Tells whether the CEP is round and the first of a municipality: the whole town has, or had, that one. */
export function isOfWholeTown(digits: string): boolean {
  const value = Number(digits);
  return value % 100 === 0 && embedded.from[indexOfRange(value, embedded)] === value;
}

/** State and first digit of its CEPs. */
const regions = new Set<string>();
embedded.codes.forEach(([code = 0], at) => {
  const state = municipalityOfCode(code)?.state;
  regions.add(`${state} ${Math.floor((embedded.from[at] ?? 0) / 10_000_000)}`);
});

/**
 * Tells whether a CEP outside all ranges may belong to a state: its first digit is the state's, and its neighbours are
 * not both of another one.
 */
export function mayBeOfState(digits: string, state: string): boolean {
  const next = firstRow(embedded.from, Number(digits));
  const [before, after] = [next - 1, next].map((at) => municipalityOfCode(embedded.codes[at]?.[0] ?? 0)?.state);
  if (before === undefined || after === undefined) return false;
  return regions.has(`${state} ${digits[0]}`) && (before !== after || before === state);
}
