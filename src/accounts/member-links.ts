import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { nextEpoch } from './account.js';
import { provePassword, wrongPassword } from './login-budget.js';
import { hashPassword } from './passwords.js';
import { hashOfSecret, newSecret } from './secrets.js';

// Passwords of members. A member chooses one at a link, which an owner passes on: no mail is sent.

export interface MemberLink {
  secret: string;
  expiresAt: Date;
}

/** The page at which a member chooses a password; the secret follows. */
const PASSWORD_PAGE = '/envios/password/';

/** A link as the contracts show it. */
export const toMemberLink = (publicUrl: string, { secret, expiresAt }: MemberLink) => ({
  url: `${publicUrl}${PASSWORD_PAGE}${secret}`,
  token: secret,
  expires_at: expiresAt.toISOString(),
});

interface LockedMember {
  id: string;
  /** Null until the person has chosen a password. */
  passwordHash: string | null;
}

export const INVITATION = '72 hours';
const NEW_PASSWORD = '1 hour';

export const newLinkSecret = (): string => newSecret('mil_');

export const endOf = (duration: string): RawBuilder<Date> => sql<Date>`now() + ${duration}::interval`;

/** Makes a link at which the member chooses a password, in place of an earlier one. */
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
 * Sets a password by a link, which ends with it, as do the member's tokens. In two steps: this one hashes, which takes
 * its time; the function that it resolves to writes, and resolves to the member. Both throw `UNAUTHENTICATED`.
 */
export async function prepareLinkedPassword(
  db: Db,
  secret: string,
  password: string,
): Promise<(trx: Db) => Promise<Actor>> {
  const link = hashOfSecret(secret);
  const valid = sql<boolean>`link_hash = ${link} and link_expires_at > now() and removed_at is null`;
  const invalid = () => unauthenticated('link_invalid', 'The link is wrong, was used, was replaced or has ended.');
  // To hash a password takes long: a wrong link must not.
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
 * Replaces the password of a member, and ends the member's tokens, in the same two steps. Both throw
 * `VALIDATION_ERROR` on `currentPassword`, the first one `RATE_LIMITED` after ten wrong ones.
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

/** Undefined when no member was meant. */
const setPassword = (trx: Db, passwordHash: string, which: RawBuilder<boolean>) =>
  trx
    .updateTable('members')
    .set({ password_hash: passwordHash, link_hash: null, link_expires_at: null, ...nextEpoch })
    .where(which)
    .where('removed_at', 'is', null)
    .returning(['id', 'account_id as accountId', 'role'])
    .executeTakeFirst();
