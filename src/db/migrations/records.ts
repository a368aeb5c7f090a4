import { type QueryExecutorProvider, sql } from 'kysely';
import { version } from '../../base/version.js';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { type Migration, MigrationError } from './migration.js';

/** Name of `up` among the parts of a migration. The other parts are its steps. */
export const UP = 'up';

export type Migrations = Readonly<Record<string, Migration>>;

/** The last migration of release 1.7. Upgrades start from there, and new databases have its record, too. */
export const UPGRADED_FROM = '0033-lighter-deliveries';

/**
 * The oldest release that can use a new database of this release. Raise it with the first migration that removes a
 * thing which earlier releases use.
 */
export const OLDEST_FOR_NEW = '1.8.0';

export interface MigrationRecord {
  name: string;
  part: string;
  oldest_release: string | null;
  row_count: number;
  finished_at: Date | null;
}

/**
 * Reads the parts of migrations that were begun, since the last one of release 1.7. Includes those of other releases.
 */
export async function readRecords(db: Db): Promise<MigrationRecord[]> {
  if (!(await hasTable(db, 'schema_migrations'))) return [];
  const { rows } = await sql<MigrationRecord>`
    select name, part, to_jsonb(record) ->> 'oldest_release' as oldest_release, row_count::float8, finished_at
    from schema_migrations record where name >= ${UPGRADED_FROM} order by name, started_at`.execute(db);
  return rows;
}

/**
 * Reads the records of a database that this release can use or migrate. Throws MigrationError if it is too new, or if a
 * release before 1.7 made it.
 */
export async function readWorkable(db: Db, migrations: Migrations): Promise<MigrationRecord[]> {
  // Another process may make the whole schema meanwhile. So the records are read after the tables.
  const isUsed = await hasTable(db, 'accounts');
  const records = await readRecords(db);
  if (isUsed) await demandUpgradable(db, records);
  demandWorkable(migrations, records);
  return records;
}

/** Throws MigrationError if the database of an earlier release lacks the changes of 1.7. */
async function demandUpgradable(db: Db, records: readonly MigrationRecord[]): Promise<void> {
  if (!records.some(({ name }) => name === UPGRADED_FROM))
    throw new MigrationError('the database is of a release before 1.7: run "malote migrate" of release 1.7 first');
  const isPlain = await scalar(
    db,
    sql<boolean>`(select relkind = 'r' from pg_class where oid = to_regclass('orders'))`,
  );
  if (isPlain)
    throw new MigrationError(
      'the large tables of the database are not partitioned: run "malote partition" of release 1.7 first',
    );
}

export const hasTable = (db: Db, name: string): Promise<boolean> =>
  scalar(db, sql<boolean>`to_regclass(${name}) is not null`);

/**
 * Makes the table of records. Not by `create table if not exists`, which needs the right to create even if the table
 * exists.
 */
export async function ensureRecords(db: Db): Promise<void> {
  if (await hasTable(db, 'schema_migrations')) return;
  await sql`
    create table schema_migrations (
      name text not null,
      part text not null,
      oldest_release text,
      reached text,
      row_count bigint not null default 0,
      started_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      primary key (name, part)
    )`.execute(db);
}

export type MigrationState = 'applied' | 'under way' | 'pending' | 'of another release';

/** The state of a migration of this release, or of one that only the database has. */
export interface MigrationStatus {
  migration: string;
  state: MigrationState;
  applied_at: Date | undefined;
  steps: { step: string; finished: boolean; rows: number }[];
}

/** Lists every migration of this release, then those that it does not know. */
export function migrationStatuses(migrations: Migrations, records: readonly MigrationRecord[]): MigrationStatus[] {
  const known = Object.entries(migrations).map(([migration, each]): MigrationStatus => {
    const ofThis = records.filter(({ name }) => name === migration);
    const names = [UP, ...(each.steps ?? []).map(({ name }) => name)];
    const parts = names.map((step) => ({ step, record: ofThis.find(({ part }) => part === step) }));
    const finishedAt = parts.map(({ record }) => record?.finished_at ?? undefined);
    const isApplied = finishedAt.every((time) => time !== undefined);
    const [, ...steps] = parts;
    return {
      migration,
      state: isApplied ? 'applied' : ofThis.length > 0 ? 'under way' : 'pending',
      applied_at: isApplied ? finishedAt.at(-1) : undefined,
      steps: steps.map(({ step, record }) => ({
        step,
        finished: Boolean(record?.finished_at),
        rows: record?.row_count ?? 0,
      })),
    };
  });
  const others = unknownNames(migrations, records).map((migration): MigrationStatus => {
    const state = 'of another release';
    return { migration, state, applied_at: undefined, steps: [] };
  });
  return [...known, ...others];
}

export const unknownNames = (migrations: Migrations, records: readonly MigrationRecord[]): string[] => [
  ...new Set(records.flatMap(({ name }) => (name in migrations || name === UPGRADED_FROM ? [] : [name]))),
];

/** Records the oldest release that the schema serves, beside the migration that causes it. */
export async function serveFrom(trx: QueryExecutorProvider, name: string, release: string): Promise<void> {
  await sql`
    update schema_migrations set oldest_release = ${release}
    where name = ${name} and part = ${UP}`.execute(trx);
}

/**
 * Throws MigrationError if a migration of another release removed a thing that this release uses, or is not a later
 * one.
 */
export function demandWorkable(migrations: Migrations, records: readonly MigrationRecord[], release = version): void {
  const last = Object.keys(migrations).at(-1) ?? '';
  for (const { name, oldest_release: oldest } of records) {
    if (oldest !== null && isBefore(release, oldest)) {
      throw new MigrationError(
        `the database is too new for release ${release}: it serves ${oldest} and later ones, since ${name}`,
      );
    }
    if (!(name in migrations) && name !== UPGRADED_FROM && name < last)
      throw new MigrationError(`the database has a migration that this release lacks: ${name}`);
  }
}

/** Compares releases, for example `1.4.0`. */
export const isBefore = (one: string, other: string): boolean => one.localeCompare(other, 'en', { numeric: true }) < 0;
