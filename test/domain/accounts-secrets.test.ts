import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Account } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { createOperatorKey, getOperatorKey } from '../../src/accounts/operator-keys.js';
import type { AccountChange } from '../../src/accounts/update-account.js';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { ownDatabase } from '../support/services.js';
import {
  actorOf,
  faultOf,
  makeAccount,
  newIp,
  PASSWORD,
  ring,
  startIdentity,
  updateAccount,
} from './accounts-fixtures.js';

const database = await ownDatabase();
let identity: Identity;
let operator: Actor;

beforeAll(async () => {
  identity = await startIdentity(database.db);
  operator = actorOf(await makeAccount(database.db, { role: 'operator' }));
});
afterAll(() => identity.stop());

const update = (actor: Actor, account: Account, change: Partial<AccountChange>, ifMatch?: readonly number[]) =>
  updateAccount(database.db, actor, account, change, ifMatch);
const signsIn = async ({ email }: Account) => (await identity.signIn(email, PASSWORD, newIp())).ok;

describe("one's own password", () => {
  test('cannot be guessed: wrong passwords count for the account, and right ones do not', async () => {
    const ana = await makeAccount(database.db);
    const guess = (currentPassword: string) =>
      faultOf(update(actorOf(ana), ana, { password: PASSWORD, currentPassword }));
    const guesses = await Promise.all(Array.from({ length: 30 }, (_, number) => guess(`guess number ${number}`)));
    expect(guesses.filter(({ code }) => code === 'VALIDATION_ERROR')).toHaveLength(10);
    expect(guesses.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(20);
    // The guesses of a thief of the token do not stop the owner from signing in.
    expect(await signsIn(ana)).toBe(true);

    const bruno = await makeAccount(database.db);
    for (let change = 1; change <= 12; change += 1) {
      await update(actorOf(bruno), bruno, { password: PASSWORD, currentPassword: PASSWORD });
    }
    expect(await signsIn(bruno)).toBe(true);
  });

  test('cannot be guessed by changing the e-mail address between the guesses', async () => {
    const ana = await makeAccount(database.db);
    const codes: string[] = [];
    for (let guess = 1; guess <= 12; guess += 1) {
      const change = { password: PASSWORD, currentPassword: `guess ${guess}` };
      codes.push((await faultOf(update(actorOf(ana), ana, change))).code);
      // An operator may change it without the account's password.
      await update(operator, ana, { email: `moved${guess}.${ana.email}` });
    }
    expect(codes).toEqual([...Array(10).fill('VALIDATION_ERROR'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('ends the API key when it changes, even when an operator changes it', async () => {
    const ana = await makeAccount(database.db, { phoneConfirmed: true });
    const keyWorks = async (apiKey: string) =>
      (await faultOf(identity.authenticateApiKey(`ApiKey ${ana.email}:${apiKey}`))).code;
    const first = await identity.apiKeyOf(ana.id);
    await update(actorOf(ana), ana, { password: 'another long password', currentPassword: PASSWORD });
    const second = await identity.apiKeyOf(ana.id);
    expect([await keyWorks(first), await keyWorks(second)]).toEqual(['UNAUTHENTICATED', 'none']);
    await update(operator, ana, { password: PASSWORD });
    expect(await keyWorks(second)).toBe('UNAUTHENTICATED');
    const third = await identity.apiKeyOf(ana.id);
    await update(operator, ana, { name: 'Ana Lima' });
    expect(await keyWorks(third)).toBe('none');
  });

  test('is changed once when two changes with the old password come at once', async () => {
    const ana = await makeAccount(database.db);
    const rivals = ['first new password', 'second new password'].map((password_) =>
      faultOf(update(actorOf(ana), ana, { password: password_, currentPassword: PASSWORD })),
    );
    const codes = (await Promise.all(rivals)).map(({ code }) => code);
    expect(codes.sort()).toEqual(['VALIDATION_ERROR', 'none']);
  });
});

test('a sent value that equals the stored one does not undo a later change without the password', async () => {
  const ana = await makeAccount(database.db);
  const moved = await database.db.transaction().execute(async (trx) => {
    await updateAccount(trx, operator, ana, { email: `moved.${ana.email}` });
    const rival = faultOf(update(actorOf(ana), ana, { name: 'Ana Lima' }));
    await sleep(200);
    return { rival };
  });
  expect(await moved.rival).toEqual({ code: 'VALIDATION_ERROR', fields: ['currentPassword'] });
});

describe('the API key', () => {
  let ana: Account;
  let key: string;
  beforeAll(async () => {
    ana = await makeAccount(database.db, { phoneConfirmed: true });
    key = await identity.apiKeyOf(ana.id);
  });

  test('exists for an e-mail address with odd characters', async () => {
    const odd = await makeAccount(database.db, { email: '"a:b c"@example.com', phoneConfirmed: true });
    const header = `ApiKey ${odd.email}:${await identity.apiKeyOf(odd.id)}`;
    expect(await identity.authenticateApiKey(header)).toMatchObject({ accountId: odd.id });
  });

  test('stays valid under a new server secret as long as the old secret is in the ring', async () => {
    const during = await startIdentity(database.db, { apiKeySecrets: ring('a2', 'a1') });
    expect(await during.authenticateApiKey(`ApiKey ${ana.email}:${key}`)).toMatchObject({ accountId: ana.id });
    const fresh = await during.apiKeyOf(ana.id);
    expect(fresh).not.toBe(key);
    const after = await startIdentity(database.db, { apiKeySecrets: ring('a2') });
    expect(await after.authenticateApiKey(`ApiKey ${ana.email}:${fresh}`)).toMatchObject({ accountId: ana.id });
    const old = faultOf(after.authenticateApiKey(`ApiKey ${ana.email}:${key}`));
    expect(await old).toMatchObject({ code: 'UNAUTHENTICATED' });
    await Promise.all([during.stop(), after.stop()]);
  });

  test('is refused for an e-mail address with half a surrogate pair', async () => {
    const authentication = faultOf(identity.authenticateApiKey(`ApiKey ana\ud83d@example.com:${key}`));
    expect(await authentication).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('is not stored in the database', async () => {
    const account = await database.db.selectFrom('accounts').selectAll().where('id', '=', ana.id).executeTakeFirst();
    expect(JSON.stringify(account)).not.toContain(key);
  });
});

test('a login with an unconfirmed phone counts as a failure, so the budget reveals nothing about the password', async () => {
  const [account, ip] = [await makeAccount(database.db), newIp()];
  for (let attempt = 1; attempt <= 10; attempt += 1) await identity.apiLogin(account.email, PASSWORD, ip);
  expect(await identity.signIn(account.email, PASSWORD, ip)).toMatchObject({ reason: 'budget' });
});

const newKey = { name: 'Scanner', scope: 'all', expiresAt: new Date('2099-01-01'), withFactor: false } as const;
const make = (db: Db, createdBy: string) => createOperatorKey(db, { ...newKey, createdBy });

/** Starts `second` before the commit of `first`. Resolves when both have ended. */
async function whileUncommitted<T>(first: (trx: Db) => Promise<unknown>, second: () => Promise<T>) {
  let later: Promise<PromiseSettledResult<T>[]> | undefined;
  await database.db.transaction().execute(async (trx) => {
    await first(trx);
    later = Promise.allSettled([second()]);
    await sleep(150);
  });
  return (await later)?.[0];
}

test('a key that is made while its maker is being deleted is revoked with the other keys', async () => {
  const maker = await makeAccount(database.db, { role: 'operator' });
  let id = '';
  const deletion = await whileUncommitted(
    async (trx) => {
      id = (await make(trx, maker.id)).key.id;
    },
    () => deleteAccount(database.db, operator, maker.id),
  );
  expect(deletion?.status).toBe('fulfilled');
  expect(await getOperatorKey(database.db, id)).toMatchObject({ revokedAt: expect.any(Date) });
});

test('no key is made once the deletion of its maker has begun', async () => {
  const maker = await makeAccount(database.db, { role: 'operator' });
  const creation = await whileUncommitted(
    (trx) => deleteAccount(trx, operator, maker.id),
    () => make(database.db, maker.id),
  );
  expect(creation).toMatchObject({ status: 'rejected', reason: { code: 'FORBIDDEN' } });
});
