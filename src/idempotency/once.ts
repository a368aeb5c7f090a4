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

/** Makes the entry of the audit log, by the id of the record that a write makes. */
export type NoteOf = (id: string) => NewAuditEntry;

/** A write that takes no transaction: it is committed alone or with those of other requests. */
export interface JointWrite<A> {
  /** True when many of one account may wait at once. */
  readonly isSmall?: boolean;
  commit(noteOf?: NoteOf): Promise<A>;
  /** Commits it with the answer for the key. Throws as `once` does. */
  commitUnder(scope: Scope, noteOf?: NoteOf): Promise<Settled>;
}

/** The write with an entry of the audit log, which is committed with it. */
export const noted = <A>({ isSmall, ...write }: JointWrite<A>, noteOf: NoteOf): JointWrite<A> => ({
  ...(isSmall !== undefined && { isSmall }),
  commit: () => write.commit(noteOf),
  commitUnder: (scope) => write.commitUnder(scope, noteOf),
});

export interface Settled {
  readonly stored: StoredAnswer;
  /** True when another request stored it. */
  readonly isReplay: boolean;
}

interface Once<A> {
  readonly answer: A;
  readonly headers: Readonly<Record<string, string>>;
}

const replayMark = { 'Idempotent-Replayed': 'true' };

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The key of a request, if it has one. Throws `VALIDATION_ERROR` unless it is 1 to 255 printable ASCII characters. */
export function idempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header;
  throw invalidField('Idempotency-Key', 'pattern', 'must be 1 to 255 printable ASCII characters without spaces');
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
 * Answers a request under its key (contracts/guides/idempotency.md), exactly once by construction: what it writes and
 * the answer are committed in one transaction, under an advisory lock on the key. `decide` runs before. A 4xx
 * `ServiceError` is stored like an answer, with its writes undone; a failure of ours is not. Throws CONFLICT while
 * another request holds the key or when it came through another interface, IDEMPOTENCY_KEY_REUSED for another request.
 */
export async function once<A extends object>(
  db: Db,
  scope: Scope,
  decide: () => Promise<Write<A> | JointWrite<A>>,
): Promise<Once<A>> {
  // Saves a second decision.
  const earlier = await findStoredAnswer(db, scope);
  if (earlier) return repeat({ stored: earlier, isReplay: true });
  // A refusal is stored as the write's would be.
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

/** A key's request may run in the transaction, has been answered, or is refused. */
export type KeyClaim =
  | { kind: 'free' }
  | { kind: 'answered'; stored: StoredAnswer }
  | { kind: 'failed'; error: unknown };

/** Locks distinct keys until the transaction ends; the second statement reads answers stored before the locks. */
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

/** Undoes what a write that refuses has written. */
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

/** Refusals that ask for the same request with something added: the total that is agreed to, or a proof. */
const ASKING: ReadonlySet<ErrorReason> = new Set(['price_changed', 'reauthentication_required']);

/** A refusal is an answer too, unless it asks for more; a failure of ours is not. */
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
