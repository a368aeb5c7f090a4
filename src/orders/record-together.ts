import { noteSubject, type Origin, type Tracer, traced } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { type JointWrite, onceAlone, type Write } from '../idempotency/once.js';
import type { MovementOutcome, NewMovement } from '../packages/movement.js';
import { clientErrorOf, createJointQueue, type JointWork } from './placing/joint-queue.js';
import { recordMovements } from './record-movements.js';

/**
 * Records small requests together, in the order of their arrival. Each request gets the outcomes of its own items when
 * the batch is committed. An order's version grows only once per batch. If the answer of the database is lost, the
 * whole batch fails and is not run again. A client that repeats its movements learns from `duplicate` which ones were
 * recorded.
 */
export interface Recording {
  /** The write of a request's movements; `answerOf` makes the answer from their outcomes. */
  writeOf<A extends object>(
    items: readonly NewMovement[],
    answerOf: (outcomes: readonly MovementOutcome[]) => A,
    origin?: Origin,
  ): Write<A> | JointWrite<A>;
}

interface RecordingOptions {
  db: Db;
  waitMs: number;
  watcher?: RecordingWatcher;
  tracer?: Tracer | undefined;
}

export interface RecordingWatcher {
  onBatch(movements: number): void;
  onOutcomes(outcomes: readonly MovementOutcome[]): void;
}

/** Most movements of a request that waits for others. A larger request would gain nothing. */
const MAX_OF_ONE = 50;
const max = { works: 500, size: 500 };

/** All requests have this one owner, so movements are decided in the order of their arrival. */
const OWNER = 'movements';

interface Report extends JointWork {
  items: readonly NewMovement[];
}

export function createRecording({ db, waitMs, watcher, tracer }: RecordingOptions): Recording {
  const queue = createJointQueue<Report, readonly MovementOutcome[]>({
    waitMs,
    max,
    onBatch: (reports) => watcher?.onBatch(reports.reduce((sum, { size }) => sum + size, 0)),
    write: async (reports, lockTimeoutMs) => {
      const items = reports.flatMap((report) => report.items);
      return outcomesOf(reports, (await recordMovements(db, items, lockTimeoutMs)).outcomes);
    },
  });
  return {
    writeOf: (items, answerOf, origin) => {
      noteSubject(origin, { loggiKeys: packagesOf(items) });
      const attributes = { 'malote.movements': items.length };
      const work = { tracer, name: 'record movements', parent: origin?.traceparent, attributes };
      const report = (record: (items: readonly NewMovement[]) => Promise<readonly MovementOutcome[]>) =>
        traced(work, async (traceparent) => {
          const own = traceparent === undefined ? items : items.map((item) => ({ ...item, traceparent }));
          const outcomes = await record(own).catch((error) => {
            throw clientErrorOf(error);
          });
          watcher?.onOutcomes(outcomes);
          return answerOf(outcomes);
        });
      const write = (trx: Db) => report(async (own) => (await recordMovements(trx, own)).outcomes);
      if (items.length > MAX_OF_ONE) return write;
      return {
        commit: () =>
          report((own) => queue.submit({ items: own, owner: OWNER, size: own.length, locks: packagesOf(own) })),
        // Runs alone. The ids of movements make a repetition harmless, so few clients send a key.
        commitUnder: (scope) => onceAlone(db, scope, write),
      };
    },
  };
}

const packagesOf = (items: readonly NewMovement[]): string[] => [
  ...new Set(items.map(({ loggiKey }) => loggiKey.toLowerCase())),
];

function outcomesOf(reports: readonly Report[], outcomes: readonly MovementOutcome[]) {
  let used = 0;
  return reports.map(({ size }) => {
    used += size;
    return outcomes.slice(used - size, used);
  });
}
