import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { schemaOf } from '../support/catalogue.js';
import { ownDatabase } from '../support/services.js';

const FILE = 'docs/schema.sql';

const database = await ownDatabase();

test(`${FILE} shows what the migrations make; npm run schema writes it anew`, async () => {
  const schema = await schemaOf(database.db);
  if (process.env['WRITE_SCHEMA']) await writeFile(FILE, schema);
  expect(schema).toBe(await readFile(FILE, 'utf8'));
});
