import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { conflict, invalid, ServiceError, statusOf } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { transaction } from '../../db/transaction.js';
import { findKept, type Kept, keep, type Scope } from './stored-answers.js';

export type { Scope } from './stored-answers.js';
export { sweepIdempotencyKeys } from './stored-answers.js';

/**
 * Exactly once by construction: what a request writes and the answer that is kept for its key are committed in one
 * transaction, under an advisory lock on the key. A crash rolls both back; a second request finds the lock taken (409)
 * or the answer kept.
 */

export interface Once<A> {
  readonly answer: A;
  readonly replayed: boolean;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The key of a request, if it has one. Throws `VALIDATION_ERROR` unless it is 1 to 255 printable ASCII characters. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalid([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters without spaces' }]);
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, canonical(inner)]));
}

/** SHA-256 of a JSON value that does not depend on the order of its fields. */
export const fingerprintOf = (value: unknown): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value)) ?? '')
    .digest();

async function lock(trx: Db, { accountId, operation, key }: Scope): Promise<void> {
  const name = JSON.stringify(['idempotency', accountId, operation, key]);
  const taken = sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`.as('locked');
  const { locked } = await trx.selectNoFrom(taken).executeTakeFirstOrThrow();
  if (!locked) throw conflict('A request with this Idempotency-Key is still running; try again shortly.');
}

/** A refusal is an answer too; a failure of ours is not, and rolls back everything. */
async function attempt<A>(trx: Db, work: (trx: Db) => Promise<A>): Promise<Kept> {
  await sql`savepoint work`.execute(trx);
  try {
    return { kind: 'answer', text: JSON.stringify(await work(trx)) };
  } catch (error) {
    if (!(error instanceof ServiceError) || statusOf(error.code) >= 500) throw error;
    await sql`rollback to savepoint work`.execute(trx);
    const { code, message, details, headers } = error;
    return { kind: 'fault', code, message, details, headers };
  }
}

function replay<A>(kept: Kept, replayed: boolean): Once<A> {
  if (kept.kind === 'answer') return { answer: JSON.parse(kept.text), replayed };
  const headers = replayed ? { ...kept.headers, 'Idempotent-Replayed': 'true' } : kept.headers;
  throw new ServiceError(kept.code, kept.message, { details: kept.details, headers });
}

/**
 * Runs `work` unless this scope's key has an answer already, and answers the JSON form of what it resolved to. A 4xx
 * `ServiceError` of `work` is kept and thrown again like an answer, with its writes undone. Throws `CONFLICT` while another
 * request holds the key or when it came through another door, `IDEMPOTENCY_KEY_REUSED` when the request is another one
 * (contracts/guides/behaviour.md#rest-over-http).
 */
export async function once<A extends object>(db: Db, scope: Scope, work: (trx: Db) => Promise<A>): Promise<Once<A>> {
  const { kept, replayed } = await transaction(db, async (trx) => {
    await lock(trx, scope);
    const earlier = await findKept(trx, scope);
    if (earlier) return { kept: earlier, replayed: true };
    const first = await attempt(trx, work);
    await keep(trx, scope, first);
    return { kept: first, replayed: false };
  });
  return replay(kept, replayed);
}

/** The answer already kept for this scope, if any: saves deciding again what was decided. Throws like `once`. */
export async function earlierAnswer<A extends object>(db: Db, scope: Scope): Promise<Once<A> | undefined> {
  const kept = await findKept(db, scope);
  return kept && replay(kept, true);
}
