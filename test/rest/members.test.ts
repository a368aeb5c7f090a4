import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { Visitor } from '../pages/visitor.js';
import { orderBody } from '../support/bodies.js';
import { accessToken, ask, clientsFor, must } from '../support/http.js';
import {
  choosePassword,
  invite,
  MEMBER_PASSWORD,
  type MemberRole,
  newMember,
  newMemberEmail,
} from '../support/members.js';
import { PASSWORD } from '../support/password.js';
import { waitFor } from '../support/receiver.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService, replicated } from '../support/services.js';
import { ABSENT_ID, refusal } from './refusal.js';

/** The people of an account (contracts/guides/behaviour.md#identity-and-access), on two replicas of one database. */

const { db, env } = await replicated();
const service = { ...(await ownService(env)), db };
const replica = await ownService(env);

const at = (id: string) => ({ params: { path: { id } } });
const choose = (token: string, password?: string) => choosePassword(service.url, token, password);
const memberOf = (owner: Pick<Caller, 'rest'>, role?: MemberRole) => newMember(service.url, owner, role);

const me = async (token: string, url = service.url) => (await ask(url, 'GET', '/api/v1/users/me', { token })).status;
const ended = async (token: string) => {
  for (const url of [service.url, replica.url])
    await waitFor(async () => (await me(token, url)) === 401, 'the end of the token');
};

