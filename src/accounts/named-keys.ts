import { type Selection, sql } from 'kysely';
import type { Actor, ApiKeyScope } from '../base/actor.js';
import { conflict, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { deleteInChunks } from '../db/delete-in-chunks.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import { row } from '../db/row.js';
import type { Database } from '../db/tables/database.js';
import { lockAccount } from './account.js';
import { signedInFrom } from './networks.js';
import { hashOfSecret, newSecret } from './secrets.js';

const columns = [
  'id',
  'account_id as accountId',
  'name',
  'scope',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
] as const;

/**
 * A named API key of an account. A trigger revokes it when the account's password or role changes (migration 0026),
 * unless the change keeps keys. A deletion of the account removes it.
 */
export type NamedKey = Selection<Database, 'api_keys', (typeof columns)[number]>;

type NewNamedKey = Pick<NamedKey, 'accountId' | 'name' | 'scope'> & {
  expiresAt: Date | null;
  /** The member who makes the key. Null for the account's own sign-in. */
  madeBy?: string | null;
};

const PREFIX = 'mak_';
const MAX_LIVE = 20;

const isLive = sql<boolean>`revoked_at is null and coalesce(expires_at > now(), true)`;

/** Makes a key. Only this answer shows its secret. Throws `CONFLICT` when the account has twenty keys. */
export async function createNamedKey(trx: Db, input: NewNamedKey): Promise<{ key: NamedKey; secret: string }> {
  const { accountId, name, scope, expiresAt, madeBy = null } = input;
  // Without the lock, two creations at once would not count each other.
  await lockAccount(trx, accountId);
  const living = trx.selectFrom('api_keys').select('id').where('account_id', '=', accountId).where(isLive);
  if ((await living.execute()).length >= MAX_LIVE) {
    throw conflict('too_many_api_keys', `An account has ${MAX_LIVE} API keys at most: revoke one first.`);
  }
  const secret = newSecret(PREFIX);
  const named = { id: newId(), account_id: accountId, name, scope, hash: hashOfSecret(secret) };
  const values = row<'api_keys'>({ ...named, expires_at: expiresAt, made_by: madeBy });
  const insert = trx.insertInto('api_keys').values(values);
  const key = await insert.returning(columns).executeTakeFirstOrThrow();
  return { key, secret };
}

export function getNamedKey(db: Db, actor: Actor, id: string): Promise<NamedKey> {
  const query = db.selectFrom('api_keys').select(columns).where('id', '=', id).where(ownedBy(actor, 'account_id'));
  return query.executeTakeFirstOrThrow(() => notFound('API key'));
}

interface Of {
  accountId?: string;
}

/** Lists keys, newest first, including ended ones that are not swept yet. `accountId` selects one account. */
export function listNamedKeys(db: Db, actor: Actor, { accountId }: Of, page: Page): Promise<Listed<NamedKey>> {
  let matching = db.selectFrom('api_keys').where(ownedBy(actor, 'account_id'));
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  return readPage(db, matching.select(columns).orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

const revoked = { revoked_at: sql<Date>`coalesce(revoked_at, now())` };

/** Revokes the keys that a member made. With `scope`, only keys of that scope. */
export async function revokeKeysMadeBy(
  db: Db,
  { accountId, memberId, scope }: { accountId: string; memberId: string; scope?: ApiKeyScope | undefined },
): Promise<void> {
  const made = db.updateTable('api_keys').where('account_id', '=', accountId).where('made_by', '=', memberId);
  await (scope === undefined ? made : made.where('scope', '=', scope)).set(revoked).execute();
}

/**
 * Revokes a key and its tokens, on every replica within a second. A second call changes nothing. Throws `NOT_FOUND`.
 */
export async function revokeNamedKey(db: Db, actor: Actor, { id, accountId }: Of & { id: string }): Promise<void> {
  let matching = db.updateTable('api_keys').where('id', '=', id).where(ownedBy(actor, 'account_id'));
  if (accountId !== undefined) matching = matching.where('account_id', '=', accountId);
  await matching
    .set(revoked)
    .returning('id')
    .executeTakeFirstOrThrow(() => notFound('API key'));
}

/** A key in the form of the contracts (REST and operator's interface). */
export const toApiKey = (key: NamedKey) => ({
  id: key.id,
  user_id: key.accountId,
  name: key.name,
  scope: key.scope,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString(),
  revoked_at: key.revokedAt?.toISOString(),
});

/** Keeps the keys of an account when this transaction changes its password (migration 0026). */
export const keepNamedKeys = (trx: Db) => sql`select set_config('malote.keep_api_keys', 'on', true)`.execute(trx);

/** Finds the valid key with this id, and its account. `networks` are hashes of the client's network. */
export function keyForExchange(db: Db, id: string, networks: readonly Buffer[]) {
  return db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['api_keys.id', 'account_id as accountId', 'hash', 'scope', 'expires_at as expiresAt', 'role', 'epoch'])
    .select(signedInFrom(networks, sql.ref('api_keys.account_id')).as('networkKnown'))
    .where('api_keys.id', '=', id)
    .where(isLive)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Deletes keys 30 days after they were revoked or expired. */
export async function sweepNamedKeys(db: Db): Promise<number> {
  const sweep = (column: 'revoked_at' | 'expires_at') =>
    deleteInChunks(db, 'api_keys', column, sql`${sql.ref(column)} <= now() - interval '30 days'`);
  return (await sweep('revoked_at')) + (await sweep('expires_at'));
}
