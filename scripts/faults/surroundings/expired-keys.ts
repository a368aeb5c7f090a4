import { sql } from 'kysely';
import { createAccount } from '../../../src/accounts/account.js';
import { createLog } from '../../../src/base/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { sweepIdempotencyKeys } from '../../../src/http/idempotency/stored-answers.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';

const ROWS = 2_000_000;
const MOST_READ = 1.01 * ROWS;

async function fill(db: Db): Promise<void> {
  const profile = { email: 'ana@malote.test', name: 'Ana', phone: '+55 11 91234-5678', phoneConfirmed: true };
  const { id } = await createAccount(db, { ...profile, passwordHash: '' });
  await sql`
    insert into idempotency_keys (account_id, operation, key, door, fingerprint, answer, created_at)
    select ${id}, 'createOrder', n::text, 'A', '', '', now() - interval '2 days' + n * interval '1 millisecond'
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db);
}

/** How many rows of the table the connections that have ended or are idle have read. */
async function rowsRead(db: Db): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + (
      select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'idempotency_keys'
    ))::float8 as read
    from pg_stat_user_tables where relname = 'idempotency_keys'`.execute(db);
  return rows[0]?.read ?? Number.NaN;
}

export const expiredKeys: Fault = {
  what: `${ROWS} expired idempotency keys are swept beside a snapshot that is held`,
  promise: 'all are deleted within the limits of a statement, each is read once',
  run: async ({ stage: { db, databaseUrl } }) => {
    await fill(db);
    // With the limits of the service; one connection, as PostgreSQL counts for each what it has read.
    const log = createLog({ level: 'silent' });
    const service = connect({ url: databaseUrl, poolSize: 1, applicationName: 'sweep', log });
    const holding = db.transaction().setIsolationLevel('repeatable read');
    const { deleted, seconds, read } = await holding.execute(async (snapshot) => {
      await snapshot.selectFrom('accounts').select('id').execute();
      const started = performance.now();
      const deleted = await sweepIdempotencyKeys(service).catch((error: Error) => error.message);
      return { deleted, seconds: (performance.now() - started) / 1000, read: await rowsRead(service) };
    });
    await service.destroy();
    return {
      figures: `${deleted} deleted in ${seconds.toFixed(1)} s, ${(read / ROWS).toFixed(2)} reads of each`,
      breaches: [
        ...expectThat(deleted === ROWS, `not all are deleted: ${deleted}`),
        ...expectThat(read <= MOST_READ, `${read} reads of ${ROWS} rows`),
      ],
    };
  },
};
