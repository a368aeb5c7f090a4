import { type Origin, type Tracer, traced } from '../base/tracing.js';
import type { Db } from '../db/connect.js';
import { isLockTimeout, isUnavailable } from '../db/errors.js';
import { type JointWrite, onceAlone, type Write } from '../idempotency/once.js';
import type { MovementOutcome, NewMovement } from '../packages/movement.js';
import { createJointQueue, type JointWork, toldOf } from './placing/joint-queue.js';
import { recordMovements } from './record-movements.js';

/**
 * Small requests are recorded together. While a batch is written, requests that come wait for the next one, and are decided in it in the
 * order in which they came, as if one came after the other; only an order's version grows once a batch. Each gets the outcomes of its
 * own items, once the batch is committed.
 *
 * When the answer of the database is lost, all of the batch fail, and nothing is run again: a client that sends the same movements
 * again learns from `duplicate` what was recorded.
 */
export interface Recording {
  /**
   * The write of a request's movements; `answerOf` makes the answer of their outcomes, which are in their order. Their notifications
   * carry the trace of `origin`.
   */
  writeOf<A extends object>(
    items: readonly NewMovement[],
    answerOf: (outcomes: readonly MovementOutcome[]) => A,
    origin?: Origin,
  ): Write<A> | JointWrite<A>;
}

interface RecordingOptions {
  db: Db;
  /** How long a request waits for its turn. */
  waitMs: number;
  watcher?: RecordingWatcher;
  tracer?: Tracer | undefined;
}

/** Who counts movements and the batches that they are recorded in. */
export interface RecordingWatcher {
  onBatch(movements: number): void;
  onOutcomes(outcomes: readonly MovementOutcome[]): void;
}

/** Movements of a request that waits for others; one that has more gains nothing by it. */
const MOST_OF_ONE = 50;
/** Requests and movements that a batch holds. */
const most = { works: 500, size: 500 };

/** All are of one owner, so that movements are decided in the order in which they came, whoever sends them. */
const OWNER = 'movements';

interface Report extends JointWork {
  items: readonly NewMovement[];
}

type Outcome = { kind: 'recorded'; outcomes: readonly MovementOutcome[] } | { kind: 'failed'; error: unknown };

export function createRecording({ db, waitMs, watcher, tracer }: RecordingOptions): Recording {
  const queue = createJointQueue<Report, Outcome>({
    waitMs,
    most,
    write: (reports, lockTimeoutMs) => {
      watcher?.onBatch(reports.reduce((sum, { size }) => sum + size, 0));
      return writeReports(db, reports, lockTimeoutMs);
    },
  });
  return {
    writeOf: (items, answerOf, origin) => {
      const work = { tracer, name: 'record movements', parent: origin?.traceparent };
      const report = (record: (items: readonly NewMovement[]) => Promise<readonly MovementOutcome[]>) =>
        traced({ ...work, attributes: { 'malote.movements': items.length } }, async (traceparent) => {
          const own = traceparent === undefined ? items : items.map((item) => ({ ...item, traceparent }));
          const outcomes = await record(own).catch((error) => {
            throw toldOf(error);
          });
          watcher?.onOutcomes(outcomes);
          return answerOf(outcomes);
        });
      const write = (trx: Db) => report(async (own) => (await recordMovements(trx, own)).outcomes);
      if (items.length > MOST_OF_ONE) return write;
      return {
        commit: () =>
          report(async (own) => {
            const outcome = await queue.settle({ items: own, owner: OWNER, size: own.length, locks: packagesOf(own) });
            if (outcome.kind === 'failed') throw outcome.error;
            return outcome.outcomes;
          }),
        // Alone: the ids of movements make repeating them harmless, so that few clients send a key.
        commitUnder: (scope) => onceAlone(db, scope, write),
      };
    },
  };
}

const packagesOf = (items: readonly NewMovement[]): string[] => [
  ...new Set(items.map(({ loggiKey }) => loggiKey.toLowerCase())),
];

/** What the database refuses is tried again in halves, so that one request fails alone. */
async function writeReports(
  db: Db,
  reports: readonly Report[],
  lockTimeoutMs?: number,
): Promise<(Outcome | undefined)[]> {
  try {
    const items = reports.flatMap((report) => report.items);
    return outcomesOf(reports, (await recordMovements(db, items, lockTimeoutMs)).outcomes);
  } catch (error) {
    if (lockTimeoutMs !== undefined && isLockTimeout(error)) return reports.map(() => undefined);
    if (reports.length === 1 || isUnavailable(error)) return reports.map(() => ({ kind: 'failed', error }));
  }
  const half = Math.ceil(reports.length / 2);
  const first = await writeReports(db, reports.slice(0, half), lockTimeoutMs);
  return [...first, ...(await writeReports(db, reports.slice(half), lockTimeoutMs))];
}

function outcomesOf(reports: readonly Report[], outcomes: readonly MovementOutcome[]): Outcome[] {
  let used = 0;
  return reports.map(({ size }) => {
    used += size;
    return { kind: 'recorded', outcomes: outcomes.slice(used - size, used) };
  });
}
