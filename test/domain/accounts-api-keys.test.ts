import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Account } from '../../src/accounts/account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, makeAccount, newIp, PASSWORD, ring, startIdentity } from './accounts-fixtures.js';

const database = await ownDatabase();
let identity: Identity;
let ana: Account;
let key: string;

beforeAll(async () => {
  identity = await startIdentity(database.db);
  ana = await makeAccount(database.db, { phoneConfirmed: true });
  key = await identity.apiKeyOf(ana.id);
});
afterAll(() => identity.stop());

describe('the API key', () => {
  test('follows an address with odd characters', async () => {
    const odd = await makeAccount(database.db, { email: '"a:b c"@example.com', phoneConfirmed: true });
    const header = `ApiKey ${odd.email}:${await identity.apiKeyOf(odd.id)}`;
    expect(await identity.authenticateApiKey(header)).toMatchObject({ accountId: odd.id });
  });

  test('lives through a new server secret for as long as the old one stays in the ring', async () => {
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

  test('does not follow an address with half a surrogate pair', async () => {
    const authentication = faultOf(identity.authenticateApiKey(`ApiKey ana\ud83d@example.com:${key}`));
    expect(await authentication).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('is nowhere in the database', async () => {
    const account = await database.db.selectFrom('accounts').selectAll().where('id', '=', ana.id).executeTakeFirst();
    expect(JSON.stringify(account)).not.toContain(key);
  });
});

test('an unconfirmed phone counts as a failure like any other, so the budget reveals nothing about the password', async () => {
  const [account, ip] = [await makeAccount(database.db), newIp()];
  for (let attempt = 1; attempt <= 10; attempt += 1) await identity.apiLogin(account.email, PASSWORD, ip);
  expect(await identity.signIn(account.email, PASSWORD, ip)).toMatchObject({ reason: 'budget' });
});
