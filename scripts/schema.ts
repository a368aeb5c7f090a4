/**
 * Writes src/db/schema.sql, which makes new databases: what the migrations make of a database of the last release.
 * Then it makes a new database by that file and compares the two. Run it after each change of a migration:
 * npm run schema
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createLog } from '../src/base/telemetry/log.js';
import { connect, type Db } from '../src/db/connect.js';
import { migrate } from '../src/db/migrations/migrate.js';
import { schemaOf } from '../test/support/catalogue.js';
import { execute, inDatabase } from '../test/support/database.js';
import { startPostgres } from '../test/support/postgres.js';
import { asReleased } from '../test/support/released-database.js';

const FILE = 'src/db/schema.sql';
const log = createLog({ level: 'error' });

/** The schema of a database of its own, which `prepare` fills before the migrations come. */
async function schemaAfter(server: string, name: string, prepare: (db: Db) => Promise<void>): Promise<string> {
  await execute(server, `create database ${name}`);
  const url = inDatabase(server, name);
  const db = connect({ url, log, poolSize: 2, applicationName: 'malote schema' });
  try {
    await prepare(db);
    await migrate(url, log);
    return await schemaOf(db);
  } finally {
    await db.destroy();
  }
}

const postgres = await startPostgres();
try {
  const migrated = await schemaAfter(postgres.url, 'migrated', asReleased);
  const isChanged = migrated !== (await readFile(FILE, 'utf8'));
  if (isChanged) await writeFile(FILE, migrated);
  const made = await schemaAfter(postgres.url, 'made', async () => undefined);
  if (made !== migrated) throw new Error(`a new database made by ${FILE} is another one than a migrated one`);
  console.log(isChanged ? `${FILE} is written anew: read its difference.` : `${FILE} is as it was.`);
} finally {
  await postgres.stop();
}
