import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Account, confirmPhone, rotateApiKey } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, faultOf, makeAccount, newIp, PASSWORD, ring, startIdentity } from './accounts-fixtures.js';

const database = await ownDatabase();
let identity: Identity;
let ana: Account;
let key: string;

beforeAll(async () => {
  identity = await startIdentity(database.db);
  ana = await confirmed();
  key = await identity.apiKeyOf(ana.id);
});
afterAll(() => identity.stop());

const confirmed = (email?: string) => makeAccount(database.db, { phoneConfirmed: true, ...(email && { email }) });
const login = (email: string, password = PASSWORD) => identity.apiLogin(email, password, newIp());
const authenticate = (email: string, apiKey: string) => identity.authenticateApiKey(`ApiKey ${email}:${apiKey}`);
const code = async (work: Promise<unknown>) => (await faultOf(work)).code;

describe('the API key', () => {
  test('is given for e-mail address and password, the same each time', async () => {
    for (const email of [ana.email, ana.email.toUpperCase()])
      expect(await login(email)).toEqual({ accountId: ana.id, email: ana.email, name: ana.name, apiKey: key });
  });

  test('opens the account, whatever the case of the address', async () => {
    for (const email of [ana.email, ana.email.toUpperCase()])
      expect(await authenticate(email, key)).toEqual({ accountId: ana.id, role: 'customer' });
  });

  test('follows an address with odd characters', async () => {
    const odd = await makeAccount(database.db, { email: '"a:b c"@example.com', phoneConfirmed: true });
    expect(await authenticate(odd.email, await identity.apiKeyOf(odd.id))).toMatchObject({ accountId: odd.id });
  });

  test('ends when it is rotated', async () => {
    const account = await confirmed();
    const old = await identity.apiKeyOf(account.id);
    await rotateApiKey(database.db, account.id);
    const fresh = await identity.apiKeyOf(account.id);
    expect(fresh).not.toBe(old);
    expect(await code(authenticate(account.email, old))).toBe('UNAUTHENTICATED');
    expect(await authenticate(account.email, fresh)).toMatchObject({ accountId: account.id });
  });

  test('lives through a new server secret for as long as the old one stays in the ring', async () => {
    const during = await startIdentity(database.db, { apiKeySecrets: ring('a2', 'a1') });
    expect(await during.authenticateApiKey(`ApiKey ${ana.email}:${key}`)).toMatchObject({ accountId: ana.id });
    const fresh = await during.apiKeyOf(ana.id);
    expect(fresh).not.toBe(key);
    const after = await startIdentity(database.db, { apiKeySecrets: ring('a2') });
    expect(await after.authenticateApiKey(`ApiKey ${ana.email}:${fresh}`)).toMatchObject({ accountId: ana.id });
    expect(await code(after.authenticateApiKey(`ApiKey ${ana.email}:${key}`))).toBe('UNAUTHENTICATED');
    await Promise.all([during.stop(), after.stop()]);
  });

  test('is nowhere in the database', async () => {
    const account = await database.db.selectFrom('accounts').selectAll().where('id', '=', ana.id).executeTakeFirst();
    expect(JSON.stringify(account)).not.toContain(key);
  });
});

describe('login answers null', () => {
  test('for a wrong password and for an unknown address', async () => {
    expect(await login(ana.email, 'not the password')).toBeNull();
    expect(await login('nobody@example.com')).toBeNull();
  });

  test('until the phone is confirmed', async () => {
    const account = await makeAccount(database.db);
    expect(await login(account.email)).toBeNull();
    await confirmPhone(database.db, account.id);
    expect(await login(account.email)).not.toBeNull();
  });

  test('after the account was deleted', async () => {
    const account = await confirmed();
    await deleteAccount(database.db, { accountId: ana.id, role: 'operator' }, account.id);
    expect(await login(account.email)).toBeNull();
  });

  test('an unconfirmed phone counts as a failure like any other, so the budget reveals nothing about the password', async () => {
    const [account, ip] = [await makeAccount(database.db), newIp()];
    for (let attempt = 1; attempt <= 10; attempt += 1) await identity.apiLogin(account.email, PASSWORD, ip);
    expect(await identity.signIn(account.email, PASSWORD, ip)).toMatchObject({ reason: 'budget' });
  });
});

describe('credentials that do not fit are UNAUTHENTICATED', () => {
  test.each([
    ['no header', undefined],
    ['no scheme', () => `${ana.email}:${key}`],
    ['another scheme', () => `Bearer ${key}`],
    ['no address', () => `ApiKey :${key}`],
    ['no key', () => `ApiKey ${ana.email}:`],
    ['no colon', () => `ApiKey ${key}`],
    ['a wrong key', () => `ApiKey ${ana.email}:${key.slice(0, -1)}`],
    ['an unknown address', () => `ApiKey nobody@example.com:${key}`],
    ['an address with half a surrogate pair', () => `ApiKey ana\ud83d@example.com:${key}`],
  ])('%s', async (_, header) => {
    expect(await code(identity.authenticateApiKey(header?.()))).toBe('UNAUTHENTICATED');
  });

  test("another account's key", async () => {
    const other = await confirmed();
    expect(await code(authenticate(ana.email, await identity.apiKeyOf(other.id)))).toBe('UNAUTHENTICATED');
  });

  test('the key of an account whose phone is not confirmed, or which was deleted', async () => {
    const account = await makeAccount(database.db);
    const own = await identity.apiKeyOf(account.id);
    expect(await code(authenticate(account.email, own))).toBe('UNAUTHENTICATED');
    await confirmPhone(database.db, account.id);
    expect(await authenticate(account.email, own)).toEqual(actorOf(account));
    await deleteAccount(database.db, { accountId: ana.id, role: 'operator' }, account.id);
    expect(await code(authenticate(account.email, own))).toBe('UNAUTHENTICATED');
    expect(await code(identity.apiKeyOf(account.id))).toBe('NOT_FOUND');
  });
});
