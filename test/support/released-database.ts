import { readFile } from 'node:fs/promises';
import type { Db } from '../../src/db/connect.js';
import { migrations } from '../../src/db/migrations/index.js';
import { makeSchema } from '../../src/db/migrations/new-database.js';
import { ensureRecords, serveFrom, UPGRADED_FROM } from '../../src/db/migrations/records.js';
import { emptied } from './database.js';

const namesText = await readFile('contracts/released/migrations.txt', 'utf8');
/** The names of the migrations in the last release. */
export const releasedMigrations = namesText.trim().split('\n');

const contract = await readFile('contracts/released/openapi.yaml', 'utf8');
export const lastRelease = /^ {2}version: (\S+)$/m.exec(contract)?.[1] ?? '';

/** Makes the database one of the last release, without accounts. */
export async function asReleased(db: Db): Promise<void> {
  await emptied(db);
  await ensureRecords(db);
  const schema = await readFile('contracts/released/schema.sql', 'utf8');
  const held = Object.entries(migrations).filter(([name]) => releasedMigrations.includes(name));
  await db.transaction().execute(async (trx) => {
    await makeSchema(trx, Object.fromEntries(held), schema);
    // A database in use can be used by its release.
    await serveFrom(trx, UPGRADED_FROM, lastRelease);
  });
}
