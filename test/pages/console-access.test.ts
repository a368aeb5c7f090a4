import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { at } from '../operator/fixtures.js';
import { PASSWORD } from '../support/password.js';
import { authenticator as authenticatorOf, newOperator } from '../support/second-factor.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The sign-in to the console, and the end of sessions. */

const service = await ownService({ TRUST_PROXY: '1', PUBLIC_URL: 'https://malote.example' });
const strict = await ownService({ REQUIRE_SECOND_FACTOR: '1' });

const COOKIE = '__Host-malote-session';
let addresses = 0;

/** A visitor from a new address, so that tests do not share budgets. */
const visitor = (where = service) => new Visitor(where.url, { 'X-Forwarded-For': `10.1.2.${++addresses}` });

async function signedIn() {
  const visit = visitor();
  const login = await newOperator(service);
  await visit.signIn(login);
  expect(visit.page.path).toBe('/console');
  return { visit, ...login };
}

describe('signing in', () => {
  test('gives an operator a secret that no script and no other site can use', async () => {
    const visit = visitor();
    const sent = { method: 'POST', redirect: 'manual', body: new URLSearchParams(operatorLogin) } as const;
    const answer = await fetch(`${service.url}/console/sign-in`, sent);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-malote-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect((await visit.signIn(operatorLogin)).text).toContain(operatorLogin.email);
    const { headers } = visit.page;
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual(['DENY', 'nosniff']);
  });

  test('makes a new secret each time, and the database has only its hash', async () => {
    const first = await signedIn();
    const before = first.visit.cookies.get(COOKIE) ?? '';
    await first.visit.signIn(first);
    const after = first.visit.cookies.get(COOKIE) ?? '';
    expect(after).not.toBe(before);
    const hashes = sql<{ hash: string }>`select encode(hash, 'escape') as hash from operator_sessions`;
    expect((await hashes.execute(service.db)).rows.every(({ hash }) => hash !== after && hash !== before)).toBe(true);
  });
});

describe('a session ends', () => {
  const ended = async (visit: Visitor) => expect((await visit.get('/console')).path).toMatch(/^\/console\/sign-in/);
  const age = (accountId: string, column: string, by: string) =>
    sql`update operator_sessions set ${sql.ref(column)} = now() - ${by}::interval where account_id = ${accountId}`.execute(
      service.db,
    );

  test.each([
    ['30 minutes after its last use', 'used_at', '31 minutes'],
    ['12 hours after its sign-in', 'created_at', '12 hours 1 minute'],
  ])('%s', async (_when, column, by) => {
    const { visit, id } = await signedIn();
    await age(id, column, by);
    await ended(visit);
  });

  test('but not while it is used', async () => {
    const { visit, id } = await signedIn();
    await age(id, 'used_at', '29 minutes');
    expect((await visit.get('/console')).path).toBe('/console');
    const { rows } = await sql<{ fresh: boolean }>`
      select used_at > now() - interval '1 minute' as fresh from operator_sessions where account_id = ${id}`.execute(
      service.db,
    );
    expect(rows).toEqual([{ fresh: true }]);
  });

  test('at the sign-out, for everybody who has its secret', async () => {
    const { visit } = await signedIn();
    const secret = visit.cookies.get(COOKIE) ?? '';
    await visit.submit('/console/sign-out');
    expect([visit.page.path, visit.cookies.has(COOKIE)]).toEqual(['/console/sign-in', false]);
    visit.cookies.set(COOKIE, secret);
    await ended(visit);
  });

  test('when the password or the role changes, or the account is deleted', async () => {
    for (const change of ['password', 'role', 'deletion'] as const) {
      const { visit, id, email } = await signedIn();
      const proof = { current_password: operatorLogin.password };
      const body = { email, name: 'Olga', phone: '+55 11 91234-5678', ...proof };
      const other = change === 'role' ? { role: 'customer' as const } : { password: 'another password' };
      if (change === 'deletion') await service.operator.rest.DELETE('/api/v1/users/{id}', at(id));
      else await service.operator.rest.PUT('/api/v1/users/{id}', { ...at(id), body: { ...body, ...other } });
      await ended(visit);
    }
  });
});

describe('a form', () => {
  test('is refused without the token of the session, and with the token of another session', async () => {
    const { visit } = await signedIn();
    const other = await signedIn();
    const token = other.visit.held('/console/sign-out')['form_token'] ?? '';
    for (const fields of [{}, { form_token: token }])
      expect(await visit.post('/console/sign-out', fields)).toMatchObject({ status: 403 });
    expect((await visit.get('/console')).path).toBe('/console');
  });

  test('is refused when it comes from another site or is too large', async () => {
    const { visit } = await signedIn();
    const fields = visit.held('/console/sign-out');
    const from = (site: string) => {
      const elsewhere = new Visitor(service.url, { 'Sec-Fetch-Site': site });
      for (const [name, value] of visit.cookies) elsewhere.cookies.set(name, value);
      return elsewhere.post('/console/sign-out', fields);
    };
    expect((await from('cross-site')).status).toBe(403);
    expect((await from('same-site')).status).toBe(403);
    expect((await visit.post('/console/sign-out', { ...fields, more: 'x'.repeat(70_000) })).status).toBe(413);
    expect((await from('same-origin')).path).toBe('/console/sign-in');
  });
});

