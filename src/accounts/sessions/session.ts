import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import type { Role } from '../../base/actor.js';
import type { Db } from '../../db/connect.js';
import { deleteInChunks } from '../../db/delete-in-chunks.js';
import { eraseRows } from '../../db/erase.js';
import { row } from '../../db/row.js';
import { hashOfSecret } from '../secrets.js';
import { type MemberColumns, memberOf } from '../sign-in.js';
import type { Claims } from '../tokens.js';

/**
 * A session at the pages of the account's role. The browser holds a random secret in a cookie, and the row is found by
 * the hash of the secret. The session carries the account's epoch (epochs.ts), so it ends whenever the account's tokens
 * end.
 */
export interface Session {
  secret: string;
  accountId: string;
  role: Role;
  email: string;
  epoch: number;
  /** The member who signed in; undefined for the account's own sign-in. */
  member?: Claims['member'];
  /** False after the password, while the code of the second factor is still missing. */
  isAdmitted: boolean;
  hasSecondFactor: boolean;
  /** True if the account demands a second factor and the person has none. */
  mustEnrol: boolean;
}

const IDLE = "interval '30 minutes'";
const LONGEST = "interval '12 hours'";
/** Time to give the code of the second factor after the password. */
const UNTIL_ADMITTED = "interval '10 minutes'";
/** The use of a session is written at most this often, so that most requests write nothing. */
const NOTED = "interval '1 minute'";

const SECRET = /^[\w-]{43}$/;
const SECRET_BYTES = 32;

export type NewSession = Pick<Session, 'accountId' | 'epoch' | 'member' | 'isAdmitted'>;

/** Begins a session and returns its secret. The secret is always new, so nobody can know it before the sign-in. */
export async function openSession(db: Db, { accountId, epoch, member, isAdmitted }: NewSession): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  await db
    .insertInto('operator_sessions')
    .values(
      row<'operator_sessions'>({
        ...{ hash: hashOfSecret(secret), account_id: accountId, admitted: isAdmitted },
        // Release 1.9 knows no roles of members. It finds no account with a negative epoch.
        epoch: member ? -1 - epoch : epoch,
        ...{ member_id: member?.id ?? null, member_epoch: member?.epoch ?? null },
      }),
    )
    .execute();
  return secret;
}

// Each page runs this query, so its text is made once.
const sessionOfHash = `
  select session.account_id as "accountId", account.role, coalesce(member.email, account.email) as email, account.epoch,
    member.id as "memberId", member.role as "memberRole", member.epoch as "memberEpoch", session.admitted as "isAdmitted",
    factor.account_id is not null as "hasSecondFactor",
    account.factor_required and account.role = 'customer' and factor.account_id is null as "mustEnrol",
    session.used_at < now() - ${NOTED} as "isUseDue"
  from operator_sessions session
  join accounts account on account.id = session.account_id and account.epoch =
    case when session.member_id is null then session.epoch else -1 - session.epoch end
    and account.deleted_at is null
  left join members member on member.id = session.member_id and member.epoch = session.member_epoch
    and member.removed_at is null
  left join second_factors factor on factor.account_id = coalesce(member.id, account.id)
    and factor.confirmed_at is not null
  where session.hash = $1 and (session.member_id is null or member.id is not null) and session.used_at > now() - ${IDLE}
    and session.created_at > now() - case when session.admitted then ${LONGEST} else ${UNTIL_ADMITTED} end`;

/** Finds the session of a secret. Undefined if the secret is unknown or the session has ended. */
export async function readSession(db: Db, secret: string): Promise<Session | undefined> {
  if (!SECRET.test(secret)) return undefined;
  const hash = hashOfSecret(secret);
  type Row = Omit<Session, 'secret' | 'member'> & MemberColumns & { isUseDue: boolean };
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(sessionOfHash, [hash]));
  const [row] = rows;
  if (!row) return undefined;
  const { isUseDue, memberId, memberRole, memberEpoch, ...session } = row;
  if (isUseDue) await noteUse(db, hash);
  return { secret, ...session, member: memberOf({ memberId, memberRole, memberEpoch }) };
}

async function noteUse(db: Db, hash: Buffer): Promise<void> {
  await sql`update operator_sessions set used_at = now() where hash = ${hash}`.execute(db);
}

/** A name for the session that does not reveal its secret. */
export const nameOf = ({ secret }: Pick<Session, 'secret'>): string => hashOfSecret(secret).toString('base64url');

export async function endSession(db: Db, { secret }: Pick<Session, 'secret'>): Promise<void> {
  await db.deleteFrom('operator_sessions').where('hash', '=', hashOfSecret(secret)).execute();
}

/** Ends the sessions of an account, or those of a member. */
export async function endSessionsOf(db: Db, id: string): Promise<void> {
  await eraseRows(db, 'operator_sessions', 'deletion', sql`account_id = ${id} or member_id = ${id}`);
}

/** The token in each form of the session. It stops pages of another origin from sending the form (CSRF). */
export const formTokenOf = ({ secret }: Pick<Session, 'secret'>): string =>
  createHmac('sha256', secret).update('forms').digest('base64url');

/** True if the token belongs to this session. It takes the same time for any text. */
export function isFormToken(session: Pick<Session, 'secret'>, sent: string): boolean {
  const [own, other] = [formTokenOf(session), sent].map(hashOfSecret);
  return own !== undefined && other !== undefined && timingSafeEqual(own, other);
}

export const sweepSessions = (db: Db): Promise<number> =>
  deleteInChunks(db, 'operator_sessions', 'created_at', sql`created_at <= now() - ${sql.raw(LONGEST)}`);
