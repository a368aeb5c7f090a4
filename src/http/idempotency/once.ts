import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { conflict, invalid, ServiceError, statusOf } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { transaction } from '../../db/transaction.js';
import { findStoredAnswer, type Scope, type StoredAnswer, storeAnswer } from './stored-answers.js';

/**
 * Exactly once by construction: what a request writes and the answer that is stored for its key are committed in one
 * transaction, under an advisory lock on the key. A crash rolls both back; a second request finds the lock taken (409)
 * or the answer stored.
 */

/** What the second stage of a request writes, and answers. */
type Write<A> = (trx: Db) => Promise<A>;

interface Once<A> {
  /** The JSON form of what the first request was answered. */
  readonly answer: A;
  /** Mark a replay; empty for the first request. */
  readonly headers: Readonly<Record<string, string>>;
}

const replayMark = { 'Idempotent-Replayed': 'true' };

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The key of a request, if it has one. Throws `VALIDATION_ERROR` unless it is 1 to 255 printable ASCII characters. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalid([{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters without spaces' }]);
}

/** SHA-256 of a JSON value that does not depend on the order of its fields. */
export const fingerprintOf = (value: unknown): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(canonical(value)) ?? '')
    .digest();

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, canonical(inner)]));
}

/**
 * Answers a request under its key: with the answer that is stored, or else `decide` runs outside any transaction and the write that
 * it resolves to runs in the one that also stores the answer. A 4xx `ServiceError` of either is stored and thrown again like an
 * answer, with its writes undone; a failure of ours is not stored. Throws `CONFLICT` while another request holds the key or when it
 * came through another interface, `IDEMPOTENCY_KEY_REUSED` when the request is another one
 * (contracts/guides/behaviour.md#rest-over-http).
 */
export async function once<A extends object>(db: Db, scope: Scope, decide: () => Promise<Write<A>>): Promise<Once<A>> {
  // Saves deciding again what was decided.
  const earlier = await findStoredAnswer(db, scope);
  if (earlier) return repeat(earlier, replayMark);
  const write = await decide().catch(refusal);
  const { stored, mark } = await transaction(db, async (trx) => {
    await lock(trx, scope);
    const rival = await findStoredAnswer(trx, scope);
    if (rival) return { stored: rival, mark: replayMark };
    const first = await attempt(trx, write);
    await storeAnswer(trx, scope, first);
    return { stored: first, mark: {} };
  });
  return repeat(stored, mark);
}

/** A write that refuses for the reason for which the decision did. */
const refusal = (reason: unknown) => (): Promise<never> => Promise.reject(reason);

async function lock(trx: Db, { accountId, operation, key }: Scope): Promise<void> {
  const name = JSON.stringify(['idempotency', accountId, operation, key]);
  const isLocked = sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`.as('locked');
  const { locked } = await trx.selectNoFrom(isLocked).executeTakeFirstOrThrow();
  if (!locked) throw conflict('A request with this Idempotency-Key is still running; try again shortly.');
}

/** A refusal is an answer too; a failure of ours is not, and rolls back everything. */
async function attempt<A>(trx: Db, write: Write<A>): Promise<StoredAnswer> {
  await sql`savepoint work`.execute(trx);
  try {
    return { kind: 'answer', text: JSON.stringify(await write(trx)) };
  } catch (error) {
    if (!(error instanceof ServiceError) || statusOf(error.code) >= 500) throw error;
    await sql`rollback to savepoint work`.execute(trx);
    const { code, message, details, headers } = error;
    return { kind: 'fault', code, message, details, headers };
  }
}

function repeat<A>(stored: StoredAnswer, mark: Once<A>['headers']): Once<A> {
  if (stored.kind === 'answer') return { answer: JSON.parse(stored.text), headers: mark };
  const { code, message, details, headers } = stored;
  throw new ServiceError(code, message, { details, headers: { ...headers, ...mark } });
}
