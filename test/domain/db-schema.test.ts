import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { createLog } from '../../src/base/telemetry/log.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate, migrationStatus } from '../../src/db/migrations/migrate.js';
import { demandWorkable, readRecords } from '../../src/db/migrations/records.js';
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

test.each([
  ['1.7.0', false],
  ['1.8.0', true],
  ['1.8.1', true],
  ['1.9.0', true],
])(
  'a new database serves every release that can use its schema, whichever release made it: %s %s',
  async (release, serves) => {
    const records = await readRecords(made.db);
    const look = () => demandWorkable(migrations, records, release);
    if (serves) expect(look).not.toThrow();
    else expect(look).toThrow(`the database is too new for release ${release}`);
  },
);

test('a new database is made from the schema file, and has every migration', async () => {
  const { db } = made;
  expect(await schemaOf(db)).toBe(await readFile(FILE, 'utf8'));
  expect((await migrationStatus(db)).filter(({ state }) => state !== 'applied')).toEqual([]);
});
