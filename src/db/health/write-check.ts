import { sql } from 'kysely';
import type { Obstacle } from '../../base/telemetry/readiness.js';
import type { Db } from '../connect.js';
import { isDiskFull, isReadOnly, isUnavailable } from '../errors.js';

/** Rows of the second write. PostgreSQL writes some 100 kB of them to a file if it may keep only 64 kB in memory. */
const ROWS = 5_000;

/**
 * Tries two writes. Undefined if both succeed, otherwise the obstacle. The first locks a row: it waits for standbys
 * like any change, but leaves nothing. It would succeed on a full disk, so the second writes a temporary file.
 */
export async function writeObstacle(db: Db): Promise<Obstacle | undefined> {
  try {
    await db.transaction().execute(async (trx) => {
      await sql`set local work_mem = '64kB'; set local temp_tablespaces = ''`.execute(trx);
      await sql`
        select (select count(*) from generate_series(1, ${sql.lit(ROWS)})) from sealing_keys
        limit 1 for update skip locked`.execute(trx);
    });
    return undefined;
  } catch (error) {
    return obstacleOf(error);
  }
}

function obstacleOf(error: unknown): Obstacle {
  if (isReadOnly(error))
    return { reason: 'read-only', text: 'the database takes no writes: it is a standby or read-only' };
  if (isDiskFull(error)) return { reason: 'disk-full', text: "the database's disk is full" };
  const trouble = isUnavailable(error) ? 'does not answer' : 'refuses what the service needs';
  return { reason: 'database', text: `the database ${trouble}` };
}
