import { afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect } from '../../src/db/connect.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate, migrationStatus, untilMigrated } from '../../src/db/migrations/migrate.js';
import { UPGRADED_FROM } from '../../src/db/migrations/records.js';
import { createDatabase, emptied, migrationRecorder, patience, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';

const silent = createLog({ level: 'silent' });

let database: TestDatabase;
afterEach(() => database.drop());

/** Empties the database: drops the tables of the template with their schema. */
async function empty(): Promise<void> {
  database = await createDatabase();
  await emptied(database.db);
}

describe('migrating', () => {
  test('applies all migrations once to an empty database when several processes start together', async () => {
    await empty();
    const all = [1, 2, 3, 4].map(() => migrationRecorder());
    await Promise.all(all.map(({ log }) => migrate(database.url, log)));
    expect(all.flatMap(({ ran }) => ran)).toEqual(['new database']);
    const later = migrationRecorder();
    await migrate(database.url, later.log);
    expect(later.ran).toEqual([]);
  });

  test('waits while a table that it needs is in use', async () => {
    await empty();
    const { log, ran } = migrationRecorder();
    const holder = connect({ url: database.url, poolSize: 1, applicationName: 'holder', log, ...patience });
    const { promise: isHeld, resolve: holds } = Promise.withResolvers<void>();
    const held = holder.transaction().execute(async (trx) => {
      await sql`create table accounts (id integer)`.execute(trx);
      holds();
      await waitFor(() => ran.includes(undefined), 'the line of who waits');
      throw new Error('rolled back');
    });
    const rolledBack = expect(held).rejects.toThrow('rolled back');
    await isHeld;
    await Promise.all([rolledBack, migrate(database.url, log)]);
    await holder.destroy();
    expect(new Set(ran)).toEqual(new Set([undefined, 'new database']));
  });
});

describe('a database of an earlier release', () => {
  test('is refused when it is older than the last release can migrate in one step', async () => {
    database = await createDatabase();
    await sql`delete from schema_migrations where name = ${UPGRADED_FROM}`.execute(database.db);
    const said = 'of a release before 1.7: run "malote migrate" of release 1.7 first';
    await expect(migrate(database.url, silent)).rejects.toThrow(said);
    await expect(untilMigrated(database.db, silent)).rejects.toThrow(said);
  });

  test('is refused while its tables are not partitioned', async () => {
    database = await createDatabase();
    await sql`alter table orders rename to parts; create table orders (like parts)`.execute(database.db);
    await expect(migrate(database.url, silent)).rejects.toThrow('run "malote partition" of release 1.7 first');
  });

  test('keeps its records of earlier migrations', async () => {
    database = await createDatabase();
    await sql`insert into schema_migrations (name, part, finished_at) values ('0010-order-keys', 'up', now())`.execute(
      database.db,
    );
    const { log, ran } = migrationRecorder();
    await migrate(database.url, log);
    expect(ran).toEqual([]);
    const statuses = await migrationStatus(database.db);
    expect(statuses.map(({ migration, state }) => [migration, state])).toEqual(
      Object.keys(migrations).map((name) => [name, 'applied']),
    );
  });
});
