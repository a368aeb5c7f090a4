import { newId } from '../base/ids.js';
import type { KeyRing } from '../base/keys.js';
import { type Origin, type Tracer, traced } from '../base/tracing.js';
import type { Db } from '../db/connect.js';
import { type JointWrite, lockName, stillRunning } from '../idempotency/once.js';
import type { CodeSource } from '../packages/codes.js';
import type { Order } from './order.js';
import { insertOrders } from './placing/insert-orders.js';
import { createJointQueue, type JointWork, toldOf } from './placing/joint-queue.js';
import { type Outcome, type PlacedOrder, writeBatch } from './placing/write-batch.js';
import { externalIdTaken, type PlannedOrder } from './plan-order.js';

/**
 * Orders are placed together. While a batch is written, orders that come wait for the next one: PostgreSQL then does two fifths of the work for an
 * order of a large batch. Each order is all or nothing, and fails alone; it is answered when its batch is committed. An account that
 * somebody has locked delays the orders of others for 50 ms only (joint-queue.ts).
 */
export interface Placing {
  /**
   * The write of a planned order, which throws CONFLICT when the account has an order of this externalId and UNAVAILABLE when it waited too
   * long, or the database does not say what came of it. `answerOf` makes the answer of the order; its notifications carry the trace
   * of `origin`.
   */
  writeOf<A extends object>(planned: PlannedOrder, answerOf: (order: Order) => A, origin?: Origin): JointWrite<A>;
  /** Places an order alone, in the transaction of what is written with it. Throws CONFLICT as above. */
  placeIn(trx: Db, planned: PlannedOrder, origin?: Origin): Promise<Order>;
}

interface PlacingOptions {
  db: Db;
  codes: CodeSource;
  /** Seal the PINs of packages. */
  keys: KeyRing;
  /** How long an order waits for its turn. */
  waitMs: number;
  watcher?: PlacingWatcher;
  tracer?: Tracer | undefined;
}

/** Who counts orders and the batches that they are written in. */
export interface PlacingWatcher {
  onBatch(orders: number): void;
  onCreated(interfaceName: string): void;
}

/** Orders and packages that a batch holds. */
const most = { works: 32, size: 100 };
/** Packages of a small order: an account may have more of these waiting than run, and they wait for no larger ones. */
const MOST_OF_SMALL = 4;

type WaitingOrder = PlacedOrder & JointWork;

type FinalOutcome = Exclude<Outcome, { kind: 'locked' }>;

export function createPlacing({ db, codes, keys, waitMs, watcher, tracer }: PlacingOptions): Placing {
  const keysInUse = new Set<string>();

  const write = async (orders: readonly WaitingOrder[], lockTimeoutMs?: number) => {
    watcher?.onBatch(orders.length);
    const outcomes = await writeBatch(orders, { db, codes, keys, lockTimeoutMs });
    return outcomes.map((outcome) => (outcome.kind === 'locked' ? undefined : outcome));
  };
  // Side by side, so that an order of a few packages does not wait until those of a hundred are written.
  const small = createJointQueue<WaitingOrder, FinalOutcome>({ waitMs, most, write });
  const large = createJointQueue<WaitingOrder, FinalOutcome>({ waitMs, most, write, aloneAtOnce: 1 });

  async function place(order: PlacedOrder, origin?: Origin): Promise<FinalOutcome> {
    const name = order.key && lockName(order.key.scope);
    if (name !== undefined && keysInUse.has(name)) throw stillRunning();
    if (name !== undefined) keysInUse.add(name);
    const outcome = await settle(order, origin).finally(() => {
      if (name !== undefined) keysInUse.delete(name);
    });
    if (origin && isNew(outcome)) watcher?.onCreated(origin.interfaceName);
    return outcome;
  }

  function settle({ id, planned, ...order }: PlacedOrder, origin: Origin | undefined): Promise<FinalOutcome> {
    const size = planned.packages.length;
    const queue = size <= MOST_OF_SMALL ? small : large;
    const attributes = { 'malote.order_id': id, 'malote.packages': size };
    return traced({ tracer, name: 'place order', parent: origin?.traceparent, attributes }, (traceparent) =>
      queue.settle({ ...order, id, planned, traceparent, size, owner: planned.accountId, locks: [planned.accountId] }),
    );
  }

  return {
    writeOf: (planned, answerOf, origin) => ({
      isSmall: planned.packages.length <= MOST_OF_SMALL,
      commit: async () => {
        const outcome = await place({ id: newId(), planned }, origin);
        if (outcome.kind === 'placed') return answerOf(outcome.order);
        throw errorOf(outcome);
      },
      commitUnder: async (scope) => {
        const outcome = await place({ id: newId(), planned, key: { scope, answerOf } }, origin);
        if (outcome.kind === 'settled') return outcome;
        throw errorOf(outcome);
      },
    }),
    placeIn: async (trx, planned, origin) => {
      const [order] = await insertOrders(trx, [{ id: newId(), planned, traceparent: origin?.traceparent }], {
        codes,
        keys,
      });
      if (!order) throw externalIdTaken();
      if (origin) watcher?.onCreated(origin.interfaceName);
      return order;
    },
  };
}

const isNew = (outcome: FinalOutcome): boolean =>
  outcome.kind === 'placed' || (outcome.kind === 'settled' && !outcome.isReplay && outcome.stored.kind === 'answer');

const errorOf = (outcome: FinalOutcome): unknown =>
  outcome.kind === 'failed'
    ? toldOf(outcome.error)
    : new Error('an order was settled under a key that it does not have');
