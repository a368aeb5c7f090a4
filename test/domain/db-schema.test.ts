import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createLog } from '../../src/base/log.js';
import { migrate, migrationStatus } from '../../src/db/migrations/migrate.js';
import { schemaOf } from '../support/catalogue.js';
import { asReleased } from '../support/released-database.js';
import { ownDatabase } from '../support/services.js';

const FILE = 'src/db/schema.sql';

const [released, made] = [await ownDatabase(), await ownDatabase()];

test(`${FILE} is what the migrations make of the last release's database; npm run schema writes it anew`, async () => {
  const { db, url } = released;
  await asReleased(db);
  await migrate(url, createLog({ level: 'silent' }));
  const schema = await schemaOf(db);
  expect(schema).toBe(await readFile(FILE, 'utf8'));
});

test('a new database is made by it, and has every migration', async () => {
  const { db } = made;
  expect(await schemaOf(db)).toBe(await readFile(FILE, 'utf8'));
  expect((await migrationStatus(db)).filter(({ state }) => state !== 'applied')).toEqual([]);
});
