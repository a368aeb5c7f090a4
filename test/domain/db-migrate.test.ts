import { afterEach, describe, expect, test } from '@jest/globals';
import { Migrator, sql } from 'kysely';
import { createLog } from '../../src/base/log.js';
import { withResolvers } from '../../src/base/values.js';
import { connect } from '../../src/db/connect.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { createDatabase, emptied, migrationRecorder, patience, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';

const silent = createLog({ level: 'silent' });

let database: TestDatabase;
afterEach(() => database.drop());

/** An empty database: the template's tables are dropped with their schema. */
async function empty(): Promise<void> {
  database = await createDatabase();
  await emptied(database.db);
}

describe('migrating', () => {
  test('applies all to an empty database once, when several start together, then nothing', async () => {
    await empty();
    const all = [1, 2, 3, 4].map(() => migrationRecorder());
    await Promise.all(all.map(({ log }) => migrate(database.url, log)));
    expect(all.flatMap(({ ran }) => ran)).toEqual(Object.keys(migrations));
    const later = migrationRecorder();
    await migrate(database.url, later.log);
    expect(later.ran).toEqual([]);
  });

  test('gives way while a table that it needs is in use', async () => {
    await empty();
    const { log, ran } = migrationRecorder();
    const holder = connect({ url: database.url, poolSize: 1, applicationName: 'holder', log, ...patience });
    const { promise: isHeld, resolve: holds } = withResolvers<void>();
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
    expect(new Set(ran)).toEqual(new Set([undefined, ...Object.keys(migrations)]));
  });
});

/** The change that release 1.2 makes to the records at its start; it waits for a lock for a second. */
async function startedAs12(lockTimeoutMs = 1_000): Promise<unknown> {
  const first = Object.fromEntries(Object.entries(migrations).slice(0, 9));
  const db = connect({
    ...{ url: database.url, poolSize: 2, applicationName: 'malote migrate', log: silent },
    ...{ ...patience, lockTimeoutMs },
  });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => first } });
  const { error } = await migrator.migrateToLatest().finally(() => db.destroy());
  return error;
}

describe('release 1.2', () => {
  test('does not start where tables are partitioned, and says why in one line; later ones do', async () => {
    await empty();
    await migrate(database.url, silent);
    expect(await startedAs12()).toMatchObject({ message: expect.stringMatching(/^.*start 1\.3 or later.*$/) });
    expect(await startedAs12(300)).toBeUndefined();
    await migrate(database.url, silent);
  });

  test('starts where they are not', async () => {
    await useBefore('0010-order-keys');
    await migrate(database.url, silent);
    expect(await startedAs12()).toBeUndefined();
  });

  test('finds its records whichever role reads them', async () => {
    await useBefore('0023-oldest-release');
    const role = sql.ref(`reader_of_${new URL(database.url).pathname.slice(1)}`);
    await sql`create role ${role}; grant usage on schema public to ${role};
      grant select on kysely_migration to ${role}`.execute(database.db);
    await migrate(database.url, silent);
    const read = database.db.transaction().execute(async (trx) => {
      await sql`set local role ${role}`.execute(trx);
      return (await sql`select name from kysely_migration`.execute(trx)).rows.length;
    });
    expect(await read).toBe(9);
    await sql`drop owned by ${role}; drop role ${role}`.execute(database.db);
  });
});

/** A database that an account is in, with the migrations before that one. */
async function useBefore(name: string): Promise<void> {
  await empty();
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([each]) => each < name));
  await migrate(database.url, silent, { migrations: earlier });
  await sql`
    insert into accounts (id, email, name, phone, role, password_hash)
    values (gen_random_uuid(), 'ana@malote.test', 'Ana', '+55 11 91234-5678', 'customer', '')`.execute(database.db);
}