describe('a second factor', () => {
  const secretOn = (page: string): string =>
    (/<code class="secret">([A-Z2-7 ]+)</.exec(page)?.[1] ?? '').replaceAll(' ', '');

  /** The codes of a test count from one time, so that they differ. They are valid for a step or two longer. */
  const authenticator = (page: string) => authenticatorOf(secretOn(page), Date.now());

  async function begin(visit: Visitor): Promise<string> {
    await visit.get('/console/second-factor');
    return (await visit.submit('/console/second-factor')).text;
  }

  const confirm = '/console/second-factor/confirmation';

  async function enrolled() {
    const { visit, ...login } = await signedIn();
    const text = await begin(visit);
    const codeOf = authenticator(text);
    expect(text).toMatch(/<img class="qr" src="data:image\/svg\+xml;base64,/);
    const { text: confirmed } = await visit.submit(confirm, { code: codeOf(), current_password: PASSWORD });
    const recovery = [...confirmed.matchAll(/<code>([A-Z2-7]{4}(?:-[A-Z2-7]{4}){3})</g)].map(([, code = '']) => code);
    expect(recovery).toHaveLength(10);
    return { visit, ...login, codeOf, recoveryCode: recovery[0] ?? '' };
  }

  test('is not in force until a right code and the password are given', async () => {
    const { visit, ...login } = await signedIn();
    const text = await begin(visit);
    const given = { code: authenticator(text)(), current_password: PASSWORD };
    const wrongCode = await visit.submit(confirm, { ...given, code: '000000' });
    const wrongPassword = await visit.submit(confirm, { ...given, current_password: 'another password' });
    const noPassword = await visit.submit(confirm, { ...given, current_password: '' });
    for (const wrong of [wrongCode, wrongPassword, noPassword])
      expect([wrong.status, secretOn(wrong.text)]).toEqual([400, secretOn(text)]);
    expect(wrongCode.text).toContain('O código não vale');
    expect(wrongPassword.text).toContain('A senha está errada.');
    expect((await visitor().signIn(login)).path).toBe('/console');
  });

  test('has a new secret each time, and is confirmed only by the session that began it', async () => {
    const { visit, ...login } = await signedIn();
    const other = visitor();
    await other.signIn(login);
    const [foreign, first, second] = [await begin(other), await begin(visit), await begin(visit)];
    expect(new Set([foreign, first, second].map(secretOn)).size).toBe(3);
    const enrolment = other.held(confirm)['enrolment'] ?? '';
    const refused = await visit.submit(confirm, {
      enrolment,
      code: authenticator(foreign)(),
      current_password: PASSWORD,
    });
    expect([refused.status, secretOn(refused.text) === secretOn(foreign)]).toEqual([400, false]);
    expect((await visitor().signIn(login)).path).toBe('/console');
    const given = { code: authenticator(refused.text)(), current_password: PASSWORD };
    expect((await visit.submit(confirm, given)).status).toBe(200);
  });

  test('is asked for after the password, under a new session secret; a code works once, and older codes do not', async () => {
    const { codeOf, recoveryCode, ...login } = await enrolled();
    const visit = visitor();
    expect((await visit.signIn(login)).path).toBe('/console/code');
    const waiting = visit.cookies.get(COOKIE);
    expect((await visit.get('/console/packages')).path).toBe('/console/code');
    expect((await visit.submit('/console/code', { code: codeOf() })).status).toBe(401);
    expect((await visit.submit('/console/code', { code: codeOf(-1) })).status).toBe(401);
    expect((await visit.submit('/console/code', { code: codeOf(1) })).path).toBe('/console');
    expect(visit.cookies.get(COOKIE)).not.toBe(waiting);
    const again = visitor();
    await again.signIn(login);
    expect((await again.submit('/console/code', { code: codeOf(1) })).status).toBe(401);
    expect((await again.submit('/console/code', { code: recoveryCode })).path).toBe('/console');
  });

  test('cannot be guessed: ten wrong codes from any addresses use up a budget', async () => {
    const { codeOf, ...login } = await enrolled();
    for (let failure = 1; failure <= 10; failure += 1) {
      const visit = visitor();
      await visit.signIn(login);
      expect((await visit.submit('/console/code', { code: '000000' })).status).toBe(401);
    }
    const visit = visitor();
    await visit.signIn(login);
    expect((await visit.submit('/console/code', { code: codeOf(1) })).status).toBe(429);
  });

  test('is removed only by another operator who has one, which ends the sessions', async () => {
    const { visit, id, email, password } = await enrolled();
    const removal = `/console/users/${id}/second-factor-removal`;
    const without = await signedIn();
    const withFactor = await enrolled();
    const statuses: number[] = [];
    for (const by of [visit, without.visit, withFactor.visit]) statuses.push((await by.end(removal)).status);
    expect(statuses).toEqual([403, 403, 200]);
    expect((await visit.get('/console')).path).toBe('/console/sign-in?ended');
    expect((await visit.signIn({ email, password })).path).toBe('/console');
  });

  test('must be set up before anything else if it is required', async () => {
    const visit = visitor(strict);
    expect((await visit.signIn(operatorLogin)).path).toBe('/console/second-factor');
    expect((await visit.get('/console/packages')).path).toBe('/console/second-factor');
    const given = { code: authenticator(await begin(visit))(), current_password: operatorLogin.password };
    await visit.submit(confirm, given);
    expect((await visit.get('/console')).path).toBe('/console');
  });
});
