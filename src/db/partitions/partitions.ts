import { sql } from 'kysely';
import { inBackground } from '../../base/background.js';
import { databaseTime, HOUR_MS } from '../../base/clock.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Check } from '../../base/telemetry/readiness.js';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { keyAt, nameOfPeriod, type Period, periodAt, periodsAround, timeOfKey } from './periods.js';
import { type PartitionedTable, partitionedTables } from './tables.js';

export interface Partition {
  name: string;
  /** The end of its rows' time, exclusive. */
  until: Date;
}

// Lock of the one process that may change the partitions.
const lock = sql.lit('4190223348107702311');

/** The partitions of a table, sorted by time. */
export async function partitionsOf(db: Db, { name, kind }: PartitionedTable): Promise<Partition[]> {
  const type = sql.raw(kind === 'uuidv7' ? 'uuid' : 'timestamptz');
  const { rows } = await sql<{ partition: string; end: string | Date }>`
    select relname as partition, substring(pg_get_expr(relpartbound, oid) from 'TO [(]''(.*)''[)]')::${type} as end
    from pg_inherits join pg_class on oid = inhrelid
    where inhparent = ${name}::regclass order by 2`.execute(db);
  return rows.map(({ partition, end }) => ({
    name: partition,
    until: typeof end === 'string' ? timeOfKey('uuidv7', end) : end,
  }));
}

/** Makes partitions in an empty database. The first one takes all rows from before the present period. */
export async function makeFirstPartitions(trx: Db): Promise<void> {
  const now = await daysAgo(trx, 0);
  for (const { name, kind, width } of partitionedTables) {
    const end = sql.lit(keyAt(kind, periodAt(width, now).from));
    await sql`
      create table ${sql.table(`${name}_first`)} partition of ${sql.table(name)}
      for values from (minvalue) to (${end})`.execute(trx);
  }
  await makePartitions(trx);
}

/** Makes missing partitions. Each is a table that is attached later, so nobody waits. Resolves to their names. */
export async function makePartitions(db: Db): Promise<string[]> {
  const names: string[] = [];
  for (const table of partitionedTables) {
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
  const end = partitions.at(-1)?.until ?? new Date(0);
  return periodsAround(table.width, await daysAgo(db, 0), table.ahead)
    .filter(({ until }) => until > end)
    .map(({ from, until }) => ({ from: from > end ? from : end, until }));
}

/**
 * Makes a partition by a function with the rights of the schema's owner: the service's role may not change the schema.
 */
async function make(trx: Db, table: PartitionedTable, period: Period): Promise<void> {
  const [from, until] = [period.from, period.until].map((at) => keyAt(table.kind, at));
  await sql`select make_partition(${table.name}::regclass, ${partitionName(table, period)}, ${from}, ${until})`.execute(
    trx,
  );
}

const partitionName = ({ name, width }: PartitionedTable, period: Period): string =>
  `${name}_${nameOfPeriod(width, period)}`;

export const daysAgo = (db: Db, days: number): Promise<Date> =>
  scalar(db, sql<Date>`now() - ${days}::integer * interval '1 day'`);

/** Runs work in a transaction. Undefined if another process does such work now. */
export async function alone<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T | undefined> {
  const run = async (trx: Db) => {
    const isMine = await scalar(trx, sql<boolean>`pg_try_advisory_xact_lock(${lock})`);
    return isMine ? work(trx) : undefined;
  };
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}

const PAUSE_MS = HOUR_MS;
const PAUSE_AFTER_FAILURE_MS = 60_000;

/**
 * Makes missing partitions now and every hour. Partitions are made days ahead, so a failure is only logged. The
 * returned check finds a table without a partition for new rows.
 */
export async function keepPartitions(db: Db, log: Logger) {
  let ends: ReadonlyMap<string, Date> = new Map();
  const round = async (): Promise<number> => {
    try {
      const made = await makePartitions(db);
      if (made.length > 0) log.info({ partitions: made }, 'partitions.made');
      return PAUSE_MS;
    } catch (err) {
      log.error({ err }, 'partitions.failed');
      return PAUSE_AFTER_FAILURE_MS;
    } finally {
      ends = await partitionEnds(db).catch(() => ends);
    }
  };
  const check: Check = async () => {
    const ended = [...ends].filter(([, end]) => end.getTime() <= databaseTime()).map(([name]) => name);
    if (ended.length === 0) return undefined;
    return { reason: 'partitions', text: `there is no partition for new rows of ${ended.join(', ')}` };
  };
  return { check, stop: inBackground(round, await round()) };
}

/** The ends of the last partition of each table. */
export async function partitionEnds(db: Db): Promise<Map<string, Date>> {
  const ends = new Map<string, Date>();
  for (const table of partitionedTables) {
    const partitions = await partitionsOf(db, table);
    ends.set(table.name, partitions.at(-1)?.until ?? new Date(0));
  }
  return ends;
}
