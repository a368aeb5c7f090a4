import { afterEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/log.js';
import { connect } from '../../src/db/connect.js';
import { migrate } from '../../src/db/migrate.js';
import { migrations } from '../../src/db/migrations/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';

let database: TestDatabase;
afterEach(() => database.drop());

/** A log that collects the names of the migrations that ran. */
function recorder() {
  const ran: unknown[] = [];
  const write = (line: string) => {
    const { migration, step } = JSON.parse(line);
    // Steps of a migration have lines of their own.
    if (step === undefined) ran.push(migration);
  };
  return { ran, log: createLog({ level: 'info', destination: { write } }) };
}

/** An empty database: the template's tables are dropped with their schema. */
async function empty(): Promise<void> {
  database = await createDatabase();
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
}

describe('migrating', () => {
  test('applies all to an empty database, then nothing', async () => {
    await empty();
    const [first, second] = [recorder(), recorder()];
    await migrate(database.url, first.log);
    await migrate(database.url, second.log);
    expect(first.ran).toEqual(Object.keys(migrations));
    expect(second.ran).toEqual([]);
  });

  test('runs once when several start together', async () => {
    await empty();
    const all = [1, 2, 3, 4].map(() => recorder());
    await Promise.all(all.map(({ log }) => migrate(database.url, log)));
    expect(all.flatMap(({ ran }) => ran)).toEqual(Object.keys(migrations));
  });

  test('gives way while a table that it needs is in use', async () => {
    await empty();
    const { log, ran } = recorder();
    const holder = connect({ url: database.url, poolSize: 1, applicationName: 'holder', log, statementTimeoutMs: 0 });
    await migrate(database.url, log);
    await sql`delete from kysely_migration`.execute(database.db);
    await sql`drop schema public cascade; create schema public`.execute(database.db);
    ran.length = 0;
    let holds = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      holds = resolve;
    });
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
