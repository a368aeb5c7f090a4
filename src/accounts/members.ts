import { type RawBuilder, sql } from 'kysely';
import { type Actor, accountSeenBy, type MemberRole } from '../base/actor.js';
import { conflict, invalidField, notFound } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import { row } from '../db/row.js';
import { transaction } from '../db/transaction.js';
import { emailConflict, lockAccount, nextEpoch, rotateApiKey, visible } from './account.js';
import { endOf, INVITATION, type MemberLink, newLinkSecret } from './member-links.js';
import { revokeKeysMadeBy } from './named-keys.js';
import { hashOfSecret } from './secrets.js';

// Manages the people who sign in for an account. The account's own sign-in is listed as a member, too: an owner with
// the id of the account. It cannot be changed here, so an account always has an owner.

export interface Member {
  id: string;
  accountId: string;
  name: string;
  email: string;
  role: MemberRole;
  /** False until the member has chosen a password. */
  isActive: boolean;
  hasFactor: boolean;
  createdAt: Date;
}

export interface NewMember {
  name: string;
  email: string;
  role: MemberRole;
  /** The account of the new member. Only operators give it. */
  userId?: string | undefined;
}

const MAX_MEMBERS = 100;

const hasFactor = (id: 'members.id' | 'accounts.id') =>
  sql<boolean>`exists (select from second_factors where account_id = ${sql.ref(id)} and confirmed_at is not null)`;

const columns = [
  'id',
  'account_id as accountId',
  'name',
  'email',
  'role',
  sql<boolean>`password_hash is not null`.as('isActive'),
  hasFactor('members.id').as('hasFactor'),
  'created_at as createdAt',
] as const;

/** A member in the form of the contracts. */
export const toMember = ({ id, accountId, name, email, role, isActive, hasFactor, createdAt }: Member) => ({
  id,
  user_id: accountId,
  name,
  email,
  role,
  state: isActive ? ('active' as const) : ('invited' as const),
  second_factor: hasFactor,
  created_at: createdAt.toISOString(),
});

/** Selects the sign-ins of an account, or of all customers without an account. */
function signInsOf(db: Db, accountId: string | undefined) {
  let members = db.selectFrom('members').select(columns).where('removed_at', 'is', null);
  let accounts = db
    .selectFrom('accounts')
    .select([
      'id',
      'id as accountId',
      'name',
      'email',
      sql<MemberRole>`'owner'`.as('role'),
      sql<boolean>`true`.as('isActive'),
      hasFactor('accounts.id').as('hasFactor'),
      'created_at as createdAt',
    ])
    .where('deleted_at', 'is', null);
  if (accountId !== undefined) members = members.where('account_id', '=', accountId);
  accounts = accountId === undefined ? accounts.where('role', '=', 'customer') : accounts.where('id', '=', accountId);
  return db.selectFrom(members.unionAll(accounts).as('sign_in')).selectAll();
}

/** Lists the members that the actor may see, newest first. The account's own sign-in comes last. */
export function listMembers(db: Db, actor: Actor, page: Page): Promise<Listed<Member>> {
  const signIns = signInsOf(db, accountSeenBy(actor));
  const isAccount = sql`id = sign_in."accountId"`;
  return readPage(db, signIns.orderBy(isAccount).orderBy('createdAt', 'desc').orderBy('id', 'desc'), page);
}

/** Finds a member. The id `me` means the person who asks. Throws `NOT_FOUND`. */
export async function getMember(db: Db, actor: Actor, id: string): Promise<Member> {
  const isMe = id === 'me';
  const signIns = signInsOf(db, isMe ? actor.accountId : accountSeenBy(actor));
  const found = await signIns.where('id', '=', isMe ? idOf(actor) : id).executeTakeFirst();
  if (!found) throw notFound('member');
  return found;
}

/** The id of the person behind a request. Throws `NOT_FOUND` for a named key, which is not a person. */
function idOf({ member, accountId, apiKey }: Actor): string {
  if (apiKey) throw notFound('member');
  return member?.id ?? accountId;
}

/**
 * Adds a member, who can sign in after choosing a password at the link. Throws `CONFLICT` if the e-mail address is
 * taken or the account has a hundred members.
 */
