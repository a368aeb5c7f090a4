import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { keyAt, nameOfPeriod, type Period, periodsAround, timeOfKey } from './periods.js';
import { type PartitionedTable, partitionedTables } from './tables.js';

export interface Partition {
  name: string;
  /** When its rows end, exclusive. */
  until: Date;
}

// One process at a time changes what partitions there are.
const lock = sql.lit('4190223348107702311');

/** The partitions of a table in the order of their time; undefined while it is one plain table. */
export async function partitionsOf(db: Db, { name, kind }: PartitionedTable): Promise<Partition[] | undefined> {
  const type = sql.raw(kind === 'uuidv7' ? 'uuid' : 'timestamptz');
  const { rows } = await sql<{ isPartitioned: boolean; partition: string | null; end: string | Date | null }>`
    select parent.relkind = 'p' as "isPartitioned", child.relname as partition,
      substring(pg_get_expr(child.relpartbound, child.oid) from 'TO [(]''(.*)''[)]')::${type} as end
    from pg_class parent
    left join pg_inherits on inhparent = parent.oid left join pg_class child on child.oid = inhrelid
    where parent.oid = ${name}::regclass order by 3`.execute(db);
  if (!rows.some(({ isPartitioned }) => isPartitioned)) return undefined;
  return rows.flatMap(({ partition, end }) =>
    partition === null || end === null
      ? []
      : { name: partition, until: typeof end === 'string' ? timeOfKey('uuidv7', end) : end },
  );
}

/** Makes missing partitions, each a table that is then attached, so that nobody waits. Resolves to their names. */
export async function makePartitions(db: Db, tables = partitionedTables): Promise<string[]> {
  const names: string[] = [];
  for (const table of tables) {
    if ((await missing(db, table)).length === 0) continue;
    const made = await alone(db, async (trx) => {
      const periods = await missing(trx, table);
      for (const period of periods) await make(trx, table, period);
      return periods.map((period) => partitionName(table, period));
    });
    names.push(...(made ?? []));
  }
  return names;
}

async function missing(db: Db, table: PartitionedTable): Promise<Period[]> {
  const partitions = await partitionsOf(db, table);
  if (!partitions) return [];
  const end = partitions.at(-1)?.until ?? new Date(0);
  return periodsAround(table.width, await daysAgo(db, 0), table.ahead)
    .filter(({ until }) => until > end)
    .map(({ from, until }) => ({ from: from > end ? from : end, until }));
}

async function make(trx: Db, table: PartitionedTable, period: Period): Promise<void> {
  const [parent, partition] = [sql.table(table.name), sql.table(partitionName(table, period))];
  const [from, until] = [period.from, period.until].map((at) => sql.lit(keyAt(table.kind, at)));
  await sql`create table ${partition} (like ${parent} including all excluding identity)`.execute(trx);
  await sql`
    alter table ${parent} attach partition ${partition} for values from (${from}) to (${until})`.execute(trx);
}

const partitionName = ({ name, width }: PartitionedTable, period: Period): string =>
  `${name}_${nameOfPeriod(width, period)}`;

export const daysAgo = (db: Db, days: number): Promise<Date> =>
  scalar(db, sql<Date>`now() - ${days}::integer * interval '1 day'`);

/** Runs work in a transaction, unless another process does such work now: then undefined. */
export async function alone<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T | undefined> {
  const run = async (trx: Db) => {
    const isMine = await scalar(trx, sql<boolean>`pg_try_advisory_xact_lock(${lock})`);
    return isMine ? work(trx) : undefined;
  };
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}
