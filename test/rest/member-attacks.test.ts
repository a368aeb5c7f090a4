import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { Visitor } from '../pages/visitor.js';
import { orderBody, tokenForm } from '../support/bodies.js';
import { ask, clientsFor, must } from '../support/http.js';
import { choosePassword, invite, MEMBER_PASSWORD, newMember } from '../support/members.js';
import { PASSWORD } from '../support/password.js';
import { blobOf, jpeg } from '../support/pictures.js';
import type { Caller } from '../support/service.js';
import { ownService, replicated } from '../support/services.js';
import { refusal } from './refusal.js';

/**
 * Attacks on the people of an account: by invitations, by roles, and by people who were removed. Two replicas of one
 * database answer. Pages of `/envios` hold no connection open, so a removed member has no stream that goes on: the only
 * stream belongs to a recipient's page, which a link opens for anybody. A download that has begun goes on.
 */

const { db, env } = await replicated();
const service = { ...(await ownService(env)), db };
const replica = await ownService(env);
const strict = await ownService({ ...env, RATE_LIMIT_PUBLIC_PER_HOUR: '5' });
const { url } = service;

const wrongLink = `mil_${'A'.repeat(43)}`;

const at = (id: string) => ({ params: { path: { id } } });
const choose = (token: string, password?: string) => choosePassword(url, token, password);
const login = (email: string, password: string) => ask(url, 'POST', '/auth/login', { body: { email, password } });

/** Every process knows of a change after this time. */
const SECOND_MS = 1_000;

/** Statuses of both replicas, a second after the change that ended the token. */
async function answersToEnded(token: string): Promise<number[]> {
  await pause(SECOND_MS);
  const answers = [url, replica.url].map((base) => ask(base, 'GET', '/api/v1/orders', { token }));
  return (await Promise.all(answers)).map(({ status }) => status);
}

const removeMember = ({ rest }: Pick<Caller, 'rest'>, id: string, keep_api_keys = false) =>
  rest.DELETE('/api/v1/members/{id}', { params: { path: { id }, query: { keep_api_keys } } });
const demote = ({ rest }: Pick<Caller, 'rest'>, id: string, role: 'shipper' | 'viewer', keep_api_keys = false) =>
  rest.PUT('/api/v1/members/{id}', {
    params: { path: { id }, query: { keep_api_keys } },
    body: { name: 'Bia', role },
  });

/** The account's API key, which the GraphQL login answers. */
async function derivedKey(email: string, password: string): Promise<string> {
  const query = 'mutation($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
  const { text } = await ask(url, 'POST', '/graphql', { body: { query, variables: { input: { email, password } } } });
  return JSON.parse(text).data.login.user.apiKey;
}

/** True if GraphQL accepts the key. */
async function opens(email: string, key: string): Promise<boolean> {
  const headers = { Authorization: `ApiKey ${email}:${key}` };
  const { text } = await ask(url, 'POST', '/graphql', { headers, body: { query: '{ paymentMethods { id } }' } });
  return JSON.parse(text).errors === undefined;
}

const exchange = async (id: string, secret: string) =>
  (await ask(url, 'POST', '/auth/token', { body: tokenForm(id, secret) })).status;

