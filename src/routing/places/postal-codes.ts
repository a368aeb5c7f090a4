import postalCodeTable from '../data/odbl/postal-codes.json' with { type: 'json' };
import { type Municipality, municipalityOfCode } from './municipalities.js';

/** Which municipality each CEP is of: ranges in the order of the CEPs, both ends inclusive. */
export interface PostalCodeTable {
  from: Int32Array;
  to: Int32Array;
  /** IBGE codes, the most likely first. */
  codes: number[][];
}

/** Lines are `first CEP;last CEP;IBGE code[;IBGE code]`. */
export function toPostalCodeTable(lines: readonly string[]): PostalCodeTable {
  const fields = lines.map((line) => line.split(';').map(Number));
  return {
    from: Int32Array.from(fields, ([from = 0]) => from),
    to: Int32Array.from(fields, ([, to = 0]) => to),
    codes: fields.map(([, , ...codes]) => codes),
  };
}

const embedded = toPostalCodeTable(postalCodeTable.postalCodes);

/**
 * The municipalities that a CEP of 8 digits may be of. The first is the one that an existing CEP is known to be of, or
 * whose range it lies in; a second one follows where Correios' range is another's. None where nobody has the range.
 */
export function municipalitiesOfPostalCode(digits: string, table = embedded): readonly Municipality[] {
  const codes = table.codes[indexOfRange(Number(digits), table)] ?? [];
  return codes.flatMap((code) => municipalityOfCode(code) ?? []);
}

/** -1 where no range holds the CEP. */
function indexOfRange(postalCode: number, { from, to }: PostalCodeTable): number {
  let low = 0;
  let high = from.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= postalCode) low = middle + 1;
    else high = middle;
  }
  return low > 0 && postalCode <= (to[low - 1] ?? 0) ? low - 1 : -1;
}

/** Prefix ranges of CEPs by state, as Correios assigns them: inclusive, three digits. */
const stateRanges: readonly (readonly [state: string, from: number, to: number])[] = [
  ['SP', 10, 199],
  ['RJ', 200, 289],
  ['ES', 290, 299],
  ['MG', 300, 399],
  ['BA', 400, 489],
  ['SE', 490, 499],
  ['PE', 500, 569],
  ['AL', 570, 579],
  ['PB', 580, 589],
  ['RN', 590, 599],
  ['CE', 600, 639],
  ['PI', 640, 649],
  ['MA', 650, 659],
  ['PA', 660, 688],
  ['AP', 689, 689],
  ['AM', 690, 692],
  ['RR', 693, 693],
  ['AM', 694, 698],
  ['AC', 699, 699],
  ['DF', 700, 727],
  ['GO', 728, 729],
  ['DF', 730, 736],
  ['GO', 737, 767],
  ['RO', 768, 769],
  ['TO', 770, 779],
  ['MT', 780, 788],
  ['MS', 790, 799],
  ['PR', 800, 879],
  ['SC', 880, 899],
  ['RS', 900, 999],
];

/** The state that a CEP belongs to; undefined for a prefix that no state has. */
export function stateOfPostalCode(postalCode: string): string | undefined {
  const prefix = Number(postalCode.slice(0, 3));
  return stateRanges.find(([, from, to]) => prefix >= from && prefix <= to)?.[0];
}
