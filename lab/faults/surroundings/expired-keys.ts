import { sql } from 'kysely';
import { newId } from '../../../src/base/ids.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { migrate } from '../../../src/db/migrations/migrate.js';
import { sweepIdempotencyKeys } from '../../../src/idempotency/stored-answers.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import type { Fault } from '../fault.js';

const ROWS = 2_000_000;
const MAX_READ = 1.01 * ROWS;

const log = createLog({ level: 'silent' });

export async function emptied({ db }: Pick<Stage, 'db'>): Promise<void> {
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
}

/** A new database whose first partition holds rows that have not expired. */
async function fill(stage: Stage): Promise<void> {
  const { db, databaseUrl } = stage;
  await emptied(stage);
  await migrate(databaseUrl, log);
  const id = newId();
  await sql`
    insert into accounts (id, email, name, phone, role, password_hash)
    values (${id}, 'ana@malote.test', 'Ana', '+55 11 91234-5678', 'customer', '')`.execute(db);
  await sql`
    insert into idempotency_keys (account_id, operation, key, door, fingerprint, answer, created_at)
    select ${id}, 'createOrder', n::text, 'A', '', '', now() - interval '3 days' + n * interval '1 millisecond'
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db);
}

async function countKeys(db: Db): Promise<number> {
  const { rows } = await sql<{ left: number }>`select count(*)::integer as left from idempotency_keys`.execute(db);
  return rows[0]?.left ?? Number.NaN;
}

/** The rows of the table's partitions read until now by this connection, and by connections that are idle or closed. */
async function rowsRead(db: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select (sum(seq_tup_read) + (
      select sum(idx_tup_read) from pg_stat_user_indexes where relname like 'idempotency_keys%'
    ))::float8 as read
    from pg_stat_user_tables where relname like 'idempotency_keys%'`.execute(db);
  return rows[0]?.read ?? Number.NaN;
}

export const expiredKeys: Fault = {
  what: `${ROWS} expired idempotency keys are swept beside a snapshot that is held`,
  promise: 'all are deleted within the limits of a statement, each is read once',
  run: async ({ stage }) => {
    const { db, databaseUrl } = stage;
    await fill(stage);
    // Uses the service's limits and a single connection, because PostgreSQL counts reads for each connection.
    const service = connect({ url: databaseUrl, poolSize: 1, applicationName: 'sweep', log });
    const holding = db.transaction().setIsolationLevel('repeatable read');
    const { failure, seconds, read } = await holding.execute(async (snapshot) => {
      await snapshot.selectFrom('accounts').select('id').execute();
      const before = await rowsRead(service);
      const started = performance.now();
      const failure = await sweepIdempotencyKeys(service).catch((error: Error) => error.message);
      const seconds = (performance.now() - started) / 1000;
      // A failed sweep may have lost the connection and its count of reads.
      const read = failure === undefined ? (await rowsRead(service)) - before : 0;
      return { failure, seconds, read };
    });
    const left = await countKeys(db);
    await service.destroy();
    return {
      figures: `${ROWS - left} deleted in ${seconds.toFixed(1)} s, ${(read / ROWS).toFixed(2)} reads of each`,
      breaches: [
        ...expectThat(failure === undefined, `the sweep failed: ${failure}`),
        ...expectThat(left === 0, `${left} are left`),
        ...expectThat(read <= MAX_READ, `${read} reads of ${ROWS} rows`),
      ],
    };
  },
};
