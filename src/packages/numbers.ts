import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

/** Drawn at once, so that hardly any order waits for it. What a process leaves unused when it ends is a gap, which does no harm. */
const drawnAtOnce = 256;

/** Drawn and not yet given, for each database that this process works with. */
const drawn = new WeakMap<object, string[]>();

/**
 * Numbers that no package has or will have: the sequence `package_number` gives each to one process only, and a rollback does
 * not take it back.
 */
export async function takeNumbers(db: Db, count: number): Promise<bigint[]> {
  const own = left(db);
  if (own.length < count) {
    const { rows } = await sql<{ number: string }>`
      select nextval('package_number') as number
      from generate_series(1, ${Math.max(count, drawnAtOnce)}::integer)`.execute(db);
    own.push(...rows.map(({ number }) => number));
  }
  return own.splice(-count).map(BigInt);
}

/** Lets go what is left: after a failover to a standby that lagged, others may have been given the same. */
export function dropNumbers(db: Db): void {
  drawn.delete(keyOf(db));
}

function left(db: Db): string[] {
  const own = drawn.get(keyOf(db)) ?? [];
  drawn.set(keyOf(db), own);
  return own;
}

/** The one thing that a pool and all transactions on it share. */
const keyOf = (db: Db): object => db.getExecutor().adapter;
