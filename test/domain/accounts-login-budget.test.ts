import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Identity } from '../../src/accounts/identity.js';
import { sweepLoginFailures } from '../../src/accounts/login-budget.js';
import { sweepSignInNetworks } from '../../src/accounts/networks.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount, newIp, PASSWORD, startIdentity } from './accounts-fixtures.js';

const database = await ownDatabase();
let one: Identity;
let two: Identity;

beforeAll(async () => {
  [one, two] = await Promise.all([startIdentity(database.db), startIdentity(database.db)]);
});
afterAll(() => Promise.all([one.stop(), two.stop()]));

const outcome = (result: Awaited<ReturnType<Identity['signIn']>>) => (result.ok ? 'ok' : result.reason);
const fail = async (email: string, ip = newIp()) => outcome(await one.signIn(email, 'not the password', ip));

/** Sets the number of failed logins of an address or a network. At least one login has failed before. */
async function setFailures(kind: 'email' | 'network', text: string, failures: number): Promise<void> {
  const subject = sql`${`${kind}:`}::text || encode(sha256(convert_to(lower(${text}::text), 'UTF8')), 'hex')`;
  const update = sql`update login_failures set failures = ${failures} where subject = ${subject}`;
  expect(await update.execute(database.db)).toMatchObject({ numAffectedRows: 1n });
}

/** Uses up the budget of an address: a hundred failed logins, from networks that no other test uses. */
async function exhaust(email: string): Promise<void> {
  await fail(email);
  await setFailures('email', email, 100);
}

const older = (minutes: number) =>
  sql`update login_failures set window_started_at = window_started_at - make_interval(mins => ${minutes})`.execute(
    database.db,
  );

describe('the budget of failed logins', () => {
  const addresses: [string, () => Promise<string>][] = [
    ['a known address', async () => (await makeAccount(database.db)).email],
    ['an unknown address', async () => `nobody${newIp()}@example.com`],
  ];
  test.each(addresses)(
    'is ten for %s from one network; then even the right password is refused there',
    async (_, address) => {
      const [email, ip] = [await address(), newIp()];
      for (let failure = 1; failure <= 10; failure += 1) expect(await fail(email, ip)).toBe('credentials');
      const refused = await one.signIn(email.toUpperCase(), PASSWORD, ip);
      expect(refused).toMatchObject({ ok: false, reason: 'budget' });
      expect(refused.ok || refused.reason !== 'budget' || refused.retryAfterSeconds).toBeGreaterThan(890);
      expect(await fail(email)).toBe('credentials');
    },
  );

  test.each(addresses)('is a hundred for %s over all networks', async (_, address) => {
    const email = await address();
    expect(await fail(email)).toBe('credentials');
    await setFailures('email', email, 98);
    expect([await fail(email), await fail(email)]).toEqual(['credentials', 'credentials']);
    expect(outcome(await two.signIn(email, PASSWORD, newIp()))).toBe('budget');
  });

  test.each([
    ['an IPv4 address, written as IPv6 or not', '192.0.2.7', '192.0.2.7', '::ffff:192.0.2.7', '192.0.2.8'],
    ['an IPv6 /64', '2001:db8:1:2::/64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:3::1'],
  ])('is fifty for %s', async (_, network, ip, same, other) => {
    expect(await fail('someone1@example.com', ip)).toBe('credentials');
    await setFailures('network', network, 49);
    expect(await fail('someone2@example.com', ip)).toBe('credentials');
    const { email } = await makeAccount(database.db);
    expect(outcome(await one.signIn(email, PASSWORD, same))).toBe('budget');
    expect(outcome(await one.signIn(email, PASSWORD, other))).toBe('ok');
  });

  test('is exact for guesses in parallel on two processes, over both interfaces', async () => {
    const { email } = await makeAccount(database.db, { phoneConfirmed: true });
    const ip = newIp();
    const guessFrom = (address: () => string) => (_: unknown, guess: number) =>
      (guess % 2 ? one : two).signIn(email, `guess ${guess}`, address());
    const counted = async (guesses: number, address: () => string) => {
      const answers = await Promise.all(Array.from({ length: guesses }, guessFrom(address)));
      return answers.map(outcome).filter((reason) => reason === 'credentials').length;
    };
    expect(await counted(60, () => ip)).toBe(10);
    expect(await two.apiLogin(email, PASSWORD, ip)).toBeNull();
    // The budget that all networks share counts no guess that another budget refused.
    expect(await counted(60, newIp)).toBe(60);
    expect(await counted(60, newIp)).toBe(30);
  });

  test('is neither used nor reset by successful logins', async () => {
    const [{ email }, ip] = [await makeAccount(database.db), newIp()];
    for (let failure = 1; failure <= 9; failure += 1) await fail(email, ip);
    for (let login = 1; login <= 12; login += 1) expect(outcome(await one.signIn(email, PASSWORD, ip))).toBe('ok');
    expect(await fail(email, ip)).toBe('credentials');
    expect(await fail(email, ip)).toBe('budget');
  });

  test('is not reset for a network by a person who knows one password', async () => {
    const own = await makeAccount(database.db);
    const ip = newIp();
    await fail('victim1@example.com', ip);
    await setFailures('network', ip, 48);
    for (const failure of [49, 50]) {
      expect(await fail(`victim${failure}@example.com`, ip)).toBe('credentials');
      if (failure === 49) expect(outcome(await one.signIn(own.email, PASSWORD, ip))).toBe('ok');
    }
    expect(await fail('victim51@example.com', ip)).toBe('budget');
  });

  test('is not used for a network by an address whose own budget is used up', async () => {
    const { email } = await makeAccount(database.db);
    await exhaust(email);
    const ip = newIp();
    await fail('another@example.com', ip);
    await setFailures('network', ip, 49);
    for (const _ of [1, 2]) expect(await fail(email, ip)).toBe('budget');
    expect(outcome(await one.signIn((await makeAccount(database.db)).email, PASSWORD, ip))).toBe('ok');
  });

  test('begins anew after 15 minutes, and old windows are swept', async () => {
    const [{ email }, ip] = [await makeAccount(database.db), newIp()];
    for (let failure = 1; failure <= 10; failure += 1) await fail(email, ip);
    await older(14);
    expect(await fail(email, ip)).toBe('budget');
    await older(1);
    expect(outcome(await one.signIn(email, PASSWORD, ip))).toBe('ok');
    await older(15);
    expect(await sweepLoginFailures(database.db)).toBeGreaterThan(10);
    const { rows } = await sql`select 1 from login_failures`.execute(database.db);
    expect(rows).toHaveLength(0);
  });

  test('stores no e-mail address and no IP address in plain text', async () => {
    await fail('someone.private@example.com', '198.51.100.77');
    const { rows } = await sql<{ subject: string }>`select subject from login_failures`.execute(database.db);
    expect(rows.map(({ subject }) => subject).join()).not.toMatch(/private|198\.51/);
  });

  test('takes the same number of statements for an unknown address as for a wrong password', async () => {
    const { email } = await makeAccount(database.db);
    const statements: string[][] = [];
    for (const address of [email, 'never.seen@example.com']) {
      const answers: string[] = [];
      const counting = database.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          answers.push(String(result.rows.length));
          return result;
        },
      });
      const identity = await startIdentity(counting, { pollDb: database.db });
      await identity.signIn(address, 'not the password', newIp());
      statements.push(answers);
      await identity.stop();
    }
    expect(statements[0]).toEqual(statements[1]);
    expect(statements[0]?.length).toBeGreaterThan(1);
  });
});

