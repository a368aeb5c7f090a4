import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { sweepNamedKeys } from '../../src/accounts/named-keys.js';
import { orderBody } from '../support/bodies.js';
import { ask, must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { waitFor } from '../support/receiver.js';
import { giveFactor, newOperator } from '../support/second-factor.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService, replicated } from '../support/services.js';
import { ABSENT_ID, refusal } from './refusal.js';

/** Named keys of an account (contracts/guides/behaviour.md#identity-and-access), on two replicas of one database. */

const { db, env } = await replicated();
const service = { ...(await ownService(env)), db };
const replica = await ownService(env);

const at = (id: string) => ({ params: { path: { id } } });
const make = ({ rest }: Caller, body: object = {}) =>
  rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all', ...body } });
const keyOf = async (caller: Caller, body: object = {}) => must(await make(caller, body));
const revoke = ({ rest }: Caller, id: string) => rest.DELETE('/api/v1/api-keys/{id}', at(id));
const listed = async ({ rest }: Caller) => must(await rest.GET('/api/v1/api-keys', { params: { query: {} } })).data;
const isRevoked = async (caller: Caller, id: string) =>
  must(await caller.rest.GET('/api/v1/api-keys/{id}', at(id))).revoked_at !== undefined;

interface Form {
  headers?: Record<string, string>;
  text?: string;
}

let clients = 0;

/** Sends a form to the token endpoint, from a network of its own. */
async function exchange(fields: object, { headers = {}, text }: Form = {}) {
  const body = text ?? new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
  clients += 1;
  const network = { 'X-Forwarded-For': `198.51.${clients >> 8}.${clients & 255}` };
  const type = { 'Content-Type': 'application/x-www-form-urlencoded', ...network };
  const answer = await fetch(`${service.url}/auth/token`, { method: 'POST', headers: { ...type, ...headers }, body });
  return { status: answer.status, headers: answer.headers, said: JSON.parse(await answer.text()) };
}
type Key = Awaited<ReturnType<typeof keyOf>>;
const credentials = ({ api_key, secret }: Key) => ({ client_id: api_key.id, client_secret: secret });
const tokenOf = async (key: Key, fields: object = {}): Promise<string> =>
  (await exchange({ ...credentials(key), ...fields })).said.access_token;
const basic = (text: string) => ({ headers: { Authorization: `Basic ${Buffer.from(text).toString('base64')}` } });

const me = async (token: string, { url } = service) =>
  (await fetch(`${url}/api/v1/users/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
const ended = (token: string, { url } = service) =>
  waitFor(async () => (await me(token, { ...service, url })) === 401, 'the end of the token');

describe('a key', () => {
  test('shows its secret once, to no cache; only its hash is stored', async () => {
    const ana = await service.customer();
    const answer = await make(ana, { scope: 'read', expires_at: '2099-01-01T00:00:00Z' });
    const { api_key: key, secret } = must(answer);
    expect(answer.response.status).toBe(201);
    const headers = { 'cache-control': 'no-store', location: `/api/v1/api-keys/${key.id}` };
    expect(Object.fromEntries(answer.response.headers)).toMatchObject(headers);
    expect(secret).toMatch(/^mak_[\w-]{43}$/);
    expect(key).toMatchObject({ user_id: ana.id, name: 'Shop', scope: 'read', expires_at: '2099-01-01T00:00:00.000Z' });
    expect(must(await ana.rest.GET('/api/v1/api-keys/{id}', at(key.id)))).toEqual(key);
    const stored = await db.selectFrom('api_keys').selectAll().where('id', '=', key.id).execute();
    expect(JSON.stringify([stored, stored.map(({ hash }) => String(hash))])).not.toContain(secret.slice(4));
  });

  test('is refused when its end is in the past', async () => {
    const answer = await make(await service.customer(), { expires_at: '2026-01-01T00:00:00Z' });
    expect(refusal(answer)).toBe('400 VALIDATION_ERROR expires_at');
  });

  test('stays in the list after its end, newest first; ending it again changes nothing', async () => {
    const ana = await service.customer();
    const [first, second] = [await keyOf(ana), await keyOf(ana, { name: 'Stock' })];
    expect((await revoke(ana, first.api_key.id)).response.status).toBe(204);
    const [newest, oldest] = await listed(ana);
    expect([newest, oldest?.id]).toEqual([second.api_key, first.api_key.id]);
    expect((await revoke(ana, first.api_key.id)).response.status).toBe(204);
    expect(await listed(ana)).toEqual([newest, oldest]);
  });

  test('is refused beyond twenty that are valid, even when many are made at once', async () => {
    const ana = await service.customer();
    const answers = await Promise.all(Array.from({ length: 25 }, () => make(ana)));
    const [made, refused] = [answers.filter(({ data }) => data), answers.filter(({ error }) => error)];
    expect(made).toHaveLength(20);
    expect(refused.map(refusal)).toEqual(Array(5).fill('409 CONFLICT'));
    await revoke(ana, must(made[0] as (typeof made)[0]).api_key.id);
    const [, one] = await listed(ana);
    await sql`update api_keys set expires_at = now() where id = ${one?.id}`.execute(db);
    expect([(await make(ana)).response.status, (await make(ana)).response.status]).toEqual([201, 201]);
    const { error } = await make(ana);
    expect(error?.error).toMatchObject({ code: 'CONFLICT', reason: 'too_many_api_keys' });
  });

  test('leaves the list a month after its end', async () => {
    const ana = await service.customer();
    const [gone, recent, live] = [await keyOf(ana), await keyOf(ana), await keyOf(ana)];
    const end = (id: string, days: number) =>
      sql`update api_keys set revoked_at = now() - make_interval(days => ${days}) where id = ${id}`.execute(db);
    await end(gone.api_key.id, 31);
    await end(recent.api_key.id, 29);
    await sweepNamedKeys(db);
    expect((await listed(ana)).map(({ id }) => id)).toEqual([live.api_key.id, recent.api_key.id]);
  });
});

describe('a key ends', () => {
  const put = async (by: Caller, { id, email }: Caller, change: object) => {
    const body = { email, name: 'Ana', phone: '+55 11 91234-5678', ...change };
    expect((await by.rest.PUT('/api/v1/users/{id}', { ...at(id), body })).response.status).toBe(200);
  };
  const changed = { password: 'another long password', current_password: PASSWORD };

  test.each([
    [{}, true],
    [{ keep_api_keys: false }, true],
    [{ keep_api_keys: true }, false],
  ])('when the password of its account changes, unless the change keeps keys: %j', async (keep, ends) => {
    const ana = await service.customer();
    const key = await keyOf(ana);
    const token = await tokenOf(key);
    await put(ana, ana, { ...changed, ...keep });
    expect(await isRevoked(service.operator, key.api_key.id)).toBe(ends);
    // A change of password ends every token. A key that was kept can get a new token.
    await ended(token);
    expect((await exchange(credentials(key))).status).toBe(ends ? 401 : 200);
  });

  test('when the role of its account changes, but not when the name changes', async () => {
    const ana = await service.customer();
    const key = await keyOf(ana);
    await put(service.operator, ana, { name: 'Ana Lima' });
    expect(await isRevoked(service.operator, key.api_key.id)).toBe(false);
    await put(service.operator, ana, {
      role: 'operator',
      keep_api_keys: true,
      current_password: operatorLogin.password,
    });
    expect(await isRevoked(service.operator, key.api_key.id)).toBe(true);
  });

  test('when a process of an earlier release changes the password', async () => {
    const ana = await service.customer();
    const key = await keyOf(ana);
    await sql`update accounts set password_hash = 'other', epoch = epoch + 1 where id = ${ana.id}`.execute(db);
    expect(await isRevoked(service.operator, key.api_key.id)).toBe(true);
  });

  test('when its account is deleted, and no row of it is left', async () => {
    const ana = await service.customer();
    const key = await keyOf(ana);
    const token = await tokenOf(key);
    await service.operator.rest.DELETE('/api/v1/users/{id}', at(ana.id));
    expect(await db.selectFrom('api_keys').select('id').where('account_id', '=', ana.id).execute()).toEqual([]);
    expect((await exchange(credentials(key))).status).toBe(401);
    await ended(token, replica);
  });

  test('together with all its tokens, on every replica soon after its revocation', async () => {
    const ana = await service.customer();
    const [key, other] = [await keyOf(ana), await keyOf(ana)];
    const [token, narrower, others] = [await tokenOf(key), await tokenOf(key, { scope: 'read' }), await tokenOf(other)];
    expect([await me(token), await me(token, replica), await me(narrower, replica)]).toEqual([200, 200, 200]);
    await revoke(ana, key.api_key.id);
    expect(await me(token)).toBe(401);
    await Promise.all([ended(token, replica), ended(narrower, replica)]);
    expect([await me(others), await me(others, replica), await me(ana.token)]).toEqual([200, 200, 200]);
    expect((await exchange(credentials(key))).status).toBe(401);
  });

  test('at its own time, and no token outlives it', async () => {
    const key = await keyOf(await service.customer(), { expires_at: new Date(Date.now() + 1_800_000).toISOString() });
    const { said } = await exchange(credentials(key));
    const end = Math.floor(Date.parse(key.api_key.expires_at ?? '') / 1000);
    expect(jwt.decode(said.access_token)).toMatchObject({ exp: end });
    expect(said.expires_in).toBeLessThanOrEqual(1800);
    await sql`update api_keys set expires_at = now() where id = ${key.api_key.id}`.execute(db);
    expect((await exchange(credentials(key))).status).toBe(401);
  });
});

describe('the token endpoint', () => {
  test('answers as RFC 6749 says, and lets no cache store the answer', async () => {
    const ana = await service.customer();
    const key = await keyOf(ana);
    const { status, headers, said } = await exchange(credentials(key));
    const shown = { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600, scope: 'all' };
    expect([status, said]).toEqual([200, shown]);
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    const { iss: _, iat: __, exp: ___, jti: ____, ...claims } = Object(jwt.decode(said.access_token));
    const ofKey = { client_id: key.api_key.id, scope: 'all' };
    expect(claims).toEqual({ sub: ana.id, role: 'customer', epoch: 1, aud: 'malote-rest', ...ofKey });
    expect(await me(said.access_token)).toBe(200);
  });

  test('takes the credentials in the form or by HTTP Basic, escaped or not', async () => {
    const { client_id: id, client_secret: secret } = credentials(await keyOf(await service.customer()));
    const escaped = (text: string) => text.replace(/[-_]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
    const ways = [basic(`${id}:${secret}`), basic(`${escaped(id)}:${escaped(secret)}`)];
    for (const way of ways) expect((await exchange({}, way)).status).toBe(200);
    expect((await exchange({ client_id: id }, ways[0])).status).toBe(200);
    expect((await exchange({ client_id: id, client_secret: secret, resource: 'x', scope: '' })).status).toBe(200);
  });

  test('answers the same error whether the id or the secret is wrong', async () => {
    const ana = await service.customer();
    const [key, revoked] = [await keyOf(ana), await keyOf(ana)];
    await revoke(ana, revoked.api_key.id);
    const { client_id, client_secret } = credentials(key);
    const wrong = [
      { client_id, client_secret: credentials(revoked).client_secret },
      { client_id, client_secret: `${client_secret}a` },
      { client_id: ABSENT_ID, client_secret },
      { client_id: 'nobody', client_secret },
      { client_id: ana.id, client_secret },
      { client_id: ana.email, client_secret: PASSWORD },
      credentials(revoked),
    ];
    const answers = [
      ...(await Promise.all(wrong.map((fields) => exchange(fields)))),
      ...(await Promise.all(wrong.map((each) => exchange({}, basic(`${each.client_id}:${each.client_secret}`))))),
    ];
    const said = { error: 'invalid_client', error_description: 'There is no live API key of this id and secret.' };
    for (const answer of answers) {
      expect([answer.status, answer.said]).toEqual([401, said]);
      expect(answer.headers.get('www-authenticate')).toBe('Basic realm="malote"');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  describe('counts wrong secrets as failed logins', () => {
    const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
    const statusOf = async (fields: object, ip: string) => (await exchange(fields, from(ip))).status;
    const times = <T>(count: number, work: (at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, at) => work(at)));

    test('after ten for a key from one network, the right secret is refused there and accepted elsewhere', async () => {
      const [key, other] = [await keyOf(await service.customer()), await keyOf(await service.customer())];
      const wrong = { ...credentials(key), client_secret: 'mak_wrong' };
      const statuses = await times(12, () => statusOf(wrong, '192.0.2.1'));
      expect(statuses.toSorted()).toEqual([...Array(10).fill(401), 429, 429]);
      const { status, headers, said } = await exchange(credentials(key), from('192.0.2.1'));
      expect([status, said.error]).toEqual([429, 'temporarily_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(800);
      expect(await statusOf(credentials(key), '192.0.2.2')).toBe(200);
      expect(await statusOf(credentials(other), '192.0.2.1')).toBe(200);
    });

    test('after fifty from one network, logins included, only keys that were used there before get a token', async () => {
      const [key, known] = [await keyOf(await service.customer()), await keyOf(await service.customer())];
      expect(await statusOf(credentials(known), '192.0.2.3')).toBe(200);
      const login = { headers: from('192.0.2.3').headers, body: { email: 'nobody@malote.test', password: 'wrong' } };
      expect((await ask(service.url, 'POST', '/auth/login', login)).status).toBe(401);
      const wrong = () => statusOf({ client_id: randomUUID(), client_secret: 'mak_wrong' }, '192.0.2.3');
      expect((await times(50, wrong)).filter((status) => status === 429)).toHaveLength(1);
      expect(await statusOf(credentials(key), '192.0.2.3')).toBe(429);
      expect(await statusOf(credentials(known), '192.0.2.3')).toBe(200);
    });

    test('but not those of an impossible client id, and no right secret', async () => {
      const key = await keyOf(await service.customer());
      expect(await times(60, () => statusOf({ ...credentials(key), client_id: 'shop' }, '192.0.2.4'))).not.toContain(
        429,
      );
      expect(await times(60, () => statusOf(credentials(key), '192.0.2.4'))).not.toContain(429);
    });
  });

  test('refuses with the errors of RFC 6749, 5.2', async () => {
    const ana = await service.customer();
    const [key, reading] = [await keyOf(ana), await keyOf(ana, { scope: 'read' })];
    const { client_id: id, client_secret: secret } = credentials(key);
    const sent = (fields: object, form: Form = {}) => exchange({ ...credentials(key), ...fields }, form);
    const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
    const answers: [number, string, ReturnType<typeof sent>][] = [
      [400, 'invalid_request', sent({ grant_type: '' })],
      [400, 'unsupported_grant_type', sent({ grant_type: 'password', username: ana.email, password: PASSWORD })],
      [400, 'invalid_scope', exchange({ ...credentials(reading), scope: 'all' })],
      [400, 'invalid_scope', sent({ scope: 'write' })],
      [400, 'invalid_request', sent({}, { text: `${form}&scope=read&scope=read` })],
      [400, 'invalid_request', sent({}, basic(`${id}:${secret}`))],
      [400, 'invalid_request', exchange({ client_id: ABSENT_ID }, basic(`${id}:${secret}`))],
      [401, 'invalid_client', exchange({ client_id: id })],
      [401, 'invalid_client', exchange({}, { headers: { Authorization: `Bearer ${ana.token}` } })],
      [401, 'invalid_client', exchange({}, basic('%zz'))],
      [413, 'invalid_request', sent({ padding: 'x'.repeat(5_000) })],
      [415, 'invalid_request', sent({}, { headers: { 'Content-Type': 'application/json' } })],
      [400, 'invalid_request', sent({}, { text: '' })],
    ];
    for (const [status, error, answer] of answers) {
      const { said, ...other } = await answer;
      expect([other.status, said]).toEqual([
        status,
        { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
      ]);
    }
    // Another method is refused as at any other path.
    const other = await fetch(`${service.url}/auth/token`);
    expect([other.status, await other.json()]).toMatchObject([405, { error: { code: 'METHOD_NOT_ALLOWED' } }]);
  });

  test('narrows the scope when the request asks for it', async () => {
    const key = await keyOf(await service.customer());
    for (const scope of ['read', 'all', 'read all']) {
      const { said } = await exchange({ ...credentials(key), scope });
      expect(said.scope).toBe(scope === 'read' ? 'read' : 'all');
    }
  });
});

describe('a token of a key', () => {
  test('has the rights of a sign-in without a second factor when an operator made the key', async () => {
    const operator = await newOperator(service);
    const key = await keyOf(await service.signIn(operator));
    await giveFactor(service, operator.id);
    const withoutFactor = service.caller(operator, await tokenOf(key));
    expect((await withoutFactor.rest.GET('/api/v1/users/me')).response.status).toBe(200);
    const { response, error } = await withoutFactor.rest.POST('/api/v1/orders', { body: orderBody() });
    expect([response.status, error?.error.reason]).toEqual([403, 'second_factor_required']);
  });

  test('counts against the account, as its other requests do', async () => {
    const ana = await service.customer();
    const caller = service.caller(ana, await tokenOf(await keyOf(ana)));
    const left = async ({ rest }: Caller) =>
      Number((await rest.GET('/api/v1/users/me')).response.headers.get('x-ratelimit-remaining'));
    const first = await left(ana);
    expect(await left(caller)).toBe(first - 1);
  });
});
