import { type Insertable, type Selectable, sql } from 'kysely';
import { invalid } from '../base/errors.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from './connect.js';
import { allRows, scalar } from './one-row.js';
import type { Database } from './tables/database.js';
import { transaction } from './transaction.js';

// Versions of the carrier's rules. A version never changes, and takes effect at its `valid_from`. Every statement asks
// the database for the version in force, so all processes follow a new version at once.

type VersionTable = 'service_areas' | 'calendars';

export type Version<T extends VersionTable> = Selectable<Database[T]>;

type Facts<T extends VersionTable> = Omit<Insertable<Database[T]>, 'version' | 'valid_from' | 'created_at'>;

/** SQL of the version in force at a time: the latest `valid_from` until then. If several have that, the newest. */
export const inForceSql = (table: VersionTable, columns: string, time = 'now()'): string =>
  `select ${columns} from ${table} where valid_from <= ${time} order by valid_from desc, version desc limit 1`;

export async function currentVersion<T extends VersionTable>(db: Db, table: T): Promise<Version<T> | undefined> {
  const { rows } = await sql.raw<Version<T>>(inForceSql(table, '*')).execute(db);
  return rows[0];
}

export async function getVersion<T extends VersionTable>(
  db: Db,
  table: T,
  version: number,
): Promise<Version<T> | undefined> {
  const { rows } = await sql<Version<T>>`select * from ${sql.table(table)} where version = ${version}`.execute(db);
  return rows[0];
}

/** Adds the next version, in force at once unless a time is given. Throws VALIDATION_ERROR for a time in the past. */
export function addVersion<T extends VersionTable>(
  db: Db,
  table: T,
  validFrom: Date | undefined,
  facts: Facts<T>,
): Promise<Version<T>> {
  const named = Object.entries(facts);
  const columns = sql.join(named.map(([name]) => sql.ref(name)));
  const values = sql.join(named.map(([, value]) => value));
  return transaction(db, async (trx) => {
    await sql`lock table ${sql.table(table)} in share row exclusive mode`.execute(trx);
    if (validFrom) await demandFuture(trx, 'validFrom', validFrom);
    const { rows } = await sql<Version<T>>`
      insert into ${sql.table(table)} (version, valid_from, ${columns})
      values (
        (select coalesce(max(version), 0) + 1 from ${sql.table(table)}), coalesce(${validFrom}::timestamptz, now()), ${values})
      returning *`.execute(trx);
    const [added] = rows;
    if (!added) throw new Error(`no version was added to ${table}`);
    return added;
  });
}

/** Throws VALIDATION_ERROR for a time more than a minute ago. Clocks may differ by less. */
export async function demandFuture(trx: Db, field: string, time: Date | string): Promise<void> {
  const { rows } = await sql<{ isOver: boolean }>`
    select ${time}::timestamptz < now() - interval '1 minute' as "isOver"`.execute(trx);
  if (rows[0]?.isOver) throw invalid([{ field, code: 'too_early', message: 'must not be over' }]);
}

export type VersionSummary<T extends VersionTable, Column extends keyof Version<T>> = Pick<Version<T>, Column> & {
  in_force: boolean;
};

export async function listVersions<T extends VersionTable, Column extends keyof Version<T> & string>(
  db: Db,
  table: T,
  columns: readonly Column[],
  page: Page,
): Promise<Listed<VersionSummary<T, Column>>> {
  const listed = sql<VersionSummary<T, Column>>`
    select ${sql.join(columns.map((name) => sql.ref(name)))},
      version is not distinct from (${sql.raw(inForceSql(table, 'version'))}) as in_force
    from ${sql.table(table)} order by version desc limit ${page.pageSize} offset ${offsetOf(page)}`;
  const rows = await allRows(db, listed);
  const total = await scalar(db, sql<string>`(select count(*) from ${sql.table(table)})`);
  return { rows, total: Number(total) };
}

/**
 * SQL of the version in force as JSON, or null before the first version. A process gives the version that it knows. If
 * that is in force, it gets only the number, so the statement of every order reads a few bytes.
 */
export const versionInForceSql = (table: VersionTable, content: string, knownVersion: string): string =>
  `(select json_build_object('version', version, 'content', content) from (${inForceSql(
    table,
    `version, case when version is distinct from ${knownVersion} then ${content} end as content`,
  )}) version_in_force)`;

export interface VersionInForce<Content> {
  version: number;
  /** Null if the statement gave this version as known. */
  content: Content | null;
}

interface KeptVersion<Content, Kept> {
  known(db: Db): Kept | undefined;
  /** Returns the version in force, from the result of a statement that was given `known`. */
  read(db: Db, known: Kept | undefined, inForce: VersionInForce<Content> | null): Kept | undefined;
}

/** Keeps the last read version in force of a database, in the form that orders need. */
export function keepVersion<Content, Kept extends { version: number }>(
  toKept: (version: number, content: Content) => Kept,
): KeptVersion<Content, Kept> {
  const last = new WeakMap<Db, Kept>();
  return {
    known: (db) => last.get(db),
    read: (db, known, inForce) => {
      if (inForce === null) return undefined;
      if (inForce.content === null) return known;
      const kept = toKept(inForce.version, inForce.content);
      last.set(db, kept);
      return kept;
    },
  };
}
