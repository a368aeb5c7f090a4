import { expect, test } from '@jest/globals';
import { transaction } from '../../src/db/transaction.js';
import { createCodeSource, type PackageCodes } from '../../src/packages/codes.js';
import { ownDatabase } from '../support/services.js';
import { another } from './orders-fixtures.js';

const { db, url } = await ownDatabase();

const { take } = createCodeSource([{ id: 'k', secret: Buffer.alloc(32, 1) }]);

const distinct = (codes: readonly PackageCodes[][]): number =>
  new Set(codes.flat().map(({ trackingCode, barcode }) => `${trackingCode} ${barcode}`)).size;

test('no two packages get one code, whatever is drawn at once by however many processes', async () => {
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

test('what is drawn in a transaction that is rolled back is drawn by no other process', async () => {
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