export async function inviteMember(db: Db, actor: Actor, input: NewMember): Promise<Member & { link: MemberLink }> {
  const { userId, ...person } = input;
  const accountId = accountFor(actor, userId);
  return transaction(db, async (trx) => {
    // Without the lock, two invitations at once would not count each other.
    const noUser = () => invalidField('userId', 'not_found', 'is not a user');
    const { role } = await lockAccount(trx, accountId, noUser);
    if (role === 'operator') throw invalidField('userId', 'not_allowed', 'is an operator, who has no members');
    const others = trx.selectFrom('members').select('id').where('account_id', '=', accountId);
    if ((await others.where('removed_at', 'is', null).execute()).length >= MAX_MEMBERS)
      throw conflict('too_many_members', `An account has ${MAX_MEMBERS} members at most: remove one first.`);
    const secret = newLinkSecret();
    const added = await trx
      .insertInto('members')
      .values(
        row<'members'>({
          ...person,
          id: newId(),
          account_id: accountId,
          password_hash: null,
          link_hash: hashOfSecret(secret),
          link_expires_at: endOf(INVITATION),
          invited_by: actor.member?.id ?? null,
        }),
      )
      .returning([...columns, sql<Date>`link_expires_at`.as('expiresAt')])
      .executeTakeFirstOrThrow()
      .catch((error: unknown) => {
        throw emailConflict(error);
      });
    const { expiresAt, ...invited } = added;
    return { ...invited, link: { secret, expiresAt } };
  });
}

/** The account that the actor invites to. Throws `VALIDATION_ERROR` on `userId`. */
function accountFor({ role, accountId }: Actor, userId: string | undefined): string {
  if (role === 'operator') return userId ?? accountId;
  if (userId !== undefined && userId.toLowerCase() !== accountId)
    throw invalidField('userId', 'not_allowed', 'is another account than your own');
  return accountId;
}

const accountSignIn = () =>
  conflict('account_sign_in', "This is the account's own sign-in, which is always an owner: change the user instead.");

/** Locks the member's row. Throws `NOT_FOUND`, and `CONFLICT` for the account's own sign-in. */
export async function lockMember(trx: Db, actor: Actor, id: string) {
  const query = trx
    .selectFrom('members')
    .select(['id', 'account_id as accountId', 'role', 'password_hash as passwordHash'])
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where(ownedBy(actor, 'account_id'));
  const member = await query.forUpdate().executeTakeFirst();
  if (member) return member;
  const account = await trx.selectFrom('accounts').select('id').where(visible(actor, id)).executeTakeFirst();
  throw account ? accountSignIn() : notFound('member');
}

interface MemberChange extends Pick<NewMember, 'name' | 'role'> {
  id: string;
  keepsKeys: boolean;
}

/**
 * Replaces name and role. A new role ends the member's tokens. If the new role allows less, keys beyond it end, too,
 * unless they are kept. Throws like `lockMember`.
 */
export async function updateMember(
  trx: Db,
  actor: Actor,
  { id, name, role, keepsKeys }: MemberChange,
): Promise<Member> {
  const { accountId, role: former } = await lockMember(trx, actor, id);
  if (!keepsKeys && role === 'viewer') await revokeKeysMadeBy(trx, { accountId, memberId: id, scope: 'all' });
  if (!keepsKeys && former === 'owner' && role !== 'owner') await rotateApiKey(trx, accountId);
  return trx
    .updateTable('members')
    .set({ name, role, ...(role === former ? {} : nextEpoch) })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Changes only the name. Throws `NOT_FOUND`. */
export async function renameMember(db: Db, id: string, name: string): Promise<void> {
  const renamed = db.updateTable('members').set({ name }).where('id', '=', id).where('removed_at', 'is', null);
  await renamed.returning('id').executeTakeFirstOrThrow(() => notFound('member'));
}

/**
 * Ends the member's sign-in. Unless keys are kept, it also revokes the named keys that the member made. For an owner it
 * rotates the account's derived key, which an owner may know. Throws like `lockMember`.
 */
export async function removeMember(
  trx: Db,
  actor: Actor,
  { id, keepsKeys }: { id: string; keepsKeys: boolean },
): Promise<void> {
  const { accountId, role } = await lockMember(trx, actor, id);
  await endMembers(trx, sql<boolean>`id = ${id}`);
  if (keepsKeys) return;
  await revokeKeysMadeBy(trx, { accountId, memberId: id });
  if (role === 'owner') await rotateApiKey(trx, accountId);
}

/** Ends all members of an account that is being deleted. */
export const endMembersOf = (trx: Db, accountId: string): Promise<void> =>
  endMembers(trx, sql<boolean>`account_id = ${accountId} and removed_at is null`);

async function endMembers(trx: Db, which: RawBuilder<boolean>): Promise<void> {
  const ids = sql`(select id from members where ${which})`;
  await eraseRows(trx, 'second_factors', 'deletion', sql`account_id in ${ids}`);
  await eraseRows(trx, 'operator_sessions', 'deletion', sql`member_id in ${ids}`);
  await eraseRows(trx, 'members', 'deletion', which);
  await trx
    .updateTable('members')
    .set({ removed_at: sql<Date>`now()`, ...nextEpoch })
    .where(which)
    .execute();
}
