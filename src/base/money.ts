/** An amount of BRL in hundredths. It is always a safe integer. */
export type Centavos = number;

/** The largest amount that `Money` of the contracts can hold: 9999999999.99. */
export const MAX_CENTAVOS: Centavos = 999_999_999_999;

const DECIMAL = /^(-?)(\d{1,13})\.(\d{2})$/;

/** Formats `2390` as `'23.90'`. Throws RangeError for an amount that is not a whole number of centavos. */
export function formatMoney(centavos: Centavos): string {
  if (!Number.isSafeInteger(centavos)) throw new RangeError(`not a whole number of centavos: ${centavos}`);
  const digits = String(Math.abs(centavos)).padStart(3, '0');
  return `${centavos < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Parses `'23.90'` to `2390`. Throws RangeError for any other spelling, such as an exponent or a plus sign. */
export function parseMoney(text: string): Centavos {
  const match = DECIMAL.exec(text);
  if (!match) throw new RangeError('not an amount with two decimal places');
  const centavos = Number(`${match[2]}${match[3]}`);
  // `|| 0` keeps '-0.00' from becoming the number -0, which does not equal 0 in every comparison.
  return match[1] ? -centavos || 0 : centavos;
}
