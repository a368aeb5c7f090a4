import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { transaction } from '../../src/db/transaction.js';
import { codeMaker, createCodeSource, type PackageCodes } from '../../src/packages/codes.js';
import { ff1 } from '../../src/packages/permutation.js';
import { isBarcode, isTrackingCode, SYMBOLS } from '../support/package-codes.js';
import { ownDatabase } from '../support/services.js';
import { another } from './orders-fixtures.js';

const ring = (byte: number) => [{ id: 'k', secret: Buffer.alloc(32, byte) }] as const;
const make = codeMaker(ring(1));

const numbers = fc.bigInt({ min: 0n, max: 2n ** 55n - 1n });
const block = (from: number, count: number) => Array.from({ length: count }, (_, at) => BigInt(from + at));

describe('the permutation', () => {
  const key = Buffer.from('2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94', 'hex');

  test('is FF1, and gives the result of the example by NIST with AES-256 and no tweak', () => {
    expect(ff1(key, { radix: 10, length: 10 })([123456789n])).toEqual([{ left: 66576, right: 67009 }]);
  });

  // The results of an independent implementation (@noble/ciphers 2).
  test.each([
    [32, 11, [26251818430316671n, 12457809044254540n, 6437304692658065n, 34040577160460218n]],
    [10, 17, [11091942279019590n, 67759398833041580n, 58397388285444847n, 46528584479183471n]],
  ])('is FF1 at the ends of its domain, too: radix %i, %i digits', (radix, length, expected) => {
    const last = BigInt(radix) ** BigInt(length) - 1n;
    const size = BigInt(radix ** Math.ceil(length / 2));
    const permuted = ff1(key, { radix, length })([0n, 1n, 123456789n, last]);
    expect(permuted.map(({ left, right }) => BigInt(left) * size + BigInt(right))).toEqual(expected);
    for (const outside of [-1n, last + 1n]) expect(() => ff1(key, { radix, length })([outside])).toThrow(RangeError);
  });
});

describe('tracking codes', () => {
  test('are twelve characters of base 32, the last one a check character, and barcodes eighteen digits', () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 5 }), (some) => {
        const codes = make(some);
        expect(codes).toHaveLength(some.length);
        for (const { trackingCode, barcode } of codes) {
          expect(trackingCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{12}$/);
          expect(isTrackingCode(trackingCode)).toBe(true);
          expect(barcode).toMatch(/^\d{18}$/);
          expect(isBarcode(barcode)).toBe(true);
        }
      }),
    );
  });

  test('reveal every single wrong character', () => {
    for (const { trackingCode } of make(block(1, 20))) {
      const wrong = [...trackingCode].flatMap((right, at) =>
        [...SYMBOLS]
          .filter((symbol) => symbol !== right)
          .map((symbol) => `${trackingCode.slice(0, at)}${symbol}${trackingCode.slice(at + 1)}`),
      );
      expect(wrong).toHaveLength(12 * 31);
      expect(wrong.filter(isTrackingCode)).toEqual([]);
    }
  });

  test('reveal every swap of two neighbouring characters', () => {
    for (const { trackingCode: code } of make(block(1, 5_000))) {
      for (let at = 0; at < 11; at += 1) {
        const swapped = `${code.slice(0, at)}${code[at + 1]}${code[at]}${code.slice(at + 2)}`;
        if (swapped !== code && isTrackingCode(swapped)) expect(swapped).toBe('a wrong code');
      }
    }
  });
});

describe('codes', () => {
  test('differ for every number, and do not depend on the other numbers of the batch', () => {
    const all = make(block(0, 5_000));
    expect(new Set(all.map(({ trackingCode }) => trackingCode)).size).toBe(5_000);
    expect(new Set(all.map(({ barcode }) => barcode)).size).toBe(5_000);
    expect(make([777n])).toEqual([all[777]]);
  });

  test('of neighbouring numbers have no more in common than by chance', () => {
    const all = make(block(0, 2000));
    const shared = (field: 'trackingCode' | 'barcode') =>
      all.slice(1).reduce((sum, codes, at) => {
        const before = all[at]?.[field] ?? '';
        return sum + [...codes[field]].filter((symbol, place) => symbol === before[place]).length / before.length;
      }, 0) / 1999;
    expect(shared('trackingCode')).toBeLessThan(1 / 32 + 0.02);
    expect(shared('barcode')).toBeLessThan(1 / 10 + 0.02);
  });

  test('of two keys have no more in common than by chance', () => {
    const other = codeMaker(ring(2))(block(0, 1000));
    const same = make(block(0, 1000)).filter(({ trackingCode }, at) => trackingCode === other[at]?.trackingCode);
    expect(same).toEqual([]);
  });
});

const { db, url } = await ownDatabase();

const { take } = createCodeSource(ring(1));

const distinct = (codes: readonly PackageCodes[][]): number =>
  new Set(codes.flat().map(({ trackingCode, barcode }) => `${trackingCode} ${barcode}`)).size;

test('no two packages get the same code when several processes take numbers at once', async () => {
  const others = [another(url), another(url)];
  const counts = [1, 3, 100, 7, 256, 300, 2, 90];
  const codes = await Promise.all(
    [db, ...others].flatMap((db) => [...counts, ...counts].map((count) => take(db, count))),
  );
  expect(codes.map(({ length }) => length)).toEqual([...counts, ...counts, ...counts, ...counts, ...counts, ...counts]);
  expect(distinct(codes)).toBe(codes.flat().length);
  await Promise.all(others.map((db) => db.destroy()));
  const restarted = another(url);
  const later = await take(restarted, 50);
  expect(distinct([...codes, later])).toBe(codes.flat().length + 50);
  await restarted.destroy();
});

test('numbers from a transaction that is rolled back are given to no other process', async () => {
  const other = another(url);
  let drawn: PackageCodes[] = [];
  const undone = transaction(other, async (trx) => {
    drawn = await take(trx, 3);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const codes = [drawn, await take(other, 300), await take(db, 300)];
  expect(distinct(codes)).toBe(603);
  await other.destroy();
});