describe('a network from which the account signed in', () => {
  const days = (age: number) =>
    sql`update sign_in_networks set signed_in_at = now() - make_interval(days => ${age})`.execute(database.db);

  test('is not locked out by failures from other networks, or by other people in it', async () => {
    const [{ email }, home] = [await makeAccount(database.db, { phoneConfirmed: true }), newIp()];
    expect(await one.apiLogin(email, PASSWORD, home)).not.toBeNull();
    await exhaust(email);
    await fail('neighbour@example.com', home);
    await setFailures('network', home, 50);
    expect(outcome(await two.signIn(email, PASSWORD, newIp()))).toBe('budget');
    expect(outcome(await two.signIn(email, PASSWORD, home))).toBe('ok');
    expect(await one.apiLogin(email, PASSWORD, home)).not.toBeNull();
  });

  test('is refused after ten failed logins of the account', async () => {
    const [{ email }, home] = [await makeAccount(database.db), newIp()];
    await one.signIn(email, PASSWORD, home);
    for (let failure = 1; failure <= 10; failure += 1) expect(await fail(email, home)).toBe('credentials');
    expect(outcome(await one.signIn(email, PASSWORD, home))).toBe('budget');
  });

  test('is known only for that account, for 30 days, and only after a successful login', async () => {
    const [ana, bruno, home] = [await makeAccount(database.db), await makeAccount(database.db), newIp()];
    await one.signIn(ana.email, PASSWORD, home);
    await fail(bruno.email, home);
    await Promise.all([exhaust(ana.email), exhaust(bruno.email)]);
    expect(outcome(await one.signIn(bruno.email, PASSWORD, home))).toBe('budget');
    await days(29);
    expect(outcome(await one.signIn(ana.email, PASSWORD, home))).toBe('ok');
    await days(31);
    expect(outcome(await one.signIn(ana.email, PASSWORD, home))).toBe('budget');
    expect(await sweepSignInNetworks(database.db)).toBeGreaterThan(0);
    expect((await sql`select 1 from sign_in_networks`.execute(database.db)).rows).toHaveLength(0);
  });

  test('is stored without its address, and an account keeps its latest fifty', async () => {
    const ana = await makeAccount(database.db);
    const own = () => database.db.selectFrom('sign_in_networks').selectAll().where('account_id', '=', ana.id).execute();
    await sql`
      insert into sign_in_networks (account_id, network, signed_in_at)
      select ${ana.id}, sha256(n::text::bytea), now() - n * interval '1 hour' from generate_series(1, 51) n`.execute(
      database.db,
    );
    await one.signIn(ana.email, PASSWORD, '192.0.2.52');
    const rows = await own();
    expect(Math.min(...rows.map(({ signed_in_at }) => +signed_in_at))).toBeGreaterThan(Date.now() - 50 * 3_600_000);
    expect(rows).toHaveLength(50);
    expect(JSON.stringify(rows)).not.toContain('192.0.2');
    await one.signIn(ana.email, PASSWORD, '192.0.2.52');
    expect(await own()).toEqual(rows);
  });
});

describe('a login that cannot be checked', () => {
  test.each([
    ['an address with NUL', 'ana\0@example.com', PASSWORD],
    ['an address with half a surrogate pair', 'ana\ud83d@example.com', PASSWORD],
    ['a password with NUL', 'ana@example.com', 'correct\0horse'],
  ])('is refused like a wrong password: %s', async (_, email, secret) => {
    expect(outcome(await one.signIn(email, secret, newIp()))).toBe('credentials');
    expect(await one.apiLogin(email, secret, newIp())).toBeNull();
  });
});
