import { sql } from 'kysely';
import { conflict, type ErrorCode, type FieldError, ServiceError } from '../base/errors.js';
import type { KeyRing } from '../base/keys.js';
import { open, seal } from '../base/seal.js';
import type { Db } from '../db/connect.js';
import type { SealedTable } from '../db/sealed-tables.js';

/** What a key is valid for: one account, one operation. `door` and `fingerprint` must be those of the first request. */
export interface Scope {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string;
  readonly door: string;
  readonly fingerprint: Buffer;
  /** Seals what is kept: an answer may show a secret, and a fingerprint of a password could be guessed at. */
  readonly keys: KeyRing;
}

interface KeptAnswer {
  readonly kind: 'answer';
  readonly text: string;
}

interface KeptFault {
  readonly kind: 'fault';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
}

export type Kept = KeptAnswer | KeptFault;

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'answer' || value.kind === 'fault');

const expiry = sql<Date>`now() - interval '24 hours'`;

/** What sealed bytes belong to. */
type AnswerKey = Pick<Scope, 'accountId' | 'operation' | 'key'>;
export const answerName = ({ accountId, operation, key }: AnswerKey): string => ownerOf([accountId, operation, key]);
const ownerOf = (key: readonly string[]): string => JSON.stringify(key);

/** Where answers are kept; those that have expired are opened no more. */
export const sealedAnswers: SealedTable = {
  table: 'idempotency_keys',
  what: 'answers kept for idempotency keys',
  key: ['account_id', 'operation', 'key'],
  sealed: ['fingerprint', 'answer'],
  current: sql`created_at > ${expiry}`,
  ownerOf,
};

/** The answer kept for a scope in the last 24 hours. Throws when the key was used for something else. */
export async function findKept(db: Db, scope: Scope): Promise<Kept | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select(['door', 'fingerprint', 'answer'])
    .where('account_id', '=', scope.accountId)
    .where('operation', '=', scope.operation)
    .where('key', '=', scope.key)
    .where('created_at', '>', expiry)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.door !== scope.door) throw conflict('This Idempotency-Key was used through another interface.');
  if (!open(scope.keys, row.fingerprint, answerName(scope)).equals(scope.fingerprint)) {
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request.');
  }
  const answer: unknown = JSON.parse(open(scope.keys, row.answer, answerName(scope)).toString('utf8'));
  if (!isKept(answer)) throw new Error('A kept answer has a form that this version does not know.');
  return answer;
}

/** Keeps an answer. Under the key's lock only an expired row can be in its way. */
export async function keep(trx: Db, scope: Scope, kept: Kept): Promise<void> {
  const { accountId, operation, key, door, keys } = scope;
  const sealed = (plain: string | Buffer) => seal(keys, plain, answerName(scope));
  const [fingerprint, answer] = [sealed(scope.fingerprint), sealed(JSON.stringify(kept))];
  const written = { door, fingerprint, answer, created_at: sql<Date>`now()` };
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, operation, key, ...written })
    .onConflict((row) => row.columns(['account_id', 'operation', 'key']).doUpdateSet(written))
    .execute();
}

/** Removes the answers that are older than 24 hours; resolves to their number. */
export async function sweepIdempotencyKeys(db: Db): Promise<number> {
  const result = await db.deleteFrom('idempotency_keys').where('created_at', '<=', expiry).executeTakeFirst();
  return Number(result.numDeletedRows);
}
