import { sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { codeMaker, type PackageCodes } from './codes.js';

/** Drawn at once, so that hardly any order waits for it. What a process leaves unused when it ends is a gap, which does no harm. */
const DRAWN_AT_ONCE = 256;

/** Codes for new packages. */
export interface CodeSource {
  /**
   * Codes that no package has or will have under this key: the sequence `package_number` gives each number to one process only,
   * and a rollback does not take it back.
   */
  take(db: Db, count: number): Promise<PackageCodes[]>;
  /** Lets go what is left: after a failover to a standby that lagged, others may have been given the same. */
  drop(db: Db): void;
}

export function createCodeSource(ring: KeyRing): CodeSource {
  const make = codeMaker(ring);
  /** Drawn and not yet given, for each database that this process works with. */
  const drawn = new WeakMap<object, PackageCodes[]>();

  async function take(db: Db, count: number): Promise<PackageCodes[]> {
    const own = drawn.get(keyOf(db)) ?? [];
    drawn.set(keyOf(db), own);
    if (own.length < count) own.push(...make(await drawNumbers(db, Math.max(count, DRAWN_AT_ONCE))));
    return own.splice(-count);
  }

  return { take, drop: (db) => void drawn.delete(keyOf(db)) };
}

async function drawNumbers(db: Db, count: number): Promise<bigint[]> {
  const { rows } = await sql<{ number: string }>`
    select nextval('package_number') as number from generate_series(1, ${count}::integer)`.execute(db);
  return rows.map(({ number }) => BigInt(number));
}

/** The one thing that a pool and all transactions on it share. */
const keyOf = (db: Db): object => db.getExecutor().adapter;