describe('an invitation', () => {
  test('shows its link once, to no cache; only its hash is stored', async () => {
    const ana = await service.customer();
    const answer = await invite(ana);
    const { member, link } = must(answer);
    const headers = { 'cache-control': 'no-store', location: `/api/v1/members/${member.id}` };
    expect(Object.fromEntries(answer.response.headers)).toMatchObject(headers);
    expect(link.url.endsWith(`/envios/password/${link.token}`)).toBe(true);
    const hours = (Date.parse(link.expires_at) - Date.now()) / 3_600_000;
    expect([hours > 71, hours <= 72.01]).toEqual([true, true]);
    const stored = await db.selectFrom('members').selectAll().where('id', '=', member.id).executeTakeFirst();
    expect(JSON.stringify(stored)).not.toContain(link.token);
    expect(member).toMatchObject({ user_id: ana.id, role: 'shipper', state: 'invited' });
  });

  test('lets the person choose a password once, and then sign in to the account', async () => {
    const ana = await service.customer();
    const { member, link } = must(await invite(ana));
    expect((await choose(link.token)).status).toBe(204);
    expect(await choose(link.token)).toMatchObject({ status: 401, text: expect.stringContaining('link_invalid') });
    const token = await accessToken(service.url, { email: member.email, password: MEMBER_PASSWORD });
    const { text } = await ask(service.url, 'GET', '/api/v1/users/me', { token });
    expect(JSON.parse(text)).toMatchObject({ id: ana.id, email: ana.email });
    const { rest } = clientsFor(service.url, token);
    const own = must(await rest.GET('/api/v1/members/{id}', at('me')));
    expect(own).toEqual({ ...member, state: 'active' });
  });

  test('that two people use at once gives one of them the account', async () => {
    const { link } = must(await invite(await service.customer()));
    const answers = await Promise.all([choose(link.token), choose(link.token, 'another long password')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
  });

  test('ends after 72 hours, when another link replaces it, and with the member', async () => {
    const ana = await service.customer();
    const [late, replaced, removed] = [must(await invite(ana)), must(await invite(ana)), must(await invite(ana))];
    await db.updateTable('members').set({ link_expires_at: new Date() }).where('id', '=', late.member.id).execute();
    const renewed = must(await ana.rest.POST('/api/v1/members/{id}/invitation', at(replaced.member.id)));
    await ana.rest.DELETE('/api/v1/members/{id}', at(removed.member.id));
    for (const { link } of [late, replaced, removed]) expect((await choose(link.token)).status).toBe(401);
    expect((await choose(renewed.token)).status).toBe(204);
  });

  test('is 409 for an e-mail address that any user or member has, in any case', async () => {
    const [ana, bob] = [await service.customer(), await service.customer()];
    const { member } = must(await invite(ana));
    for (const email of [bob.email, bob.email.toUpperCase(), member.email])
      expect(refusal(await invite(ana, { email }))).toBe('409 CONFLICT email');
    const user = { name: 'Bia', phone: '+55 11 98888-7777', password: PASSWORD, email: member.email };
    expect(refusal(await service.operator.rest.POST('/api/v1/users', { body: user }))).toBe('409 CONFLICT email');
  });

  test('to an e-mail address is made once, even when several requests come at the same time', async () => {
    const email = newMemberEmail();
    const owners = await Promise.all([service.customer(), service.customer(), service.customer()]);
    const answers = await Promise.all(owners.map((owner) => invite(owner, { email })));
    expect(answers.map(({ response }) => response.status).sort()).toEqual([201, 409, 409]);
  });

  test('for a customer’s account can be sent by an operator, but not by another account', async () => {
    const [ana, bob] = [await service.customer(), await service.customer()];
    expect(must(await invite(service.operator, { user_id: ana.id })).member.user_id).toBe(ana.id);
    expect(refusal(await invite(service.operator))).toBe('400 VALIDATION_ERROR user_id');
    expect(refusal(await invite(service.operator, { user_id: ABSENT_ID }))).toBe('400 VALIDATION_ERROR user_id');
    expect(refusal(await invite(ana, { user_id: bob.id }))).toBe('400 VALIDATION_ERROR user_id');
  });

  test('is refused beyond a hundred members', async () => {
    const ana = await service.customer();
    const rows = Array.from({ length: 100 }, (_, at) => ({
      ...{ id: `0193aaaa-0000-7000-8000-${String(at).padStart(12, '0')}`, account_id: ana.id, name: 'x' },
      ...{ email: newMemberEmail(), role: 'viewer' as const },
    }));
    await db.insertInto('members').values(rows).execute();
    expect(refusal(await invite(ana))).toBe('409 CONFLICT');
  });
});

describe('a member', () => {
  test('places orders of the account, which all members see', async () => {
    const ana = await service.customer();
    const [shipper, viewer] = [await memberOf(ana), await memberOf(ana, 'viewer')];
    const { id } = must(await shipper.rest.POST('/api/v1/orders', { body: orderBody() }));
    expect(must(await viewer.rest.GET('/api/v1/orders/{id}', at(id))).id).toBe(id);
    expect(refusal(await viewer.rest.POST('/api/v1/orders', { body: orderBody() }))).toBe('403 FORBIDDEN');
  });

  test('gets no API key by GraphQL unless they are an owner, whose key is the account’s', async () => {
    const ana = await service.customer({ phoneConfirmed: true });
    const query =
      'mutation($email: String!, $password: String!) { login(input: {email: $email, password: $password}) { user { email apiKey } } }';
    const keyOf = async (variables: object) => {
      const { text } = await ask(service.url, 'POST', '/graphql', { body: { query, variables } });
      return JSON.parse(text).data.login.user;
    };
    const own = await keyOf({ email: ana.email, password: PASSWORD });
    expect(await keyOf((await memberOf(ana, 'owner')).login)).toEqual(own);
    for (const role of ['shipper', 'viewer'] as const)
      expect(await keyOf((await memberOf(ana, role)).login)).toBeNull();
  });

  test('is signed out everywhere within a second when the role changes, and has the other rights then', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana, 'owner');
    must(await ana.rest.PUT('/api/v1/members/{id}', { ...at(bia.id), body: { name: 'Bia', role: 'viewer' } }));
    await ended(bia.token);
    const { rest } = clientsFor(service.url, await accessToken(service.url, bia.login));
    expect(refusal(await invite({ rest }))).toBe('403 FORBIDDEN');
  });

  test('keeps tokens when only the name changes', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana);
    const body = { name: 'Beatriz Ramos', role: 'shipper' } as const;
    expect(must(await ana.rest.PUT('/api/v1/members/{id}', { ...at(bia.id), body })).name).toBe(body.name);
    expect(await me(bia.token)).toBe(200);
  });

  test('is signed out everywhere by the removal, which also frees the e-mail address', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana);
    expect((await ana.rest.DELETE('/api/v1/members/{id}', at(bia.id))).response.status).toBe(204);
    await ended(bia.token);
    const login = await ask(service.url, 'POST', '/auth/login', { body: bia.login });
    expect(login.status).toBe(401);
    expect(refusal(await ana.rest.GET('/api/v1/members/{id}', at(bia.id)))).toBe('404 NOT_FOUND');
    must(await invite(await service.customer(), { email: bia.email }));
  });

  test('loses their API keys when they are removed, unless an owner keeps the keys', async () => {
    const ana = await service.customer();
    const isRevoked = async (id: string) =>
      must(await ana.rest.GET('/api/v1/api-keys/{id}', at(id))).revoked_at !== undefined;
    for (const keep_api_keys of [false, true]) {
      const bia = await memberOf(ana, 'owner');
      const { api_key } = must(await bia.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
      const params = { path: { id: bia.id }, query: { keep_api_keys } };
      await ana.rest.DELETE('/api/v1/members/{id}', { params });
      expect(await isRevoked(api_key.id)).toBe(!keep_api_keys);
    }
  });

  test('changes their own password, which ends their tokens; a wrong one is refused', async () => {
    const bia = await memberOf(await service.customer());
    const change = (current_password: string) =>
      bia.rest.PUT('/api/v1/members/me/password', { body: { current_password, password: 'a third long password' } });
    expect(refusal(await change('not the password'))).toBe('400 VALIDATION_ERROR current_password');
    expect((await change(MEMBER_PASSWORD)).response.status).toBe(204);
    await ended(bia.token);
    await accessToken(service.url, { ...bia.login, password: 'a third long password' });
  });

  test('changes their own name in any role; the account’s own sign-in changes the account’s name', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana, 'viewer');
    const rename = ({ rest }: Pick<Caller, 'rest'>, name: string) =>
      rest.PUT('/api/v1/members/me/name', { body: { name } });
    expect(must(await rename(bia, 'Beatriz'))).toMatchObject({ id: bia.id, name: 'Beatriz', role: 'viewer' });
    expect(must(await rename(ana, 'Loja da Ana'))).toMatchObject({ id: ana.id, name: 'Loja da Ana' });
    expect(must(await bia.rest.GET('/api/v1/users/me'))).toMatchObject({ name: 'Loja da Ana', email: ana.email });
    expect(await me(bia.token)).toBe(200);
  });

  test('succeeds with only one of two changes of the password at once', async () => {
    const bia = await memberOf(await service.customer());
    const passwords = ['a third long password', 'a fourth long password'];
    const change = (password: string) =>
      bia.rest.PUT('/api/v1/members/me/password', { body: { current_password: MEMBER_PASSWORD, password } });
    const answers = await Promise.all(passwords.map(change));
    const done = passwords.filter((_, at) => answers[at]?.response.status === 204);
    expect(done).toHaveLength(1);
    await accessToken(service.url, { ...bia.login, password: done[0] ?? '' });
  });

  test('ends with the account, and does not come back with it', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana);
    await service.operator.rest.DELETE('/api/v1/users/{id}', at(ana.id));
    await ended(bia.token);
    const body = { password: PASSWORD, current_password: operatorLogin.password };
    must(await service.operator.operator.POST('/operator/v1/users/{id}/reactivation', { ...at(ana.id), body }));
    expect((await ask(service.url, 'POST', '/auth/login', { body: bia.login })).status).toBe(401);
  });

  test('never has the rights of an operator: the account of an operator has no members', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana, 'owner');
    await db.updateTable('accounts').set({ role: 'operator' }).where('id', '=', ana.id).execute();
    expect((await ask(service.url, 'POST', '/auth/login', { body: bia.login })).status).toBe(401);
  });

  test('cannot be seen or changed by another account', async () => {
    const [ana, bob] = [await service.customer(), await service.customer()];
    const bia = await memberOf(ana);
    const body = { name: 'Mallory', role: 'owner' } as const;
    const answers = [
      await bob.rest.GET('/api/v1/members/{id}', at(bia.id)),
      await bob.rest.PUT('/api/v1/members/{id}', { ...at(bia.id), body }),
      await bob.rest.DELETE('/api/v1/members/{id}', at(bia.id)),
      await bob.rest.POST('/api/v1/members/{id}/invitation', at(bia.id)),
    ];
    expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404]);
    const { data } = must(await bob.rest.GET('/api/v1/members', { params: { query: {} } }));
    expect(data.map(({ id }) => id)).toEqual([bob.id]);
  });
});

