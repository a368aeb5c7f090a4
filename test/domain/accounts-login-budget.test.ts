import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Identity } from '../../src/accounts/identity.js';
import { sweepLoginFailures } from '../../src/accounts/login-budget.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { makeAccount, newIp, password, startIdentity } from './accounts-fixtures.js';

let database: TestDatabase;
let one: Identity;
let two: Identity;

beforeAll(async () => {
  database = await createDatabase();
  [one, two] = await Promise.all([startIdentity(database.db), startIdentity(database.db)]);
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()]);
  await database.drop();
});

const outcome = (result: Awaited<ReturnType<Identity['signIn']>>) => (result.ok ? 'ok' : result.reason);
const fail = async (email: string, ip = newIp()) => outcome(await one.signIn(email, 'not the password', ip));

describe('the budget of failed logins', () => {
  test.each([
    ['a known address', async () => (await makeAccount(database.db)).email],
    ['an unknown address', async () => 'nobody@example.com'],
  ])('is ten for %s, then even the right password is refused', async (_, address) => {
    const email = await address();
    for (let failure = 1; failure <= 10; failure += 1) expect(await fail(email)).toBe('credentials');
    const refused = await one.signIn(email.toUpperCase(), password, newIp());
    expect(refused).toMatchObject({ ok: false, reason: 'budget' });
    expect(refused.ok || refused.reason !== 'budget' || refused.retryAfterSeconds).toBeGreaterThan(890);
  });

  test('is ten for an IPv4 address, written as IPv6 or not', async () => {
    for (let failure = 1; failure <= 10; failure += 1) await fail(`someone${failure}@example.com`, '192.0.2.7');
    const { email } = await makeAccount(database.db);
    expect(outcome(await one.signIn(email, password, '::ffff:192.0.2.7'))).toBe('budget');
    expect(outcome(await one.signIn(email, password, '192.0.2.8'))).toBe('ok');
  });

  test('is ten for an IPv6 /64', async () => {
    for (let failure = 1; failure <= 10; failure += 1) {
      await fail(`anyone${failure}@example.com`, `2001:db8:1:2::${failure}`);
    }
    const { email } = await makeAccount(database.db);
    expect(outcome(await one.signIn(email, password, '2001:db8:1:2:ffff:ffff:ffff:ffff'))).toBe('budget');
    expect(outcome(await one.signIn(email, password, '2001:db8:1:3::1'))).toBe('ok');
  });

  test('is exact for guesses in parallel on two processes, over both interfaces', async () => {
    const { email } = await makeAccount(database.db, { phoneConfirmed: true });
    const guesses = Array.from({ length: 60 }, (_, guess) =>
      (guess % 2 ? one : two).signIn(email, `guess ${guess}`, newIp()),
    );
    const reasons = (await Promise.all(guesses)).map(outcome);
    expect(reasons.filter((reason) => reason === 'credentials')).toHaveLength(10);
    expect(await two.apiLogin(email, password, newIp())).toBeNull();
  });

  test('is not used by logins that succeed, nor given back by them', async () => {
    const { email } = await makeAccount(database.db);
    for (let failure = 1; failure <= 9; failure += 1) await fail(email);
    for (let login = 1; login <= 12; login += 1) {
      expect(outcome(await one.signIn(email, password, newIp()))).toBe('ok');
    }
    expect(await fail(email)).toBe('credentials');
    expect(await fail(email)).toBe('budget');
  });

  test('of a network is not cleared by somebody who knows one password', async () => {
    const own = await makeAccount(database.db);
    const ip = newIp();
    for (let failure = 1; failure <= 10; failure += 1) {
      await fail(`victim${failure}@example.com`, ip);
      if (failure < 10) await one.signIn(own.email, password, ip);
    }
    expect(outcome(await one.signIn(own.email, password, ip))).toBe('budget');
  });

  test('of an address used up does not use up the budget of who tries it', async () => {
    const { email } = await makeAccount(database.db);
    for (let failure = 1; failure <= 10; failure += 1) await fail(email);
    const ip = newIp();
    for (let refusal = 1; refusal <= 15; refusal += 1) expect(await fail(email, ip)).toBe('budget');
    expect(outcome(await one.signIn((await makeAccount(database.db)).email, password, ip))).toBe('ok');
  });

  test('begins anew after 15 minutes, and old windows are swept', async () => {
    const { email } = await makeAccount(database.db);
    for (let failure = 1; failure <= 10; failure += 1) await fail(email);
    const older = (minutes: number) =>
      sql`update login_failures set window_started_at = window_started_at - make_interval(mins => ${minutes})`.execute(
        database.db,
      );
    await older(14);
    expect(await fail(email)).toBe('budget');
    await older(1);
    expect(outcome(await one.signIn(email, password, newIp()))).toBe('ok');
    await older(15);
    expect(await sweepLoginFailures(database.db)).toBeGreaterThan(10);
    const { rows } = await sql`select 1 from login_failures`.execute(database.db);
    expect(rows).toHaveLength(0);
  });

  test('keeps no e-mail address in plain', async () => {
    await fail('someone.private@example.com');
    const { rows } = await sql<{ subject: string }>`select subject from login_failures`.execute(database.db);
    expect(rows.map(({ subject }) => subject).join()).not.toContain('private');
  });
});

describe('a login that cannot be checked', () => {
  test.each([
    ['an address with NUL', 'ana\0@example.com', password],
    ['an address with half a surrogate pair', 'ana\ud83d@example.com', password],
    ['a password with NUL', 'ana@example.com', 'correct\0horse'],
  ])('%s is refused like a wrong one', async (_, email, secret) => {
    expect(outcome(await one.signIn(email, secret, newIp()))).toBe('credentials');
    expect(await one.apiLogin(email, secret, newIp())).toBeNull();
  });
});
