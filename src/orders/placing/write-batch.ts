import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../db/connect.js';
import { isAnswerLost } from '../../db/errors.js';
import { transaction } from '../../db/transaction.js';
import { answerOf, claimKeys, type KeyClaim, refusalOf, type Settled, stillRunning } from '../../idempotency/once.js';
import { findStoredAnswer, type NewAnswer, type Scope, storeAnswers } from '../../idempotency/stored-answers.js';
import { getOrder, type Order } from '../order.js';
import { externalIdTaken } from '../plan-order.js';
import { type InsertOptions, insertOrders, type NewOrder } from './insert-orders.js';

export interface PlacedOrder extends NewOrder {
  key?: { scope: Scope; answerOf(order: Order): object };
}

export type PlacingOutcome =
  | { kind: 'placed'; order: Order }
  | ({ kind: 'settled' } & Settled)
  | { kind: 'failed'; error: unknown };

interface BatchOptions extends InsertOptions {
  db: Db;
}

/**
 * Writes orders, with the answers for their idempotency keys, or rejects. Does not run again if the database's answer
 * is lost.
 */
export async function writeBatch(orders: readonly PlacedOrder[], options: BatchOptions): Promise<PlacingOutcome[]> {
  const { db } = options;
  // Before the commit is sent, nothing can be permanent.
  let mayBeCommitted = false;
  try {
    if (orders.some(({ key }) => key)) {
      return await transaction(db, async (trx) => {
        const outcomes = await writeUnderKeys(trx, orders, options);
        mayBeCommitted = true;
        return outcomes;
      });
    }
    return await db.connection().execute(async (sole) => {
      mayBeCommitted = true;
      return (await insertAll(sole, orders, options)).map(({ outcome }) => outcome);
    });
  } catch (error) {
    if (mayBeCommitted && isAnswerLost(error)) return lookUp(orders, db, error);
    throw error;
  }
}

async function insertAll(db: Db, orders: readonly PlacedOrder[], options: BatchOptions) {
  const inserted = await insertOrders(db, orders, options);
  const refused = orders.filter((_, at) => !inserted[at]);
  // The orders may be committed by now. So a failed look-up must not fail them: it only leaves out the holder's id.
  const holders = refused.length > 0 ? await holdersOf(db, refused).catch(() => undefined) : undefined;
  return orders.map((placed, at) => ({ placed, outcome: outcomeOf(inserted[at], holders?.get(placed.id)) }));
}

type Insertion = Exclude<PlacingOutcome, { kind: 'settled' }>;

/** The outcome of an order. An order that was not inserted has a taken externalId. */
const outcomeOf = (order: Order | undefined, holderId?: string): Insertion =>
  order ? { kind: 'placed', order } : { kind: 'failed', error: externalIdTaken(holderId) };

async function holdersOf(db: Db, refused: readonly PlacedOrder[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; holder_id: string }>`
    select refused.id, order_id as holder_id
    from unnest(
      ${refused.map(({ id }) => id)}::uuid[], ${refused.map(({ planned }) => planned.accountId)}::uuid[],
      ${refused.map(({ planned }) => planned.externalId)}::text[]) refused (id, account_id, external_id)
    join order_external_ids using (account_id, external_id)`.execute(db);
  return new Map(rows.map(({ id, holder_id }) => [id, holder_id]));
}

// Model: OrdersTogether!Write (lab/models)
async function writeUnderKeys(trx: Db, orders: readonly PlacedOrder[], options: BatchOptions) {
  const scopes = orders.flatMap(({ key }) => key?.scope ?? []);
  const claims = await claimKeys(trx, scopes);
  const isFree = ({ key }: PlacedOrder) => !key || claims.get(key.scope)?.kind === 'free';
  const free = orders.filter(isFree);
  const inserted = free.length > 0 ? await insertAll(trx, free, options) : [];
  const newAnswers: NewAnswer[] = [];
  const outcomes = new Map(
    inserted.map(({ placed, outcome }) => [placed.id, settledOutcome(placed.key, outcome, newAnswers)]),
  );
  await storeAnswers(trx, newAnswers);
  return orders.map(({ id, key }) => outcomes.get(id) ?? earlierOutcome(key && claims.get(key.scope)));
}

function settledOutcome(key: PlacedOrder['key'], outcome: Insertion, newAnswers: NewAnswer[]): PlacingOutcome {
  if (!key) return outcome;
  const stored = outcome.kind === 'placed' ? answerOf(key.answerOf(outcome.order)) : refusalOf(outcome.error);
  newAnswers.push({ scope: key.scope, stored });
  return { kind: 'settled', stored, isReplay: false };
}

function earlierOutcome(claim: KeyClaim | undefined): PlacingOutcome {
  if (claim?.kind === 'answered') return { kind: 'settled', stored: claim.stored, isReplay: true };
  return { kind: 'failed', error: claim?.kind === 'failed' ? claim.error : stillRunning() };
}

/** Pauses before each look-up. A statement that was cut off may still run, and a restarted database needs a moment. */
const pausesMs = [0, 50, 100, 200, 400];

/**
 * Looks up the outcomes of orders whose answer was lost. If the database shows none of them, all fail with the reason.
 */
async function lookUp(orders: readonly PlacedOrder[], db: Db, reason: unknown): Promise<PlacingOutcome[]> {
  const unknown: PlacingOutcome = { kind: 'failed', error: reason };
  for (const pause of pausesMs) {
    await sleep(pause);
    const outcomes = await committedOutcomes(orders, db, unknown).catch(() => undefined);
    if (outcomes) return outcomes;
  }
  return orders.map(() => unknown);
}

// Model: OrdersTogether!LookUp (lab/models)
async function readAll(orders: readonly PlacedOrder[], db: Db): Promise<(Order | undefined)[]> {
  const read = [];
  for (const { id, planned } of orders) {
    read.push(await getOrder(db, { accountId: planned.accountId, role: 'customer' }, id));
  }
  return read;
}

/**
 * The outcomes of a committed batch. Undefined if no order is there: a batch is written as a whole or not at all.
 * Model: OrdersTogether!Conclude (lab/models)
 */
async function committedOutcomes(orders: readonly PlacedOrder[], db: Db, unknown: PlacingOutcome) {
  if ((await readAll(orders, db)).every((order) => order === undefined)) return undefined;
  // The batch may be committed between two reads above, so all orders are read once more.
  const written = await readAll(orders, db);
  const outcomes: PlacingOutcome[] = [];
  for (const [at, { key }] of orders.entries()) {
    const stored = key && (await findStoredAnswer(db, key.scope).catch(() => undefined));
    if (!key) outcomes.push(outcomeOf(written[at]));
    else outcomes.push(stored ? { kind: 'settled', stored, isReplay: written[at] === undefined } : unknown);
  }
  return outcomes;
}