describe('a process of release 1.9, which knows no members,', () => {
  test('accepts no token and no session of a member as the account’s own', async () => {
    const bia = await memberOf(await service.customer(), 'viewer');
    const visitor = new Visitor(service.url);
    await visitor.signIn(bia.login);
    expect(visitor.page.path).toBe('/envios');
    expect(jwt.decode(bia.token, { json: true })).toMatchObject({ aud: 'malote-members' });
    const sessions = await db
      .selectFrom('operator_sessions')
      .innerJoin('accounts', 'accounts.id', 'account_id')
      .select('member_id')
      .whereRef('operator_sessions.epoch', '=', 'accounts.epoch')
      .where('member_id', '=', bia.id)
      .execute();
    expect(sessions).toEqual([]);
  });
});

describe('the account’s own sign-in', () => {
  test('is listed last, as an owner whom nobody can change or remove', async () => {
    const ana = await service.customer();
    const bia = await memberOf(ana, 'owner');
    const { data } = must(await bia.rest.GET('/api/v1/members', { params: { query: {} } }));
    expect(data.map(({ id, role }) => [id, role])).toEqual([
      [bia.id, 'owner'],
      [ana.id, 'owner'],
    ]);
    const body = { name: 'Ana', role: 'viewer' } as const;
    const answers = [
      await bia.rest.PUT('/api/v1/members/{id}', { ...at(ana.id), body }),
      await bia.rest.DELETE('/api/v1/members/{id}', at(ana.id)),
      await bia.rest.POST('/api/v1/members/{id}/invitation', at(ana.id)),
    ];
    expect(answers.map(refusal)).toEqual(['409 CONFLICT', '409 CONFLICT', '409 CONFLICT']);
  });
});
