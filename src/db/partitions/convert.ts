import { sql } from 'kysely';
import type { Logger } from '../../base/log.js';
import { connect, type Db } from '../connect.js';
import { daysAgo, makePartitions, partitionsOf, patiently } from './partitions.js';
import { keyAt, periodAt, timeOfKey } from './periods.js';
import { preparedIndex, replace } from './replace.js';
import { type PartitionedTable, partitionedTables } from './tables.js';

/** Work on a large table may be long until rows come that the plain table must not take. */
const GRACE_MS = 7 * 86_400_000;

// Who converts excludes others who would; `makePartitions` goes on beside it.
const lock = sql.lit('4190223348107702312');

/**
 * Turns the plain tables of a running service into partitioned ones without copying a row: the plain table becomes the first
 * partition. Nobody waits longer than a second. Cut off at any moment, it goes on where it was when it is called again.
 * No process of a version before 1.3 may run. The database must be reached without a pooler. Throws when another process converts.
 */
export async function convertTables(url: string, log: Logger): Promise<void> {
  const limits = { statementTimeoutMs: 0, lockTimeoutMs: 1_000, connectionTimeoutMs: 10_000 };
  const db = connect({ url, poolSize: 1, applicationName: 'malote partition', log, prepared: false, ...limits });
  try {
    await db.connection().execute(async (sole) => {
      const isMine = sql<boolean>`pg_try_advisory_lock(${lock})`.as('isMine');
      if (!(await sole.selectNoFrom(isMine).executeTakeFirstOrThrow()).isMine) {
        throw new Error('another process is partitioning the tables');
      }
      for (const table of partitionedTables) await convert(sole, table, log);
    });
  } finally {
    await db.destroy();
  }
}

async function convert(db: Db, table: PartitionedTable, log: Logger): Promise<void> {
  const { name } = table;
  if (await partitionsOf(db, table)) return;
  log.info({ table: name }, 'reading the table once');
  const boundary = await bound(db, table);
  await withoutLockTimeout(db, () =>
    sql`alter table ${sql.table(name)} validate constraint ${boundaryOf(table)}`.execute(db),
  );
  for (const [constraint, columns] of Object.entries(table.unique ?? {})) {
    log.info({ table: name, constraint }, 'building an index');
    await withoutLockTimeout(db, () => buildUnique(db, table, constraint, columns));
  }
  await patiently(() =>
    db.transaction().execute(async (trx) => {
      if ((await boundOf(trx, table))?.getTime() !== boundary.getTime())
        throw new Error(`${name}: took too long, run it again`);
      await replace(trx, table, boundary);
    }),
  );
  await makePartitions(db, [table]);
  await sql`analyze ${sql.table(name)}`.execute(db);
  log.info({ table: name }, 'partitioned');
}

/** Turns tables of a database that nobody has used yet into partitioned ones, in the transaction of a migration; of others nothing. */
export async function partitionFresh(trx: Db, tables: readonly PartitionedTable[]): Promise<void> {
  const used = sql<boolean>`exists (select from accounts)`.as('used');
  if ((await trx.selectNoFrom(used).executeTakeFirstOrThrow()).used) return;
  const now = await daysAgo(trx, 0);
  for (const table of tables) await replace(trx, table, periodAt(table.width, now).from);
  await makePartitions(trx, tables);
}

const boundaryOf = ({ name }: PartitionedTable) => sql.ref(`${name}_boundary`);

/** Makes sure that all rows, those to come too, are older than a time; resolves to it. An earlier attempt may have chosen it. */
async function bound(db: Db, table: PartitionedTable): Promise<Date> {
  const present = await boundOf(db, table);
  const now = await daysAgo(db, 0);
  if (present && present.getTime() > now.getTime() + GRACE_MS / 2) return present;
  const boundary = periodAt(table.width, new Date(now.getTime() + GRACE_MS)).until;
  const [name, key] = [sql.table(table.name), sql.ref(table.key)];
  await patiently(() =>
    sql`alter table ${name} drop constraint if exists ${boundaryOf(table)},
      add constraint ${boundaryOf(table)} check (${key} < ${sql.lit(keyAt(table.kind, boundary))}) not valid`.execute(
      db,
    ),
  );
  return boundary;
}

async function boundOf(db: Db, { name, kind }: PartitionedTable): Promise<Date | undefined> {
  const { rows } = await sql<{ key: string }>`
    select substring(pg_get_constraintdef(oid) from '''(.*)''') as key from pg_constraint
    where conrelid = ${name}::regclass and conname = ${`${name}_boundary`}`.execute(db);
  return rows[0] && timeOfKey(kind, rows[0].key);
}

/**
 * Lets a plain table take any row again where its conversion was begun and left: processes call it from time to time, so that nobody is
 * refused when the boundary comes.
 */
export async function dropStaleBoundaries(db: Db): Promise<void> {
  for (const table of partitionedTables) {
    const boundary = (await partitionsOf(db, table)) ? undefined : await boundOf(db, table);
    if (!boundary || boundary.getTime() > Date.now() + GRACE_MS / 2) continue;
    await sql`alter table ${sql.table(table.name)} drop constraint if exists ${boundaryOf(table)}`.execute(db);
  }
}

async function buildUnique(db: Db, { name }: PartitionedTable, constraint: string, columns: readonly string[]) {
  const index = sql.ref(preparedIndex(constraint));
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${preparedIndex(constraint)})`.execute(db);
  if (rows[0]?.valid) return;
  await sql`drop index concurrently if exists ${index}`.execute(db);
  await sql`create unique index concurrently ${index} on ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})`.execute(
    db,
  );
}

/** What only reads waits for others without anybody waiting for it. */
async function withoutLockTimeout(db: Db, work: () => Promise<unknown>): Promise<void> {
  await sql`set lock_timeout = 0`.execute(db);
  await work();
  await sql`set lock_timeout = '1s'`.execute(db);
}
