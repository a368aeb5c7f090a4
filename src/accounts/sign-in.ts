import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { MemberRole, Role } from '../base/actor.js';
import { newId } from '../base/ids.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { isText } from '../base/values.js';
import type { Db } from '../db/connect.js';
import { loginBudgets, spendAttempt } from './login-budget.js';
import { networkHashes, noteNetwork, signedInFrom } from './networks.js';
import { demandRoomToVerify, hashPassword, verifyPassword } from './passwords.js';
import type { Claims } from './tokens.js';

interface Login {
  email: string;
  password: string;
  ip: string;
}

export type LoginRefusal =
  | { ok: false; reason: 'credentials' }
  | { ok: false; reason: 'budget'; retryAfterSeconds: number };

/** Reasons of a refused login. `capacity`: too many passwords are being checked. */
export const loginRefusals = ['credentials', 'budget', 'capacity'] as const;
export type OnLoginRefused = (reason: (typeof loginRefusals)[number]) => void;

interface SignInDeps {
  db: Db;
  ring: KeyRing;
  onLoginRefused?: OnLoginRefused | undefined;
}

/** True for a login that no account can have, so an early refusal reveals nothing. */
const isImpossible = ({ email, password }: Login) =>
  !isText(email) || email.length > 254 || !isText(password) || password.length > 256;

/**
 * Checks e-mail address and password against the login budget that all interfaces share. Every refusal does the same
 * work, whatever its cause. `admits` adds the interface's own demands on the account. `ring` is for hashes of networks.
 * Throws `UNAVAILABLE` when too many passwords are being checked.
 */
export async function checkLogin(
  deps: SignInDeps,
  login: Login,
  admits: (account: Credentials) => boolean,
): Promise<SignInResult> {
  const result = await resultOf(deps, login, admits);
  if (!result.ok) deps.onLoginRefused?.(result.reason);
  return result;
}

export type SignInResult = { ok: true; credentials: Credentials } | LoginRefusal;

async function resultOf(
  { db, ring, onLoginRefused }: SignInDeps,
  login: Login,
  admits: (account: Credentials) => boolean,
): Promise<SignInResult> {
  if (isImpossible(login)) return { ok: false, reason: 'credentials' };
  try {
    demandRoomToVerify();
  } catch (error) {
    onLoginRefused?.('capacity');
    throw error;
  }
  const { email, password, ip } = login;
  const networks = networkHashes(ring, ip);
  const credentials = await credentialsOf(db, email, await dummyHash(), networks);
  const budgets = loginBudgets({ email, ip, networkKnown: credentials.networkKnown });
  const attempt = await spendAttempt(db, budgets, async () => {
    const matches = await verifyPassword(credentials.passwordHash, password);
    return matches && credentials.exists && admits(credentials);
  });
  if (!attempt.granted) return { ok: false, reason: 'budget', retryAfterSeconds: attempt.retryAfterSeconds };
  if (!attempt.succeeded) return { ok: false, reason: 'credentials' };
  const [network] = networks;
  if (network) await noteNetwork(db, credentials.accountId, network);
  return { ok: true, credentials };
}

let dummy: Promise<string> | undefined;

/**
 * A hash of a random password that nobody knows. It stands in for the hash of an unknown account, and takes as long to
 * verify.
 */
export function dummyHash(): Promise<string> {
  dummy ??= hashPassword(randomBytes(32).toString('base64url'));
  return dummy;
}

export interface Credentials {
  /** False if no such account exists. The other values then stand in for one, so that the caller does the same work. */
  exists: boolean;
  accountId: string;
  /** The e-mail address of the account, which API keys are used with. */
  accountEmail: string;
  /** The e-mail address of this sign-in: of the account or of the member. */
  email: string;
  name: string;
  role: Role;
  phoneConfirmed: boolean;
  passwordHash: string;
  epoch: number;
  apiKeyVersion: number;
  networkKnown: boolean;
  /** True if the person has a second factor. */
  hasFactor: boolean;
  /** True if the account demands a second factor and the person has none. */
  mustEnrol: boolean;
  /** The member who signs in; null for the account's own sign-in. */
  memberId: string | null;
  memberRole: MemberRole | null;
  memberEpoch: number | null;
}

const hasFactor = sql<boolean>`exists (
  select from second_factors where account_id = coalesce(m.id, a.id) and confirmed_at is not null)`;

export type MemberColumns = Pick<Credentials, 'memberId' | 'memberRole' | 'memberEpoch'>;

/** The member who signs in; undefined for the account's own sign-in. */
export function memberOf({ memberId: id, memberRole: role, memberEpoch: epoch }: MemberColumns): Claims['member'] {
  return id === null || role === null || epoch === null ? undefined : { id, role, epoch };
}

const nobody = newId();

/**
 * Finds the account or the member with this e-mail address; case is ignored. Without one it returns a stand-in row with
 * `absentHash`. So the time of this read and of the next steps does not reveal which addresses exist.
 */
async function credentialsOf(db: Db, email: string, absentHash: string, networks: Buffer[]): Promise<Credentials> {
  const { rows } = await sql<Credentials>`
    select a.id is not null as "exists",
      coalesce(a.id, ${nobody}::uuid) as "accountId",
      coalesce(a.email, login.email) as "accountEmail",
      coalesce(m.email, a.email, login.email) as "email",
      coalesce(m.name, a.name, login.email) as "name",
      coalesce(a.role, 'customer') as "role",
      coalesce(a.phone_confirmed, false) as "phoneConfirmed",
      coalesce(case when m.id is null then a.password_hash else m.password_hash end, ${absentHash}::text)
        as "passwordHash",
      coalesce(a.epoch, 0) as "epoch",
      coalesce(a.api_key_version, 0) as "apiKeyVersion",
      ${signedInFrom(networks, sql`coalesce(a.id, ${nobody}::uuid)`)} as "networkKnown",
      ${hasFactor} as "hasFactor",
      coalesce(a.factor_required, false) and a.role = 'customer' and not ${hasFactor} as "mustEnrol",
      m.id as "memberId", m.role as "memberRole", m.epoch as "memberEpoch"
    from (values (${email}::text)) as login (email)
    left join lateral (
      select id as account_id, null::uuid as member_id from accounts
      where lower(email) = lower(login.email) and deleted_at is null
      union all
      select account_id, id from members where lower(email) = lower(login.email) and removed_at is null) holder on true
    left join members m on m.id = holder.member_id
    left join accounts a on a.id = holder.account_id and a.deleted_at is null
      and (m.id is null or a.role = 'customer')`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('a left join lost its left side');
  return row;
}
