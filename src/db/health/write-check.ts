import { sql } from 'kysely';
import type { Obstacle } from '../../base/telemetry/readiness.js';
import type { Db } from '../connect.js';
import { isDiskFull, isReadOnly, isUnavailable } from '../errors.js';

/** Rows of the second write. PostgreSQL writes some 100 kB of them to a file when it may hold 64 kB in memory. */
const ROWS = 5_000;

/**
 * An obstacle to writes; undefined when the database has just taken two. One locks a row, which waits for standbys like
 * any change and leaves nothing. As that succeeds on a full disk, the other is a temporary file, which does not.
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
