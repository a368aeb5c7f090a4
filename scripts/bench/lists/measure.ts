import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.js';

export interface Case {
  name: string;
  db: Db;
  run(db: Db): Promise<unknown>;
}

export interface Cost {
  name: string;
  /** Milliseconds, as the process sees them. */
  median: number;
  p95: number;
  /** Milliseconds of planning and executing in PostgreSQL, on average. */
  server: number;
}

const ROUNDS = 7;

/** What each case costs, in turns, so that whatever else this machine does falls on all of them alike. */
export async function measure(cases: readonly Case[], runs: number): Promise<Map<string, Cost>> {
  const taken = cases.map((measured) => ({ ...measured, times: [] as number[], server: 0 }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const measured of taken) {
      const { times, server } = await block(measured, Math.ceil(runs / ROUNDS));
      // The first round warms up.
      if (round === 0) continue;
      measured.times.push(...times);
      measured.server += server;
    }
  }
  return new Map(
    taken.map(({ name, times, server }) => [name, { name, ...quantiles(times), server: server / times.length }]),
  );
}

async function block({ db, run }: Case, runs: number): Promise<{ times: number[]; server: number }> {
  const before = await serverMs(db);
  const times: number[] = [];
  for (let count = 0; count < runs; count += 1) {
    const started = performance.now();
    await run(db);
    times.push(performance.now() - started);
  }
  return { times, server: (await serverMs(db)) - before };
}

async function serverMs(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select coalesce(sum(total_plan_time + total_exec_time), 0) as ms from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat%'`.execute(
    db,
  );
  return rows[0]?.ms ?? 0;
}

const quantiles = (times: readonly number[]) => ({ median: quantile(times, 0.5), p95: quantile(times, 0.95) });

export function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
}
