import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { nextEpoch } from './account.js';
import { provePassword, wrongPassword } from './login-budget.js';
import { hashPassword } from './passwords.js';
import { hashOfSecret, newSecret } from './secrets.js';

// Lets a member choose a password at a link. An owner passes the link on, because no e-mail is sent.

export interface MemberLink {
  secret: string;
  expiresAt: Date;
}

/** The path of the page where a member chooses a password. The secret follows. */
const PASSWORD_PAGE = '/envios/password/';

/** A link in the form of the contracts. */
export const toMemberLink = (publicUrl: string, { secret, expiresAt }: MemberLink) => ({
  url: `${publicUrl}${PASSWORD_PAGE}${secret}`,
  token: secret,
  expires_at: expiresAt.toISOString(),
});

interface LockedMember {
  id: string;
  /** Null until the member has chosen a password. */
  passwordHash: string | null;
}

export const INVITATION = '72 hours';
const NEW_PASSWORD = '1 hour';

export const newLinkSecret = (): string => newSecret('mil_');

export const endOf = (duration: string): RawBuilder<Date> => sql<Date>`now() + ${duration}::interval`;

/** Makes a link at which the member chooses a password. It replaces an earlier link. */
export async function makeMemberLink(trx: Db, { id, passwordHash }: LockedMember): Promise<MemberLink> {
  const secret = newLinkSecret();
  const changed = trx.updateTable('members').where('id', '=', id);
  const { expiresAt } = await changed
    .set({
      link_hash: hashOfSecret(secret),
      link_expires_at: endOf(passwordHash === null ? INVITATION : NEW_PASSWORD),
    })
    .returning(sql<Date>`link_expires_at`.as('expiresAt'))
    .executeTakeFirstOrThrow();
  return { secret, expiresAt };
}

/**
 * Sets a password by a link. The link and the member's tokens end. This step hashes, which is slow; the returned
 * function writes, and returns the member. Both throw `UNAUTHENTICATED`.
 */
export async function prepareLinkedPassword(
  db: Db,
  secret: string,
  password: string,
): Promise<(trx: Db) => Promise<Actor>> {
  const link = hashOfSecret(secret);
  const valid = sql<boolean>`link_hash = ${link} and link_expires_at > now() and removed_at is null`;
  const invalid = () => unauthenticated('link_invalid', 'The link is wrong, was used, was replaced or has ended.');
  // Check the link first: hashing is slow, and a wrong link must not cost it.
  await db.selectFrom('members').select('id').where(valid).executeTakeFirstOrThrow(invalid);
  const passwordHash = await hashPassword(password);
  return async (trx) => {
    const member = await setPassword(trx, passwordHash, valid);
    if (!member) throw invalid();
    const { accountId, id, role } = member;
    return { accountId, role: 'customer', member: { id, role } };
  };
}

/**
 * Replaces the password of a member and ends the member's tokens, in two steps like `prepareLinkedPassword`. Both throw
 * `VALIDATION_ERROR` on `currentPassword`. The first also throws `RATE_LIMITED` after ten wrong passwords.
 */
export async function prepareMemberPassword(
  db: Db,
  id: string,
  { currentPassword, password }: { currentPassword: string; password: string },
): Promise<(trx: Db) => Promise<void>> {
  const query = db.selectFrom('members').select('password_hash as passwordHash').where('id', '=', id);
  const { passwordHash } = await query.executeTakeFirstOrThrow(() => notFound('member'));
  await provePassword(db, { id, passwordHash }, currentPassword);
  const unchanged = sql<boolean>`id = ${id} and password_hash = ${passwordHash}`;
  const newHash = await hashPassword(password);
  return async (trx) => {
    if (!(await setPassword(trx, newHash, unchanged))) throw wrongPassword();
  };
}

/** Sets the password and ends the link and all tokens. Returns undefined if no member matches. */
const setPassword = (trx: Db, passwordHash: string, which: RawBuilder<boolean>) =>
  trx
    .updateTable('members')
    .set({ password_hash: passwordHash, link_hash: null, link_expires_at: null, ...nextEpoch })
    .where(which)
    .where('removed_at', 'is', null)
    .returning(['id', 'account_id as accountId', 'role'])
    .executeTakeFirst();
