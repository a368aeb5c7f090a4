import { describe, expect, test } from '@jest/globals';
import { formatMoney, parseMoney } from '../../src/base/money.js';

describe('money', () => {
  test.each([
    [2390, '23.90'],
    [0, '0.00'],
    [5, '0.05'],
    [-5, '-0.05'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('writes %d centavos as %s, and reads them', (centavos, text) => {
    expect(formatMoney(centavos)).toBe(text);
  });

  test.each(['23.9', '23', '', ' 1.00', '1.00 ', '1e2.00', '+1.00', '01,00', '1.000', '.50', '٣.00'])(
    'refuses %j',
    (text) => {
      expect(() => parseMoney(text)).toThrow(RangeError);
    },
  );
});
