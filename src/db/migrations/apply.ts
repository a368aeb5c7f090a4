import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { patiently } from '../transaction.js';
import type { ChunkStep, Migration, Step } from './migration.js';
import { makeSchema } from './new-database.js';
import { type Migrations, readRecords, serveFrom, UP } from './records.js';

export type MigrationEvent =
  | { event: 'applied'; migration: string; step?: string; ms: number }
  | { event: 'progress'; migration: string; step: string; rows: number }
  | { event: 'waiting' };

export type Tell = (event: MigrationEvent) => void;

export interface Pools {
  /** A pool that gives up on a lock soon, because everybody else queues behind a lock that is waited for. */
  brief: Db;
  /** A pool without time limits. */
  patient: Db;
}

/** Makes the schema in an empty database. The database then has all migrations. */
export async function makeNew({ brief }: Pools, migrations: Migrations, tell: Tell): Promise<void> {
  const make = () => brief.transaction().execute((trx) => makeSchema(trx, migrations));
  tell({ event: 'applied', migration: 'new database', ms: await timed(() => givingWay(tell, make)) });
}

/** Applies the missing migrations, in order. Only one process may do so at a time. */
export async function applyMigrations(pools: Pools, migrations: Migrations, tell: Tell): Promise<void> {
  const records = await readRecords(pools.brief);
  const isFinished = (migration: string, step: string) =>
    records.some(({ name, part, finished_at }) => name === migration && part === step && finished_at !== null);
  for (const [migration, each] of Object.entries(migrations)) {
    if (!isFinished(migration, UP)) {
      const ms = await timed(() => applyUp(pools, migration, each, tell));
      tell({ event: 'applied', migration, ms });
    }
    for (const step of each.steps ?? []) {
      if (isFinished(migration, step.name)) continue;
      const ms = await timed(() => applyStep(pools, migration, step, tell));
      tell({ event: 'applied', migration, step: step.name, ms });
    }
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return Math.round(performance.now() - started);
}

const applyUp = ({ brief }: Pools, name: string, { up, serves }: Migration, tell: Tell): Promise<void> =>
  givingWay(tell, () =>
    brief.transaction().execute(async (trx) => {
      await up(trx);
      await sql`
        insert into schema_migrations (name, part, finished_at) values (${name}, ${UP}, now())`.execute(trx);
      if (serves) await serveFrom(trx, name, serves.from);
    }),
  );

async function applyStep(pools: Pools, name: string, step: Step, tell: Tell): Promise<void> {
  await sql`
    insert into schema_migrations (name, part) values (${name}, ${step.name})
    on conflict do nothing`.execute(pools.brief);
  if ('chunk' in step) {
    const next = () => givingWay(tell, () => pools.brief.transaction().execute((trx) => nextChunk(trx, name, step)));
    for (let rows = await next(); rows !== undefined; rows = await next()) {
      tell({ event: 'progress', migration: name, step: step.name, rows });
    }
    return;
  }
  await step.run(pools.patient);
  await sql`
    update schema_migrations set finished_at = now() where name = ${name} and part = ${step.name}`.execute(pools.brief);
}

/** Runs one chunk and its record in one transaction. Resolves to the count of rows so far, or undefined at the end. */
async function nextChunk(trx: Db, name: string, { name: part, chunk }: ChunkStep): Promise<number | undefined> {
  const { rows } = await sql<{ reached: string | null }>`
    select reached from schema_migrations where name = ${name} and part = ${part} for update`.execute(trx);
  const result = await chunk(trx, rows[0]?.reached ?? undefined);
  const change = result
    ? sql`reached = ${result.after}, row_count = row_count + ${result.rows}`
    : sql`finished_at = now()`;
  const { rows: updated } = await sql<{ row_count: number }>`
    update schema_migrations set ${change} where name = ${name} and part = ${part}
    returning row_count::float8`.execute(trx);
  return result && updated[0]?.row_count;
}

/** Runs a transaction again until it gets its locks. Between the attempts others get theirs. */
const givingWay = <T>(tell: Tell, work: () => Promise<T>): Promise<T> =>
  patiently(work, { attempts: 100, waiting: () => tell({ event: 'waiting' }) });
