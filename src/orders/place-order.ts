import { unavailable } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { type JointWrite, lockName, stillRunning } from '../http/idempotency/once.js';
import type { CodeSource } from '../packages/codes.js';
import type { Order } from './order.js';
import { packagesOf } from './placing/insert-orders.js';
import { createQueue, type Waiter } from './placing/queue.js';
import { type Outcome, type PlacedOrder, writeBatch } from './placing/write-batch.js';
import type { PlannedOrder } from './plan-order.js';

/**
 * Orders are placed together. While a batch is written, orders that come wait for the next one: PostgreSQL then does two fifths of the work for an
 * order of a large batch. Each order is all or nothing, and fails alone; it is answered when its batch is committed.
 *
 * A lock that a batch must wait for delays all of its orders, so it waits for 50 ms only. Then each goes alone, and the accounts are set
 * apart: their orders go alone, one at a time, until one has not had to wait. So an account that somebody has locked delays nobody else.
 */
export interface Placing {
  /**
   * The write of a planned order, which throws CONFLICT when the account has an order of this externalId and UNAVAILABLE when it waited too
   * long, or the database does not say what came of it. `answerOf` makes the answer of the order.
   */
  writeOf<A extends object>(planned: PlannedOrder, answerOf: (order: Order) => A): JointWrite<A>;
}

interface PlacingOptions {
  db: Db;
  codes: CodeSource;
  /** How long an order waits for its turn. */
  waitMs: number;
}

/** Insertions that run at once in this process. */
const BATCHES_AT_ONCE = 1;
const MOST_ORDERS = 32;
const MOST_PACKAGES = 200;
const LOCK_TIMEOUT_MS = 50;
/** Orders that go alone at once: each may hold a connection for as long as a lock is waited for. */
const ALONE_AT_ONCE = 4;
/** Beyond it orders are refused at once, so that a slow database does not fill the memory. */
const MOST_PACKAGES_UNDER_WAY = 10_000;
/** Accounts that are remembered as set apart. */
const MOST_APART = 1_000;

interface WaitingOrder extends Waiter {
  order: PlacedOrder;
  /** Whether it was in a batch that waited for a lock. */
  wasLocked: boolean;
  resolve(outcome: FinalOutcome): void;
}

type FinalOutcome = Exclude<Outcome, { kind: 'locked' }>;

export function createPlacing({ db, codes, waitMs }: PlacingOptions): Placing {
  const keysInUse = new Set<string>();
  const apart = new Set<string>();
  /** Accounts of which an order goes alone now. */
  const accountsAlone = new Set<string>();
  let packagesUnderWay = 0;

  const together = createQueue<WaitingOrder>({ atOnce: BATCHES_AT_ONCE, waitMs, next: nextBatch, run: runTogether });
  const alone = createQueue<WaitingOrder>({ atOnce: ALONE_AT_ONCE, waitMs, next: nextAlone, run: runAlone });

  async function runTogether(batch: readonly WaitingOrder[]): Promise<void> {
    const options = { db, codes, lockTimeoutMs: LOCK_TIMEOUT_MS };
    const outcomes = await writeBatch(
      batch.map(({ order }) => order),
      options,
    );
    const locked = batch.filter((waiter, at) => settle(waiter, outcomes[at]));
    for (const waiter of locked) setApart(waiter);
    alone.add(...locked);
  }

  function setApart(waiter: WaitingOrder): void {
    waiter.wasLocked = true;
    apart.add(accountOf(waiter));
    const [oldest] = apart;
    if (oldest !== undefined && apart.size > MOST_APART) apart.delete(oldest);
  }

  /** The first one of whose account no order goes alone. */
  function nextAlone(waiting: WaitingOrder[]): WaitingOrder[] {
    const at = waiting.findIndex((waiter) => !accountsAlone.has(accountOf(waiter)));
    return at < 0 ? [] : waiting.splice(at, 1);
  }

  async function runAlone(batch: readonly WaitingOrder[]): Promise<void> {
    for (const waiter of batch) {
      const account = accountOf(waiter);
      const started = performance.now();
      accountsAlone.add(account);
      const [outcome] = await writeBatch([waiter.order], { db, codes });
      accountsAlone.delete(account);
      if (performance.now() - started < LOCK_TIMEOUT_MS) rejoin(account);
      settle(waiter, outcome);
    }
  }

  /** Those that have been in a batch that waited go alone still: the lock may be for one of them. */
  function rejoin(account: string): void {
    apart.delete(account);
    together.add(...alone.withdraw((waiter) => accountOf(waiter) === account && !waiter.wasLocked));
  }

  async function place(order: PlacedOrder): Promise<FinalOutcome> {
    const name = order.key && lockName(order.key.scope);
    const packages = packagesOf([order]);
    if (name !== undefined && keysInUse.has(name)) throw stillRunning();
    if (packagesUnderWay + packages > MOST_PACKAGES_UNDER_WAY) throw unavailable();
    packagesUnderWay += packages;
    if (name !== undefined) keysInUse.add(name);
    const queue = apart.has(order.planned.accountId) ? alone : together;
    const outcome = new Promise<FinalOutcome>((resolve, reject) =>
      queue.add({ order, since: performance.now(), wasLocked: false, resolve, reject }),
    );
    return outcome.finally(() => {
      packagesUnderWay -= packages;
      if (name !== undefined) keysInUse.delete(name);
    });
  }

  return {
    writeOf: (planned, answerOf) => ({
      commit: async () => {
        const outcome = await place({ id: newId(), planned });
        if (outcome.kind === 'placed') return answerOf(outcome.order);
        throw errorOf(outcome);
      },
      commitUnder: async (scope) => {
        const outcome = await place({ id: newId(), planned, key: { scope, answerOf } });
        if (outcome.kind === 'settled') return outcome;
        throw errorOf(outcome);
      },
    }),
  };
}

const accountOf = ({ order }: WaitingOrder): string => order.planned.accountId;

/** As many as a batch may hold, one at least. */
function nextBatch(waiting: WaitingOrder[]): WaitingOrder[] {
  let [orders, packages] = [0, 0];
  for (const { order } of waiting.slice(0, MOST_ORDERS)) {
    packages += order.planned.packages.length;
    if (orders > 0 && packages > MOST_PACKAGES) break;
    orders += 1;
  }
  return waiting.splice(0, orders);
}

/** Whether it is still to be settled, as it met a lock. */
function settle({ resolve }: WaitingOrder, outcome: Outcome | undefined): boolean {
  if (!outcome) throw new RangeError('an order has no outcome');
  if (outcome.kind === 'locked') return true;
  resolve(outcome);
  return false;
}

const errorOf = (outcome: FinalOutcome): unknown =>
  outcome.kind === 'failed' ? outcome.error : new Error('an order was settled under a key that it does not have');