describe('an invitation', () => {
  test('cannot be guessed: after too many wrong links an address is refused for an hour, even with the right one', async () => {
    const { link } = must(await invite(await service.customer()));
    const headers = { 'X-Forwarded-For': '10.7.7.7' };
    const guess = async (token: string) => {
      const body = { token, password: MEMBER_PASSWORD };
      return (await ask(strict.url, 'POST', '/auth/password-change', { body, headers })).status;
    };
    const statuses = [];
    for (let times = 0; times < 6; times += 1) statuses.push(await guess(wrongLink));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await guess(link.token)).toBe(429);
    expect((await choose(link.token)).status).toBe(204);
  });

  test('that was used, replaced or revoked is answered like a wrong one', async () => {
    const ana = await service.customer();
    const [used, replaced, revoked] = [must(await invite(ana)), must(await invite(ana)), must(await invite(ana))];
    await choose(used.link.token);
    must(await ana.rest.POST('/api/v1/members/{id}/invitation', at(replaced.member.id)));
    await removeMember(ana, revoked.member.id);
    const links = [used, replaced, revoked].map(({ link }) => link.token);
    const texts = await Promise.all([wrongLink, ...links].map(async (link) => (await choose(link)).text));
    expect(new Set(texts).size).toBe(1);
  });

  test('in the hands of a stranger opens only the invited address, until the owner makes another link', async () => {
    const ana = await service.customer();
    const { member, link } = must(await invite(ana));
    const stolen = { token: link.token, password: 'the password of a thief', email: 'thief@example.com' };
    const withEmail = await ask(url, 'POST', '/auth/password-change', { body: stolen });
    expect(withEmail.status).toBe(400);
    await choose(link.token, stolen.password);
    expect((await login(stolen.email, stolen.password)).status).toBe(401);
    const { access_token } = JSON.parse((await login(member.email, stolen.password)).text);

    const { data } = must(await ana.rest.GET('/api/v1/members', { params: { query: {} } }));
    expect(data.find(({ id }) => id === member.id)?.state).toBe('active');
    const again = must(await ana.rest.POST('/api/v1/members/{id}/invitation', at(member.id)));
    await choose(again.token);
    expect(await answersToEnded(access_token)).toEqual([401, 401]);
    expect((await login(member.email, stolen.password)).status).toBe(401);
    expect((await login(member.email, MEMBER_PASSWORD)).status).toBe(200);
  });

  test('that two accept at once makes one member with one password', async () => {
    const ana = await service.customer();
    const { member, link } = must(await invite(ana));
    const passwords = ['the first of two', 'the second of two'];
    const answers = await Promise.all(passwords.map((password) => choose(link.token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
    const logins = await Promise.all(passwords.map((password) => login(member.email, password)));
    expect(logins.map(({ status }) => status)).toEqual(answers.map(({ status }) => (status === 204 ? 200 : 401)));
    const { data } = must(await ana.rest.GET('/api/v1/members', { params: { query: {} } }));
    expect(data).toHaveLength(2);
  });

  test('that is accepted while it is revoked leaves no way in', async () => {
    const ana = await service.customer();
    const { member, link } = must(await invite(ana));
    await Promise.all([choose(link.token), removeMember(ana, member.id)]);
    expect((await login(member.email, MEMBER_PASSWORD)).status).toBe(401);
    expect((await choose(link.token)).status).toBe(401);
  });
});

describe('a role is not raised', () => {
  test('by a request body: not one’s own role, not that of an invitation, not that of the account', async () => {
    const ana = await service.customer();
    const [bia, viewer] = [await newMember(url, ana), await newMember(url, ana, 'viewer')];
    const raised = { name: 'Bia', role: 'owner' } as const;
    for (const { rest, id } of [bia, viewer]) {
      expect(refusal(await rest.PUT('/api/v1/members/{id}', { ...at(id), body: raised }))).toBe('403 FORBIDDEN');
      expect(refusal(await invite({ rest }, { role: 'owner' }))).toBe('403 FORBIDDEN');
    }
    const own = (token: string, path: string, body: object) => ask(url, 'PUT', path, { token, body });
    const named = await own(bia.token, '/api/v1/members/me/name', raised);
    const password = { current_password: MEMBER_PASSWORD, password: 'another long one', role: 'owner' };
    const changed = await own(bia.token, '/api/v1/members/me/password', password);
    const { link } = must(await invite(ana));
    const linked = { token: link.token, password: MEMBER_PASSWORD, role: 'owner' };
    const chosen = await ask(url, 'POST', '/auth/password-change', { body: linked });
    expect([named.status, changed.status, chosen.status]).toEqual([400, 400, 400]);
    const owner = await newMember(url, ana, 'owner');
    const { email, name, phone } = must(await owner.rest.GET('/api/v1/users/me'));
    const user = { email, name, phone, role: 'operator' } as const;
    expect(refusal(await owner.rest.PUT('/api/v1/users/{id}', { ...at(ana.id), body: user }))).toBe('403 FORBIDDEN');
    expect((await own(ana.token, `/api/v1/members/${bia.id}`, { name: 'Bia', role: 'operator' })).status).toBe(400);
  });

  test('by an API key: only owners make one, and a change of role ends keys that have wider rights', async () => {
    const ana = await service.customer();
    for (const role of ['shipper', 'viewer'] as const) {
      const { rest } = await newMember(url, ana, role);
      expect(refusal(await rest.POST('/api/v1/api-keys', { body: { name: 'x', scope: 'read' } }))).toBe(
        '403 FORBIDDEN',
      );
    }
    const bia = await newMember(url, ana, 'owner');
    const keyOf = async (scope: 'read' | 'all') =>
      must(await bia.rest.POST('/api/v1/api-keys', { body: { name: 'x', scope } }));
    const [all, read] = [await keyOf('all'), await keyOf('read')];
    must(await demote(ana, bia.id, 'shipper'));
    expect(await exchange(all.api_key.id, all.secret)).toBe(200);
    must(await demote(ana, bia.id, 'viewer'));
    expect([await exchange(all.api_key.id, all.secret), await exchange(read.api_key.id, read.secret)]).toEqual([
      401, 200,
    ]);
  });

  test('by a token of the earlier role: no replica accepts it a second after the change', async () => {
    const ana = await service.customer();
    const bia = await newMember(url, ana, 'owner');
    must(await demote(ana, bia.id, 'viewer'));
    expect(await answersToEnded(bia.token)).toEqual([401, 401]);
    const { access_token } = JSON.parse((await login(bia.login.email, MEMBER_PASSWORD)).text);
    const { rest } = clientsFor(replica.url, access_token);
    expect(refusal(await rest.POST('/api/v1/orders', { body: orderBody() }))).toBe('403 FORBIDDEN');
  });
});

describe('a removed member', () => {
  test('has no valid key left: no named key or token of it, and not the account’s key, which an owner could know', async () => {
    const ana = await service.customer({ phoneConfirmed: true });
    const bia = await newMember(url, ana, 'owner');
    const { api_key, secret } = must(await bia.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
    const { text } = await ask(url, 'POST', '/auth/token', { body: tokenForm(api_key.id, secret) });
    const derived = await derivedKey(bia.login.email, MEMBER_PASSWORD);
    expect([await opens(ana.email, derived), await opens(ana.email, secret)]).toEqual([true, true]);
    await removeMember(ana, bia.id);
    expect(await answersToEnded(JSON.parse(text).access_token)).toEqual([401, 401]);
    expect(await exchange(api_key.id, secret)).toBe(401);
    expect([await opens(ana.email, derived), await opens(ana.email, secret)]).toEqual([false, false]);
    expect(await opens(ana.email, await derivedKey(ana.email, PASSWORD))).toBe(true);
  });

  test('leaves the account’s key as it is if they were no owner, or if keys are kept', async () => {
    const ana = await service.customer({ phoneConfirmed: true });
    const derived = await derivedKey(ana.email, PASSWORD);
    await removeMember(ana, (await newMember(url, ana)).id);
    await removeMember(ana, (await newMember(url, ana, 'owner')).id, true);
    must(await demote(ana, (await newMember(url, ana, 'owner')).id, 'shipper', true));
    expect(await opens(ana.email, derived)).toBe(true);
    must(await demote(ana, (await newMember(url, ana, 'owner')).id, 'shipper'));
    expect(await opens(ana.email, derived)).toBe(false);
  });

  test('has no session at /envios left, on either replica', async () => {
    const ana = await service.customer();
    const bia = await newMember(url, ana, 'owner');
    const visitors = [new Visitor(url), new Visitor(replica.url)];
    for (const visitor of visitors) {
      await visitor.signIn(bia.login);
      expect(visitor.page.path).toBe('/envios');
    }
    await removeMember(ana, bia.id);
    for (const visitor of visitors) expect((await visitor.get('/envios')).path).toBe('/envios/sign-in?ended');
    expect(await db.selectFrom('operator_sessions').select('hash').where('member_id', '=', bia.id).execute()).toEqual(
      [],
    );
  });

  test('stores nothing by an upload that had begun: it is refused when it has arrived', async () => {
    const ana = await service.customer();
    const bia = await newMember(url, ana, 'owner');
    const headers = { authorization: `Bearer ${bia.token}`, 'content-type': 'application/octet-stream' };
    const upload = await halfSent('PUT', `${url}/api/v1/branding/logo`, headers, jpeg());
    await removeMember(ana, bia.id);
    await pause(SECOND_MS);
    expect(await upload()).toBe(401);
    expect(must(await ana.rest.GET('/api/v1/branding')).logo).toBeUndefined();
  });

  test('stores nothing by a form of /envios whose upload had begun', async () => {
    const ana = await service.customer();
    const bia = await newMember(url, ana, 'owner');
    const visitor = new Visitor(url);
    await visitor.signIn(bia.login);
    await visitor.get('/envios/branding');
    const form = new FormData();
    for (const [name, value] of Object.entries(visitor.held('/envios/branding/logo'))) form.set(name, value);
    form.set('file', blobOf(jpeg()), 'logo.jpg');
    const sent = new Response(form);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'content-type': sent.headers.get('content-type') ?? '', origin: url };
    const upload = await halfSent(
      'POST',
      `${url}/envios/branding/logo`,
      headers,
      Buffer.from(await sent.arrayBuffer()),
    );
    await removeMember(ana, bia.id);
    await pause(SECOND_MS);
    expect(await upload()).toBe(401);
    expect(must(await ana.rest.GET('/api/v1/branding')).logo).toBeUndefined();
  });
});

/** Sends the first half of a body; the function that it resolves to sends the rest, and resolves to the status. */
async function halfSent(method: string, address: string, headers: Record<string, string>, body: Buffer) {
  const half = body.length >> 1;
  const sending = request(address, { method, headers: { ...headers, 'content-length': String(body.length) } });
  sending.write(body.subarray(0, half));
  await pause(200);
  return async (): Promise<number | undefined> => {
    sending.end(body.subarray(half));
    const [answer] = await once(sending, 'response');
    return answer.statusCode;
  };
}
