/**
 * # How an order comes to be
 *
 * ## Who takes part
 *
 * - An edge reads the request and calls `planOrder` (plan-order.ts). It reads the account's facts, places the
 *   addresses, plans one route, checks every field and prices the order. It writes nothing; `estimateOrder` ends there.
 * - The edge then takes a write from `createPlacing`. Orders that come while a batch is written wait for the next
 *   batch, and owners take turns in it (placing/joint-queue.ts).
 * - One statement writes a batch: orders, pickups, packages, first movements, notifications (placing/insert-orders.ts).
 * - changes/ plans a changed order with the same functions, and writes it under the locks of its packages.
 *
 * ## Promises
 *
 * - An order is written whole or not at all, whatever becomes of the others in its batch.
 * - The client is answered when the batch is committed, so an acknowledged order survives a crash.
 * - The price is the price of the plan: nothing is priced again while it is written.
 *
 * Not promised: the order of two requests of one account, and an answer to a client whose COMMIT was lost. Such a
 * client repeats its request with the same `Idempotency-Key` or `external_id`.
 */
import { newId } from '../base/ids.js';
import { noteSubject, type Origin, type Tracer, traced } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { type JointWrite, lockName, stillRunning } from '../idempotency/once.js';
import type { Order } from './order.js';
import { type InsertOptions, insertOrders } from './placing/insert-orders.js';
import { createJointQueue, type JointWork } from './placing/joint-queue.js';
import { type PlacedOrder, type PlacingOutcome, writeBatch } from './placing/write-batch.js';
import { externalIdTaken, type PlannedOrder } from './plan-order.js';

/**
 * Writes orders in batches: in a large batch PostgreSQL does two fifths of the work per order. Each order succeeds or
 * fails alone, and is answered when its batch is committed.
 */
export interface Placing {
  /**
   * The write of a planned order; `answerOf` makes its answer. Throws CONFLICT if the account has an order with this
   * externalId. Throws UNAVAILABLE if it waited too long, or if the database did not tell the outcome.
   */
  writeOf<A extends object>(planned: PlannedOrder, answerOf: (order: Order) => A, origin?: Origin): JointWrite<A>;
  /** Places an order alone, in the caller's transaction. Throws CONFLICT like `writeOf`. */
  placeIn(trx: Db, planned: PlannedOrder, origin?: Origin): Promise<Order>;
}

interface PlacingOptions extends Pick<InsertOptions, 'codes' | 'keys'> {
  db: Db;
  waitMs: number;
  watcher?: PlacingWatcher;
  tracer?: Tracer | undefined;
}

export interface PlacingWatcher {
  onBatch(orders: number): void;
  onCreated(interfaceName: string): void;
}

const max = { works: 32, size: 100 };
/** Most packages of a small order. An account may have more small orders waiting than running. */
const MAX_OF_SMALL = 4;

type WaitingOrder = PlacedOrder & JointWork;

export function createPlacing({ db, codes, keys, waitMs, watcher, tracer }: PlacingOptions): Placing {
  const keysInUse = new Set<string>();
  const queue = createJointQueue<WaitingOrder, PlacingOutcome>({
    waitMs,
    max,
    onBatch: (orders) => watcher?.onBatch(orders.length),
    write: (orders, lockTimeoutMs) => writeBatch(orders, { db, codes, keys, lockTimeoutMs }),
  });

  async function place(order: PlacedOrder, origin?: Origin): Promise<PlacingOutcome> {
    const name = order.key && lockName(order.key.scope);
    if (name !== undefined && keysInUse.has(name)) throw stillRunning();
    if (name !== undefined) keysInUse.add(name);
    const outcome = await commit(order, origin).finally(() => {
      if (name !== undefined) keysInUse.delete(name);
    });
    if (origin && isNew(outcome)) onCreated(origin, order.id);
    return outcome;
  }

  function onCreated(origin: Origin, orderId: string): void {
    noteSubject(origin, { orderId });
    watcher?.onCreated(origin.interfaceName);
  }

  function commit({ id, planned, ...order }: PlacedOrder, origin: Origin | undefined): Promise<PlacingOutcome> {
    const size = planned.packages.length;
    const attributes = { 'malote.order_id': id, 'malote.packages': size };
    return traced({ tracer, name: 'place order', parent: origin?.traceparent, attributes }, (traceparent) =>
      queue.submit({ ...order, id, planned, traceparent, size, owner: planned.accountId, locks: [planned.accountId] }),
    );
  }

  return {
    writeOf: (planned, answerOf, origin) => ({
      isSmall: planned.packages.length <= MAX_OF_SMALL,
      commit: async (noteOf) => {
        const id = newId();
        const outcome = await place({ id, planned, note: noteOf?.(id) }, origin);
        if (outcome.kind === 'placed') return answerOf(outcome.order);
        throw errorOf(outcome);
      },
      commitUnder: async (scope, noteOf) => {
        const id = newId();
        const outcome = await place({ id, planned, note: noteOf?.(id), key: { scope, answerOf } }, origin);
        if (outcome.kind === 'settled') return outcome;
        throw errorOf(outcome);
      },
    }),
    placeIn: async (trx, planned, origin) => {
      const alone = [{ id: newId(), planned, traceparent: origin?.traceparent }];
      const [order] = await insertOrders(trx, alone, { codes, keys });
      if (!order) throw externalIdTaken();
      if (origin) onCreated(origin, order.id);
      return order;
    },
  };
}

const isNew = (outcome: PlacingOutcome): boolean =>
  outcome.kind === 'placed' || (outcome.kind === 'settled' && !outcome.isReplay && outcome.stored.kind === 'answer');

const errorOf = (outcome: PlacingOutcome): unknown =>
  outcome.kind === 'failed' ? outcome.error : new Error('an order was settled under a key that it does not have');
