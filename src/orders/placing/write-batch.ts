import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ServiceError } from '../../base/errors.js';
import type { KeyRing } from '../../base/keys.js';
import type { Db } from '../../db/connect.js';
import { isAnswerLost, isLockTimeout, isUnavailable } from '../../db/errors.js';
import { transaction } from '../../db/transaction.js';
import { answerOf, type Claim, claimKeys, refusalOf, type Settled, stillRunning } from '../../idempotency/once.js';
import { findStoredAnswer, type NewAnswer, type Scope, storeAnswers } from '../../idempotency/stored-answers.js';
import type { CodeSource } from '../../packages/codes.js';
import { getOrder, type Order } from '../order.js';
import { externalIdTaken } from '../plan-order.js';
import { insertOrders, type NewOrder } from './insert-orders.js';

/** An order to be written, with the idempotency key of its request. */
export interface PlacedOrder extends NewOrder {
  key?: OrderKey;
}

interface OrderKey {
  scope: Scope;
  /** What is stored for the key. */
  answerOf(order: Order): object;
}

/** What came of an order of a batch; `locked`: nothing was done, as a lock was not given in time. */
export type Outcome =
  | { kind: 'placed'; order: Order }
  | ({ kind: 'settled' } & Settled)
  | { kind: 'failed'; error: unknown }
  | { kind: 'locked' };

interface BatchOptions {
  db: Db;
  codes: CodeSource;
  /** Seal the PINs of packages. */
  keys: KeyRing;
  /** How long the batch waits for a lock; without it as long as the connection says, and then it has failed. */
  lockTimeoutMs?: number | undefined;
}

/**
 * Writes orders in one transaction, with the answers that are stored for their keys; never rejects. What the database refuses is
 * tried again in halves, so that one order fails alone. When the answer is lost with the connection, the outcome is looked up and
 * nothing is run again.
 */
export async function writeBatch(orders: readonly PlacedOrder[], options: BatchOptions): Promise<Outcome[]> {
  const all = (outcome: Outcome) => orders.map(() => outcome);
  let mayBeCommitted = false;
  try {
    return await write(orders, options, () => {
      mayBeCommitted = true;
    });
  } catch (error) {
    if (options.lockTimeoutMs !== undefined && isLockTimeout(error)) return all({ kind: 'locked' });
    if (mayBeCommitted && isAnswerLost(error)) return lookUp(orders, options.db, error);
    if (orders.length === 1 || isUnavailable(error)) return all({ kind: 'failed', error });
  }
  const half = Math.ceil(orders.length / 2);
  return [...(await writeBatch(orders.slice(0, half), options)), ...(await writeBatch(orders.slice(half), options))];
}

/** Calls `onSent` before what commits is sent: until then nothing is done for good. */
async function write(orders: readonly PlacedOrder[], options: BatchOptions, onSent: () => void): Promise<Outcome[]> {
  const { db } = options;
  if (orders.some(({ key }) => key)) {
    return transaction(db, async (trx) => {
      const outcomes = await writeUnderKeys(trx, orders, options);
      onSent();
      return outcomes;
    });
  }
  return db.connection().execute(async (sole) => {
    onSent();
    return (await insertAll(sole, orders, options)).map(({ result }) => outcomeOf(result));
  });
}

/** The order as it went in; or why it did not: the account has one of its externalId. */
type Result = { order: Order } | { error: ServiceError };

const outcomeOf = (result: Result): Outcome =>
  'order' in result ? { kind: 'placed', ...result } : { kind: 'failed', ...result };

async function insertAll(db: Db, orders: readonly PlacedOrder[], options: BatchOptions) {
  const inserted = await insertOrders(db, orders, options);
  const refused = orders.filter((_, at) => !inserted[at]);
  const noHolders = new Map<string, string>();
  // Orders may be committed by now: without a holder's id they are what they are.
  const holders = refused.length > 0 ? await holdersOf(db, refused).catch(() => noHolders) : noHolders;
  return orders.map((placed, at) => ({ placed, result: resultOf(inserted[at], holders.get(placed.id)) }));
}

