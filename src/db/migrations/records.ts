import { type QueryExecutorProvider, sql } from 'kysely';
import { version } from '../../base/version.js';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { type Migration, MigrationError } from './migration.js';

/** Stands for `up` among the parts of a migration; the others are its steps. */
export const UP = 'up';

export type Migrations = Readonly<Record<string, Migration>>;

/** The last migration in `kysely_migration`, where release 1.2 refuses unknown names; others have their own table. */
const LAST_IN_KYSELY = '0009-endpoint-pace';

/** From this migration on a record names the oldest release; those that do not know it read `needs` instead. */
const FIRST_WITH_OLDEST_RELEASE = '0023-oldest-release';

/** The migrations that are recorded in `kysely_migration`, and the later ones. */
export function byTable(migrations: Migrations): { first: Migrations; later: Migrations } {
  const isFirst = ([name]: readonly [string, unknown]) => name <= LAST_IN_KYSELY;
  const entries = Object.entries(migrations);
  return {
    first: Object.fromEntries(entries.filter(isFirst)),
    later: Object.fromEntries(entries.filter((entry) => !isFirst(entry))),
  };
}

export interface MigrationRecord {
  name: string;
  part: string;
  oldest_release: string | null;
  row_count: number;
  finished_at: Date | null;
}

/** Parts of migrations that were begun, those of other releases among them. */
export async function readRecords(db: Db): Promise<MigrationRecord[]> {
  const records: MigrationRecord[] = [];
  if (await hasTable(db, 'kysely_migration')) {
    const { rows } = await sql<MigrationRecord>`
      select name, ${UP} as part, null as oldest_release, 0 as row_count, timestamp::timestamptz as finished_at
      from kysely_migration order by name`.execute(db);
    records.push(...rows);
  }
  if (await hasTable(db, 'schema_migrations')) {
    const { rows } = await sql<MigrationRecord>`
      select name, part, to_jsonb(record) ->> 'oldest_release' as oldest_release, row_count::float8, finished_at
      from schema_migrations record order by name, started_at`.execute(db);
    records.push(...rows);
  }
  return records;
}

const hasTable = (db: Db, name: string): Promise<boolean> => scalar(db, sql<boolean>`to_regclass(${name}) is not null`);

/** Not by `create table if not exists`, which asks for the right to create even where there is nothing to do. */
export async function ensureRecords(db: Db): Promise<void> {
  if (await hasTable(db, 'schema_migrations')) return;
  await sql`
    create table schema_migrations (
      name text not null,
      part text not null,
      needs text,
      reached text,
      row_count bigint not null default 0,
      started_at timestamptz(3) not null default now(),
      finished_at timestamptz(3),
      primary key (name, part)
    )`.execute(db);
}

export type MigrationState = 'applied' | 'under way' | 'pending' | 'of another release';

/** A migration, or one that only the database knows. */
export interface MigrationStatus {
  migration: string;
  state: MigrationState;
  applied_at: Date | undefined;
  steps: { step: string; finished: boolean; rows: number }[];
}

/** Every migration of this release, then those that it does not know. */
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
  ...new Set(records.flatMap(({ name }) => (name in migrations ? [] : [name]))),
];

/** Records, beside the migration that makes it so, the oldest release that the schema serves. */
export async function serveFrom(trx: QueryExecutorProvider, name: string, release: string): Promise<void> {
  const needs = name === FIRST_WITH_OLDEST_RELEASE ? null : FIRST_WITH_OLDEST_RELEASE;
  await sql`
    update schema_migrations set oldest_release = ${release}, needs = ${needs}
    where name = ${name} and part = ${UP}`.execute(trx);
}

/** Throws MigrationError when a migration of another release took away what this one uses, or is not a later one. */
export function demandWorkable(migrations: Migrations, records: readonly MigrationRecord[], release = version): void {
  const last = Object.keys(migrations).at(-1) ?? '';
  for (const { name, oldest_release: oldest } of records) {
    if (oldest !== null && isBefore(release, oldest)) {
      throw new MigrationError(
        `the database is too new for release ${release}: it serves ${oldest} and later ones, since ${name}`,
      );
    }
    if (!(name in migrations) && name < last)
      throw new MigrationError(`the database has a migration that this release lacks: ${name}`);
  }
}

/** Compares releases such as `1.4.0`. */
export const isBefore = (one: string, other: string): boolean => one.localeCompare(other, 'en', { numeric: true }) < 0;
