import { createHash } from 'node:crypto';
import { type Account, createAccount, type NewAccount } from '../../src/accounts/account.js';
import { createIdentity, type Identity, type IdentityOptions } from '../../src/accounts/identity.js';
import { usePasswordCost } from '../../src/accounts/passwords.js';
import { type AccountChange, prepareUpdate } from '../../src/accounts/update-account.js';
import type { Actor } from '../../src/base/actor.js';
import { systemClock } from '../../src/base/clock.js';
import { type KeyRing, parseKeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import type { Db } from '../../src/db/connect.js';
import { PASSWORD, passwordCost, passwordHash } from '../support/password.js';

export { PASSWORD } from '../support/password.js';

let counter = 0;

/** Makes an account with `password`. It is a customer unless the input has another role. */
export function makeAccount(db: Db, input: Partial<NewAccount> = {}): Promise<Account> {
  counter += 1;
  const fresh = { email: `ana${counter}@example.com`, name: 'Ana Souza', phone: '+55 11 91234-5678', passwordHash };
  return createAccount(db, { ...fresh, ...input });
}

/**
 * Changes an account as the handler of `updateUser` does. Fields that the change leaves out stay. An operator who
 * changes another account sends their own password.
 */
export async function updateAccount(
  db: Db,
  actor: Actor,
  { id, email, name, phone }: Account,
  change: Partial<AccountChange>,
  ifMatch?: readonly number[],
): Promise<Account> {
  const deps = { db, keys: ring('e1'), clock: systemClock };
  const proof = actor.accountId === id ? {} : { currentPassword: PASSWORD };
  const write = await prepareUpdate(deps, actor, id, { email, name, phone, ...proof, ...change }, ifMatch);
  return write(db);
}

export const actorOf = ({ id, role }: Account): Actor => ({ accountId: id, role });

/** A ring with one key for each name. Equal names give equal keys. */
export function ring(...names: [string, ...string[]]): KeyRing {
  const secret = (name: string) => createHash('sha256').update(name).digest('base64');
  return parseKeyRing(names.map((name) => `${name}:${secret(name)}`).join(','));
}

/** A new address at each call, so that tests do not share budgets. */
export function newIp(): string {
  counter += 1;
  return `10.${(counter >> 16) & 255}.${(counter >> 8) & 255}.${counter & 255}`;
}

export async function startIdentity(db: Db, options: Partial<IdentityOptions> = {}): Promise<Identity> {
  usePasswordCost(passwordCost);
  const identity = createIdentity({
    db,
    log: createLog({ level: 'silent' }),
    clock: systemClock,
    tokenKeys: ring('k1'),
    apiKeySecrets: ring('a1'),
    encryptionKeys: ring('e1'),
    tokenTtlSeconds: 3600,
    issuer: 'https://malote.example',
    ...options,
  });
  await identity.start();
  return identity;
}

/** The access token of an account that has `password`. */
export async function tokenOf(identity: Identity, { email }: Account): Promise<string> {
  const signedIn = await identity.signIn(email, PASSWORD, newIp());
  if (!signedIn.ok) throw new Error(`cannot sign in: ${signedIn.reason}`);
  return signedIn.token.access_token;
}

/** The code and the fields of the error of the work, or `none` if it succeeds. */
export async function faultOf(work: Promise<unknown> | (() => unknown)): Promise<{ code: string; fields: string[] }> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    const details: unknown = error instanceof Error ? Reflect.get(error, 'details') : undefined;
    if (typeof code !== 'string' || !Array.isArray(details)) throw error;
    return { code, fields: details.map(({ field }) => field) };
  }
  return { code: 'none', fields: [] };
}