const resultOf = (order: Order | undefined, holderId?: string): Result =>
  order ? { order } : { error: externalIdTaken(holderId) };

/** The orders that have the external ids of some that were refused for it, by the ids of these. */
async function holdersOf(db: Db, refused: readonly PlacedOrder[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; holder_id: string }>`
    select refused.id, order_id as holder_id
    from unnest(
      ${refused.map(({ id }) => id)}::uuid[], ${refused.map(({ planned }) => planned.accountId)}::uuid[],
      ${refused.map(({ planned }) => planned.externalId)}::text[]) refused (id, account_id, external_id)
    join orders_by_external_id using (account_id, external_id)`.execute(db);
  return new Map(rows.map(({ id, holder_id }) => [id, holder_id]));
}

async function writeUnderKeys(trx: Db, orders: readonly PlacedOrder[], options: BatchOptions): Promise<Outcome[]> {
  const claims = await claimKeys(
    trx,
    orders.flatMap(({ key }) => (key ? key.scope : [])),
  );
  const isFree = ({ key }: PlacedOrder) => !key || claims.get(key.scope)?.kind === 'free';
  const free = orders.filter(isFree);
  const inserted = free.length > 0 ? await insertAll(trx, free, options) : [];
  const newAnswers: NewAnswer[] = [];
  const outcomes = new Map(
    inserted.map(({ placed: { id, key }, result }) => [id, newOutcome(key, result, newAnswers)]),
  );
  await storeAnswers(trx, newAnswers);
  return orders.map(({ id, key }) => outcomes.get(id) ?? earlierOutcome(key && claims.get(key.scope)));
}

function newOutcome(key: OrderKey | undefined, result: Result, newAnswers: NewAnswer[]): Outcome {
  if (!key) return outcomeOf(result);
  const stored = 'order' in result ? answerOf(key.answerOf(result.order)) : refusalOf(result.error);
  newAnswers.push({ scope: key.scope, stored });
  return { kind: 'settled', stored, isReplay: false };
}

function earlierOutcome(claim: Claim | undefined): Outcome {
  if (claim?.kind === 'answered') return { kind: 'settled', stored: claim.stored, isReplay: true };
  return { kind: 'failed', error: claim?.kind === 'failed' ? claim.error : stillRunning() };
}

/** Before each look: a statement whose connection was cut may still run, and a database that ended needs a moment to come back. */
const pausesMs = [0, 50, 100, 200, 400];

/** What came of orders whose answer was lost for that reason; where nothing shows it, they have failed for the reason. */
async function lookUp(orders: readonly PlacedOrder[], db: Db, reason: unknown): Promise<Outcome[]> {
  const unknown: Outcome = { kind: 'failed', error: reason };
  for (const pause of pausesMs) {
    await sleep(pause);
    const outcomes = await committedOutcomes(orders, db, unknown).catch(() => undefined);
    if (outcomes) return outcomes;
  }
  return orders.map(() => unknown);
}

/** Undefined when no order is there: a batch is there as a whole or not at all, and one without any new order cannot be told. */
async function committedOutcomes(
  orders: readonly PlacedOrder[],
  db: Db,
  unknown: Outcome,
): Promise<Outcome[] | undefined> {
  const written = [];
  for (const { id, planned } of orders) {
    written.push(await getOrder(db, { accountId: planned.accountId, role: 'customer' }, id));
  }
  if (written.every((order) => order === undefined)) return undefined;
  const outcomes: Outcome[] = [];
  for (const [at, { key }] of orders.entries()) {
    const stored = key && (await findStoredAnswer(db, key.scope).catch(() => undefined));
    if (!key) outcomes.push(outcomeOf(resultOf(written[at])));
    else outcomes.push(stored ? { kind: 'settled', stored, isReplay: written[at] === undefined } : unknown);
  }
  return outcomes;
}
