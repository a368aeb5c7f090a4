import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { barcodeOf, trackingCodeOf } from '../../src/packages/codes.js';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U';
const valueOfCode = (code: string) =>
  [...code].reduce((sum, symbol) => sum * 32n + BigInt(crockford.indexOf(symbol)), 0n);

/** GS1's rule as its page words it: weights 3 and 1 from the right, up to the next multiple of ten. */
function isGs1(digits: string): boolean {
  const weighted = [...digits].reverse().map((digit, at) => Number(digit) * (at % 2 === 0 ? 1 : 3));
  return weighted.reduce((sum, value) => sum + value, 0) % 10 === 0;
}

const numbers = fc.bigInt({ min: 0n, max: 2n ** 55n - 1n });

describe('tracking codes', () => {
  test('have eleven characters of base 32 and a check symbol modulo 37', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const code = trackingCodeOf(number);
        expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{11}[0-9A-HJKMNP-TV-Z*~$=U]$/);
        expect(BigInt(crockford.indexOf(code.slice(11)))).toBe(valueOfCode(code.slice(0, 11)) % 37n);
      }),
    );
  });

  test('tell one wrong character', () => {
    fc.assert(
      fc.property(numbers, fc.nat(10), fc.nat(30), (number, at, shift) => {
        const code = trackingCodeOf(number);
        const place = crockford.indexOf(code.charAt(at));
        const wrong = `${code.slice(0, at)}${crockford[(place + 1 + shift) % 32]}${code.slice(at + 1, 11)}`;
        expect(valueOfCode(wrong) % 37n).not.toBe(BigInt(crockford.indexOf(code.slice(11))));
      }),
    );
  });

  test('differ for every number, at the ends of the domain too', () => {
    const edges = [0n, 1n, 2n ** 28n - 1n, 2n ** 28n, 2n ** 55n - 1n];
    const all = [...edges, ...Array.from({ length: 50_000 }, (_, at) => BigInt(at + 2))];
    expect(new Set(all.map(trackingCodeOf)).size).toBe(all.length);
    expect(() => trackingCodeOf(2n ** 55n)).toThrow(RangeError);
    expect(() => trackingCodeOf(-1n)).toThrow(RangeError);
  });

  test('of neighbours share no more than chance', () => {
    const shared = Array.from({ length: 1000 }, (_, at) => {
      const [one, other] = [trackingCodeOf(BigInt(at)), trackingCodeOf(BigInt(at + 1))];
      return [...one].filter((symbol, place) => place < 11 && symbol === other[place]).length;
    });
    expect(shared.reduce((sum, count) => sum + count, 0) / 1000).toBeLessThan(11 / 32 + 0.1);
  });
});

describe('barcodes', () => {
  test('have eighteen digits, the last one the check digit of GS1', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }), (number) => {
        const code = barcodeOf(number);
        expect(code).toMatch(/^\d{18}$/);
        expect(isGs1(code)).toBe(true);
      }),
    );
    expect(isGs1('106141412345678908')).toBe(true);
  });

  test('differ for every number', () => {
    const all = Array.from({ length: 50_000 }, (_, at) => barcodeOf(BigInt(at)));
    expect(new Set(all).size).toBe(all.length);
  });
});
