import { expect, test } from '@jest/globals';
import { createLog } from '../../src/base/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import type { PackageCodes } from '../../src/packages/codes.js';
import { createCodeSource } from '../../src/packages/codes.js';
import { ownDatabase } from '../support/services.js';

const database = await ownDatabase();

const { take } = createCodeSource([{ id: 'k', secret: Buffer.alloc(32, 1) }]);

/** Another process: a pool of its own on the same database. */
const another = (): Db =>
  connect({
    url: database.url,
    poolSize: 2,
    connectionTimeoutMs: 20_000,
    applicationName: 'malote test',
    log: createLog({ level: 'silent' }),
  });

const distinct = (codes: readonly PackageCodes[][]): number =>
  new Set(codes.flat().map(({ trackingCode, barcode }) => `${trackingCode} ${barcode}`)).size;

test('no two packages get one code, whatever is drawn at once by however many processes', async () => {
  const others = [another(), another()];
  const counts = [1, 3, 100, 7, 256, 300, 2, 90];
  const codes = await Promise.all(
    [database.db, ...others].flatMap((db) => [...counts, ...counts].map((count) => take(db, count))),
  );
  expect(codes.map(({ length }) => length)).toEqual([...counts, ...counts, ...counts, ...counts, ...counts, ...counts]);
  expect(distinct(codes)).toBe(codes.flat().length);
  await Promise.all(others.map((db) => db.destroy()));
  const restarted = another();
  const later = await take(restarted, 50);
  expect(distinct([...codes, later])).toBe(codes.flat().length + 50);
  await restarted.destroy();
});

test('what is drawn in a transaction that is rolled back is drawn by no other process', async () => {
  const db = another();
  let drawn: PackageCodes[] = [];
  const undone = transaction(db, async (trx) => {
    drawn = await take(trx, 3);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const codes = [drawn, await take(db, 300), await take(database.db, 300)];
  expect(distinct(codes)).toBe(603);
  await db.destroy();
});
