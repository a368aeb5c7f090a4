import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../base/keys.js';
import { isText } from '../base/text.js';
import type { Db } from '../db/connect.js';
import { type Credentials, credentialsOf } from './credentials.js';
import { loginBudgets, releaseAttempt, reserveAttempt } from './login-budget.js';
import { demandRoomToVerify, hashPassword, verifyPassword } from './passwords.js';
import { networkHashes, noteNetwork } from './sign-in-networks.js';

export interface Attempt {
  email: string;
  password: string;
  /** Address of the client. */
  ip: string;
}

export type Checked =
  | { ok: true; credentials: Credentials }
  | { ok: false; reason: 'credentials' }
  | { ok: false; reason: 'budget'; retryAfterSeconds: number };

/** What can be no one's e-mail address or password; no account has either, so refusing it early tells nothing. */
const impossible = ({ email, password }: Attempt) =>
  !isText(email) || email.length > 254 || !isText(password) || password.length > 256;

/**
 * Checks e-mail address and password against the one login budget of all interfaces. Every refusal does the same work, whatever its
 * cause: one verification, and the attempt stays counted. `admits` adds what else the interface demands of the account. `ring` is for the
 * hashes of networks.
 * Throws `UNAVAILABLE` when too many passwords are being checked.
 */
export async function checkLogin(
  { db, ring }: { db: Db; ring: KeyRing },
  attempt: Attempt,
  admits: (account: Credentials) => boolean,
): Promise<Checked> {
  if (impossible(attempt)) return { ok: false, reason: 'credentials' };
  demandRoomToVerify();
  const { email, password, ip } = attempt;
  const networks = networkHashes(ring, ip);
  const credentials = await credentialsOf(db, email, await dummyHash(), networks);
  const { networkKnown } = credentials;
  const reservation = await reserveAttempt(db, loginBudgets({ email, ip, networkKnown }));
  if (!reservation.granted) {
    return { ok: false, reason: 'budget', retryAfterSeconds: reservation.retryAfterSeconds };
  }
  const giveBack = () => releaseAttempt(db, reservation.attempts);
  const matches = await verifyPassword(credentials.passwordHash, password).catch(async (error: unknown) => {
    // Nothing was learnt about the password.
    await giveBack();
    throw error;
  });
  if (!matches || !credentials.exists || !admits(credentials)) return { ok: false, reason: 'credentials' };
  await giveBack();
  const [network] = networks;
  if (network) await noteNetwork(db, credentials.accountId, network);
  return { ok: true, credentials };
}

let dummy: Promise<string> | undefined;

/** The hash that stands in for an unknown account's: of a password that nobody knows, as costly to verify as any. */
export function dummyHash(): Promise<string> {
  dummy ??= hashPassword(randomBytes(32).toString('base64url'));
  return dummy;
}
