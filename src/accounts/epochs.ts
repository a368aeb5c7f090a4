import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { inBackground } from '../base/background.js';
import { MAX_TOKEN_TTL_SECONDS } from '../base/config.js';
import { unavailable } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';

/**
 * Knows which tokens were ended by a change of password or role, or by a deletion. A token carries its account's epoch,
 * and ending all tokens raises the epoch. A member's token also carries the member's own epoch. A named API key has the
 * epoch 0, and 1 once it is revoked.
 *
 * Each process keeps the epochs that were raised within the longest lifetime that can be configured. It reads new ones
 * every 300 ms, so a request costs no read. A change holds everywhere within a second. If the last read is older than
 * that second, requests wait together for the next read. They are UNAVAILABLE if it fails, so a read that is too old
 * lets nobody in.
 *
 * A change becomes visible at its commit, which is later than its `epoch_changed_at`. So each read goes back five
 * minutes further than the last one, far longer than a transaction may stay open.
 */
const EVERY_MS = 300;
const FRESH_MS = 1_000;
const OVERLAP_SECONDS = 300;
const HORIZON_SECONDS = MAX_TOKEN_TTL_SECONDS + OVERLAP_SECONDS;

interface EpochOptions {
  db: Db;
  /** The pool for the polls, so that a busy pool does not delay them. The default is `db`. */
  pollDb?: Db;
  log: Logger;
}

export interface Epochs {
  /** Learns all epochs committed before the call. */
  refresh(): Promise<void>;
  /** Learns all epochs committed a second before the call. All callers share one read. Throws `UNAVAILABLE`. */
  catchUp(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True if this process knows every change that is older than a second. */
  isFresh(): boolean;
  hasEnded(id: string, epoch: number): boolean;
}

export function createEpochs({ db, pollDb = db, log }: EpochOptions): Epochs {
  const raised = new LRUCache<string, number>({ ttl: HORIZON_SECONDS * 1000, ttlAutopurge: true });
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: { startedAt: number; done: Promise<void> } | undefined;
  let endPolls: (() => Promise<void>) | undefined;

  const read = async (startedAt: number) => {
    const seconds = Math.min(HORIZON_SECONDS, (startedAt - readAt) / 1000 + OVERLAP_SECONDS);
    // Reads may end in another order than they began, so an epoch must never decrease.
    for (const { id, epoch } of await raisedWithin(pollDb, seconds))
      raised.set(id, Math.max(epoch, raised.get(id) ?? 0));
    readAt = Math.max(readAt, startedAt);
  };

  const refresh = (): Promise<void> => {
    const startedAt = performance.now();
    latest = { startedAt, done: read(startedAt) };
    return latest.done;
  };

  const catchUp = async (): Promise<void> => {
    const recent = latest && performance.now() - latest.startedAt <= FRESH_MS ? latest.done : refresh();
    await recent.catch((cause: unknown) => {
      throw unavailable(cause);
    });
  };

  return {
    refresh,
    catchUp,
    start: async () => {
      await refresh();
      endPolls = poll(refresh, log);
    },
    stop: async () => endPolls?.(),
    isFresh: () => performance.now() - readAt <= FRESH_MS,
    hasEnded: (id: string, epoch: number) => epoch < (raised.get(id) ?? 0),
  };
}

function poll(refresh: () => Promise<void>, log: Logger): () => Promise<void> {
  let failing = false;
  const report = (err?: unknown) => {
    const fails = err !== undefined;
    if (fails && !failing) log.warn({ err }, 'tokens.epochs_unreadable');
    if (failing && !fails) log.info('tokens.epochs_readable');
    failing = fails;
    return EVERY_MS;
  };
  return inBackground(() => refresh().then(() => report(), report), EVERY_MS);
}

/**
 * Accounts (also deleted ones), members and keys whose epoch was raised in the last `seconds` of the database's clock.
 */
function raisedWithin(db: Db, seconds: number): Promise<{ id: string; epoch: number }[]> {
  const since = sql<Date>`now() - make_interval(secs => ${seconds})`;
  const keys = db
    .selectFrom('api_keys')
    .select(['id', sql<number>`1`.as('epoch')])
    .where('revoked_at', '>', since);
  const members = db.selectFrom('members').select(['id', 'epoch']).where('epoch_changed_at', '>', since);
  const accounts = db.selectFrom('accounts').select(['id', 'epoch']).where('epoch_changed_at', '>', since);
  return accounts.unionAll(keys).unionAll(members).execute();
}
