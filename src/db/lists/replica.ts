import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ServiceError } from '../../base/errors.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { shareRead } from '../share-read.js';

/** Reads a list from the replica or the primary. `read` may run twice, so it must only read. */
export type ReadList = <T>(read: (db: Db) => Promise<T>) => Promise<T>;

/** The replica answered. Otherwise the primary did: the replica lagged, failed, or did so less than a second ago. */
export type ListReadOutcome = 'replica' | 'behind' | 'failed' | 'resting';

interface ReplicaOptions {
  primary: Db;
  /** A pool of the primary that requests cannot exhaust. */
  markDb: Db;
  replica: Db;
  log: Logger;
  count: (outcome: ListReadOutcome) => void;
}

/** Most milliseconds until the replica reaches the mark, and until its first answer. */
const CATCH_UP_MS = 50;
const FIRST_ANSWER_MS = 300;
const PAUSE_MS = 5;

const REST_MS = 1_000;

/** Thrown if the replica lags, or belongs to another database. */
class BehindError extends Error {
  override name = 'BehindError';
}

/**
 * Makes a reader that lets a replica answer lists. The replica must have replayed every write that was acknowledged
 * before the request. The read's own transaction checks that, against the primary's position and history. Otherwise the
 * primary answers (docs/adr/0011-lists-from-a-replica.md).
 */
export function listReader({ primary, markDb, replica, log, count }: ReplicaOptions): ReadList {
  const markNow = marker(markDb);
  let restsUntil = 0;
  const isResting = () => performance.now() < restsUntil;
  const rest = () => {
    restsUntil = performance.now() + REST_MS;
  };

  const giveUp = (error: unknown): void => {
    const outcome = error instanceof BehindError ? 'behind' : 'failed';
    if (restsUntil === 0) log.warn({ err: error, outcome }, 'replica.left_out');
    rest();
    count(outcome);
  };

  const takeBack = (): void => {
    if (restsUntil > 0) log.info('replica.used_again');
    restsUntil = 0;
    count('replica');
  };

  return async (read) => {
    if (isResting()) {
      count('resting');
      return read(primary);
    }
    // After a rest only one request tries the replica. The others do not wait for its outcome.
    if (restsUntil > 0) rest();
    const mark = await markNow();
    if (!mark) return read(primary);
    try {
      const listed = await readCaughtUp(replica, mark, read);
      takeBack();
      return listed;
    } catch (error) {
      // The replica was able to answer, and this error is the answer.
      if (error instanceof ServiceError) throw error;
      giveUp(error);
      return read(primary);
    }
  };
}

interface LogPosition {
  lsn: string;
  timeline: number;
}

interface Mark extends LogPosition {
  /** The identifier of the cluster, which never changes. */
  system: string;
}

/** Makes a function that returns the primary's mark. Undefined if the primary does not answer. */
function marker(db: Db): () => Promise<Mark | undefined> {
  let system: string | undefined;
  return async () => {
    try {
      system ??= await scalar(db, systemOf);
      return { system, ...(await positionOf(db, undefined)) };
    } catch {
      return undefined;
    }
  };
}

const systemOf = sql<string>`(select system_identifier::text from pg_control_system())`;

// Without synchronous_commit, an acknowledged commit may be inserted but not flushed. The statement has a value so that
// it is prepared, which halves its cost.
const positionText = sql<LogPosition>`
  select lsn::text, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::integer as timeline
  from (select case current_setting('synchronous_commit')
    when ${'off'} then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as lsn) now`;

/** A standby's timeline, from its receiver or, if greater, from its restart point. */
const standbyTimeline = sql<number>`greatest(
  (select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint()))`;

/** The timeline of a server. After a failover, timelines tell histories apart. */
export const timeline = sql<number>`case when pg_is_in_recovery() then ${standbyTimeline}
  else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer end`;

/** One statement at a time serves all waiting lists of this process. */
const positionOf = shareRead<undefined, LogPosition>(
  async (db, askers) => {
    const { rows } = await positionText.execute(db);
    return askers.flatMap(() => rows);
  },
  { max: Number.MAX_SAFE_INTEGER, patienceMs: PAUSE_MS },
);

/** Reads in a transaction of a replica that has reached the mark. Throws BehindError, and errors of the database. */
async function readCaughtUp<T>(replica: Db, mark: Mark, read: (db: Db) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('the replica does not answer in time')), FIRST_ANSWER_MS);
  const listed = replica.transaction().execute(async (trx) => {
    await catchUp(trx, mark);
    clearTimeout(timer);
    late.signal.throwIfAborted();
    return read(trx);
  });
  try {
    return await Promise.race([listed, failureOf(late.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

const failureOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

async function catchUp(trx: Db, mark: Mark): Promise<void> {
  const deadline = performance.now() + CATCH_UP_MS;
  while (!(await hasReplayed(trx, mark))) {
    if (performance.now() > deadline)
      throw new BehindError('the replica has not replayed what the primary has written');
    await sleep(PAUSE_MS);
  }
}

/** Tells whether the replica has replayed the log up to the mark. On an older timeline it has another history. */
async function hasReplayed(trx: Db, { lsn, timeline: marked, system }: Mark): Promise<boolean> {
  const isCurrent = sql<boolean>`coalesce(
      pg_is_in_recovery()
      and pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn
      and (select system_identifier from pg_control_system()) = ${system}::bigint
      and ${standbyTimeline} = ${marked}::integer, false)`;
  return scalar(trx, isCurrent);
}
