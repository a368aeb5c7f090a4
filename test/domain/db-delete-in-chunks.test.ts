import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import { deleteInChunks } from '../../src/db/delete-in-chunks.js';
import { createDatabase, patience, type TestDatabase } from '../support/database.js';

const ROWS = 11_000;

let database: TestDatabase;
/** One connection, because PostgreSQL counts reads for each connection. */
let single: Db;

beforeEach(async () => {
  database = await createDatabase();
  const log = createLog({ level: 'silent' });
  single = connect({ url: database.url, poolSize: 1, applicationName: 'sweep', log, ...patience });
  await sql`
    insert into accounts (id, email, name, phone, role, password_hash)
    values (gen_random_uuid(), 'ana@malote.test', 'Ana', '+55 11 91234-5678', 'customer', '')`.execute(database.db);
});
afterEach(async () => {
  await single.destroy();
  await database.drop();
});

async function fill(rows: number, age: ReturnType<typeof sql>): Promise<void> {
  await sql`
    insert into sign_in_networks (account_id, network, signed_in_at)
    select accounts.id, n::text::bytea, now() - ${age}
    from accounts, generate_series(1, ${sql.lit(rows)}) n`.execute(database.db);
}

const sweep = () =>
  deleteInChunks(single, 'sign_in_networks', 'signed_in_at', sql`signed_in_at < now() - interval '1 day'`);

async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(single);
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + (
      select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'sign_in_networks'
    ))::float8 as read
    from pg_stat_user_tables where relname = 'sign_in_networks'`.execute(single);
  return rows[0]?.read ?? Number.NaN;
}

test('no row is read twice, even if an open snapshot keeps deleted rows', async () => {
  await fill(ROWS, sql`interval '2 days' + n * interval '1 millisecond'`);
  await database.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (snapshot) => {
      await snapshot.selectFrom('accounts').select('id').execute();
      expect(await sweep()).toBe(ROWS);
    });
  expect(await rowsRead()).toBeLessThan(1.01 * ROWS);
});

test('rows of one time are all deleted, and others stay', async () => {
  await fill(ROWS, sql`interval '2 days' * (n % 2)`);
  expect(await sweep()).toBe(ROWS / 2);
  expect(await sweep()).toBe(0);
  expect(await database.db.selectFrom('sign_in_networks').select('network').execute()).toHaveLength(ROWS / 2);
});
