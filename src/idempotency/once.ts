import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { NewAuditEntry } from '../base/actor.js';
import { conflict, type ErrorReason, invalidField, isRepeatable, ServiceError, statusOf } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import {
  findStoredAnswer,
  openAnswer,
  type Scope,
  type StoredAnswer,
  type StoredRow,
  storeAnswers,
  storedRows,
} from './stored-answers.js';

export type Write<A> = (trx: Db) => Promise<A>;

/** Makes an entry of the audit log, given the id of the record that was written. */
export type NoteOf = (id: string) => NewAuditEntry;

/** A write without a transaction of the caller. It is committed alone, or in a batch with other requests. */
export interface JointWrite<A> {
  /** True if many writes of one account may wait at once. */
  readonly isSmall?: boolean;
  commit(noteOf?: NoteOf): Promise<A>;
  /** Commits the write together with the answer for the key. Throws as `once` does. */
  commitUnder(scope: Scope, noteOf?: NoteOf): Promise<Settled>;
}

/** Adds an entry of the audit log to a write. Both are committed together. */
export const noted = <A>({ isSmall, ...write }: JointWrite<A>, noteOf: NoteOf): JointWrite<A> => ({
  ...(isSmall !== undefined && { isSmall }),
  commit: () => write.commit(noteOf),
  commitUnder: (scope) => write.commitUnder(scope, noteOf),
});

export interface Settled {
  readonly stored: StoredAnswer;
  /** True if an earlier request stored the answer. */
  readonly isReplay: boolean;
}

interface Once<A> {
  readonly answer: A;
  readonly headers: Readonly<Record<string, string>>;
}

const replayMark = { 'Idempotent-Replayed': 'true' };

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The key of a request, or undefined. Throws `VALIDATION_ERROR` unless it is 1 to 255 printable ASCII characters. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalidField('Idempotency-Key', 'pattern', 'must be 1 to 255 printable ASCII characters without spaces');
}

/** SHA-256 of a JSON value. It does not depend on the order of fields. */
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
 * Answers a request under its key (contracts/guides/idempotency.md), exactly once. The writes and the answer are
 * committed in one transaction, under an advisory lock on the key. `decide` runs before. A 4xx `ServiceError` is stored
 * like an answer, and its writes are undone; a failure of the service is not stored. Throws CONFLICT while another
 * request holds the key, and for a key of another interface. Throws IDEMPOTENCY_KEY_REUSED for another request.
 */
export async function once<A extends object>(
  db: Db,
  scope: Scope,
  decide: () => Promise<Write<A> | JointWrite<A>>,
): Promise<Once<A>> {
  // An answered request is not decided again.
  const earlier = await findStoredAnswer(db, scope);
  if (earlier) return repeat({ stored: earlier, isReplay: true });
  // A refusal by `decide` is stored like a refusal by the write.
  const write = await decide().catch((reason: unknown) => (): Promise<never> => Promise.reject(reason));
  return repeat(await (typeof write === 'function' ? onceAlone(db, scope, write) : write.commitUnder(scope)));
}

export function onceAlone<A>(db: Db, scope: Scope, write: Write<A>): Promise<Settled> {
  return transaction(db, async (trx) => {
    const claim = (await claimKeys(trx, [scope])).get(scope);
    if (claim?.kind === 'failed') throw claim.error;
    if (claim?.kind === 'answered') return { stored: claim.stored, isReplay: true };
    const stored = await attempt(trx, write);
    await storeAnswers(trx, [{ scope, stored }]);
    return { stored, isReplay: false };
  });
}

/** The state of a key: its request may run in the transaction, has an answer, or is refused. */
export type KeyClaim =
  | { kind: 'free' }
  | { kind: 'answered'; stored: StoredAnswer }
  | { kind: 'failed'; error: unknown };

/**
 * Locks distinct keys until the transaction ends. A second statement reads the answers, so it sees those stored before
 * the locks.
 */
export async function claimKeys(trx: Db, scopes: readonly Scope[]) {
  const names = scopes.map(lockName);
  const { rows } = await sql<{ name: string; locked: boolean }>`
    select name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) as locked
    from unnest(${names}::text[]) as key(name)`.execute(trx);
  const locked = new Set(rows.flatMap((row) => (row.locked ? row.name : [])));
  const stored = await storedRows(trx, scopes);
  return new Map(scopes.map((scope, at) => [scope, claimOf(scope, locked.has(lockName(scope)), stored[at])] as const));
}

export const lockName = ({ accountId, operation, key }: Scope): string =>
  JSON.stringify(['idempotency', accountId, operation, key]);

export const stillRunning = (): ServiceError =>
  conflict('idempotency_in_progress', 'A request with this Idempotency-Key is still running; try again shortly.');

function claimOf(scope: Scope, isLocked: boolean, row: StoredRow | undefined): KeyClaim {
  if (!isLocked) return { kind: 'failed', error: stillRunning() };
  if (!row) return { kind: 'free' };
  try {
    return { kind: 'answered', stored: openAnswer(scope, row) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** Runs a write, and undoes its changes if it refuses. */
async function attempt<A>(trx: Db, write: Write<A>): Promise<StoredAnswer> {
  await sql`savepoint work`.execute(trx);
  try {
    return answerOf(await write(trx));
  } catch (error) {
    const refused = refusalOf(error);
    await sql`rollback to savepoint work`.execute(trx);
    return refused;
  }
}

export const answerOf = (answer: unknown): StoredAnswer => ({ kind: 'answer', text: JSON.stringify(answer) });

/** Reasons that ask the client to send the same request with an addition: a confirmed total, or a proof of identity. */
const ASKING: ReadonlySet<ErrorReason> = new Set(['price_changed', 'reauthentication_required']);

/** The stored form of a refusal. Rethrows a refusal that asks for more, and a failure of the service. */
export function refusalOf(error: unknown): StoredAnswer {
  if (!(error instanceof ServiceError) || isRepeatable(error) || statusOf(error.code) >= 500) throw error;
  if (ASKING.has(error.reason)) throw error;
  const { code, reason, message, details, headers } = error;
  return { kind: 'fault', code, reason, message, details, headers };
}

function repeat<A>({ stored, isReplay }: Settled): Once<A> {
  const mark = isReplay ? replayMark : {};
  if (stored.kind === 'answer') return { answer: JSON.parse(stored.text), headers: mark };
  const { code, reason = 'unspecified', message, headers } = stored;
  const details = stored.details.map((detail) => ({ ...detail, code: detail.code ?? 'unspecified' }));
  throw new ServiceError(code, reason, message, { details, headers: { ...headers, ...mark } });
}
