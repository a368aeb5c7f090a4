import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schemaOf } from '../support/catalogue.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

const FILE = 'src/db/schema.sql';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

test(`${FILE} shows what the migrations make; npm run schema writes it anew`, async () => {
  const schema = await schemaOf(database.db);
  if (process.env['WRITE_SCHEMA']) await writeFile(FILE, schema);
  expect(schema).toBe(await readFile(FILE, 'utf8'));
});
