import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../connect.js';
import { deleteInChunks } from '../delete-in-chunks.js';
import { isForbidden } from '../errors.js';
import { patiently } from '../transaction.js';
import { alone, daysAgo, type Partition, partitionsOf } from './partitions.js';
import { keyAt, periodAt } from './periods.js';
import type { PartitionedTable } from './tables.js';

/** Makes a query for the keys of the rows that must stay. It runs under locks, so it must read only indexes. */
export type KeptKeys = (partition: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Most rows that are moved. A partition with more rows to keep is not dropped. */
const MAX_MOVED = 1_000;

/**
 * Drops the partitions whose rows are all older, and moves rows that must stay to the first partition. Resolves to
 * their names. Others wait only for a moment: a lock that is not granted within 50 ms is tried again.
 */
export async function dropPartitions(
  db: Db,
  table: PartitionedTable,
  before: Date,
  kept?: KeptKeys,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const partition of await partitionsOf(db, table)) {
    if (partition.until > before) break;
    const step = { table, partition, kept };
    const keys = await keysOf(db, step);
    if (keys.length > MAX_MOVED || (keys.length > 0 && !(await prepareFirst(db, step)))) continue;
    if (await patiently(() => alone(db, (trx) => drop(trx, step)))) dropped.push(partition.name);
  }
  return dropped;
}

interface Step {
  table: PartitionedTable;
  partition: Partition;
  kept: KeptKeys | undefined;
}

async function keysOf(db: Db, { partition, kept }: Step): Promise<string[]> {
  if (!kept) return [];
  const { rows } = await sql<{ key: string }>`
    select distinct key from (${kept(sql.table(partition.name))}) kept(key) limit ${MAX_MOVED + 1}`.execute(db);
  return rows.map(({ key }) => key);
}

const firstOf = ({ name }: PartitionedTable) => `${name}_first`;

/**
 * Prepares the first partition to take the rows of this one, and checks its rows before the lock. False if this one is
 * not next.
 */
async function prepareFirst(db: Db, { table, partition }: Step): Promise<boolean> {
  const [oldest, second] = await partitionsOf(db, table);
  const first = sql.table(firstOf(table));
  if (oldest?.name === partition.name) {
    if (partition.name === firstOf(table)) return false;
    await sql`
      create table if not exists ${first} (like ${sql.table(table.name)} including all excluding identity)`.execute(db);
  } else if (oldest?.name !== firstOf(table) || second?.name !== partition.name) return false;
  const end = sql.lit(keyAt(table.kind, partition.until));
  const boundary = sql.ref(boundaryName(table));
  await patiently(() =>
    sql`alter table ${first} drop constraint if exists ${boundary},
      add constraint ${boundary} check (${sql.ref(table.key)} < ${end}) not valid`.execute(db),
  );
  await sql`alter table ${first} validate constraint ${boundary}`.execute(db);
  return true;
}

const boundaryName = (table: PartitionedTable) => `${firstOf(table)}_boundary`;

/** Drops a partition. Under the locks it reads the rows to keep again, because there may be more now. */
async function drop(trx: Db, step: Step): Promise<boolean> {
  const [parent, partition] = [sql.table(step.table.name), sql.table(step.partition.name)];
  await sql`set local lock_timeout = '50ms'`.execute(trx);
  await sql`lock table only ${parent} in access exclusive mode`.execute(trx);
  await sql`lock table ${partition} in access exclusive mode`.execute(trx);
  const keys = await keysOf(trx, step);
  if (keys.length > MAX_MOVED) return false;
  if (keys.length > 0) await moveToFirst(trx, step, keys);
  await sql`drop table ${partition}`.execute(trx);
  return true;
}

async function moveToFirst(trx: Db, { table, partition }: Step, keys: readonly string[]): Promise<void> {
  const [parent, first, last] = [sql.table(table.name), sql.table(firstOf(table)), sql.table(partition.name)];
  await sql`alter table ${parent} detach partition ${last}`.execute(trx);
  const [oldest] = await partitionsOf(trx, table);
  if (oldest?.name === firstOf(table)) await sql`alter table ${parent} detach partition ${first}`.execute(trx);
  const type = sql.raw(table.kind === 'uuidv7' ? 'uuid' : 'timestamptz');
  await sql`
    insert into ${first} select * from ${last} where ${sql.ref(table.key)} = any(${keys}::${type}[])`.execute(trx);
  const end = sql.lit(keyAt(table.kind, partition.until));
  await sql`alter table ${parent} attach partition ${first} for values from (minvalue) to (${end})`.execute(trx);
  await sql`alter table ${first} drop constraint if exists ${sql.ref(boundaryName(table))}`.execute(trx);
}

/** Rows older than this are deleted one by one. Newer ones go later, when their partition is dropped. */
export const rowsGoBefore = ({ width }: PartitionedTable, before: Date): Date => periodAt(width, before).from;

/** Removes the rows older than `days` days. Drops a partition if all of its rows are older. */
export async function removeOlder(db: Db, table: PartitionedTable, days: number): Promise<void> {
  const before = await daysAgo(db, days);
  await dropPartitions(db, table, before).catch((error: unknown) => {
    // A role that may not change the schema deletes the rows below instead.
    if (!isForbidden(error)) throw error;
  });
  const oldest = keyAt(table.kind, rowsGoBefore(table, before));
  await deleteInChunks(db, table.name, table.key, sql`${sql.ref(table.key)} < ${oldest}`);
}
