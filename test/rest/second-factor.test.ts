import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { ask, clientsFor, must } from '../support/http.js';
import { MEMBER_PASSWORD, type MemberRole, newMember } from '../support/members.js';
import { PASSWORD } from '../support/password.js';
import { enrolPerson } from '../support/second-factor.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

/** The second factor of the people of an account (contracts/guides/behaviour.md#identity-and-access). */

const now = Date.now();
const clock = () => new Date(now);
const service = await ownService({ TRUST_PROXY: '1' }, { worker: false, clock });
const { db, url } = service;

const at = (id: string) => ({ params: { path: { id } } });
const statusOf = async (token: string) => (await ask(url, 'GET', '/api/v1/orders', { token })).status;

/** A member with a second factor. The member got `token` with it, and `before` without it. */
async function enrolledMember(owner: Pick<Caller, 'rest'>, role: MemberRole = 'shipper') {
  const member = await newMember(url, owner, role);
  const { token, ...factor } = await enrolPerson(url, member.token, MEMBER_PASSWORD, now);
  return { ...member, ...factor, before: member.token, token, ...clientsFor(url, token) };
}

/** A customer whose own sign-in has a second factor. */
async function enrolledCustomer() {
  const ana = await service.customer({ phoneConfirmed: true });
  const { token, ...factor } = await enrolPerson(url, ana.token, PASSWORD, now);
  return { ...ana, ...factor, token, ...clientsFor(url, token) };
}

let addresses = 0;

/** Logs in from a new address. Resolves to status and reason, and to the token. */
async function signIn(body: object, ip = `10.8.${addresses >> 8}.${++addresses & 255}`) {
  const { status, text } = await ask(url, 'POST', '/auth/login', { body, headers: { 'X-Forwarded-For': ip } });
  const { error, access_token: token } = JSON.parse(text);
  return { outcome: [status, error?.reason], token: String(token) };
}

/** The API key that the GraphQL login answers; null if the login is refused. */
async function apiKeyOf(input: object): Promise<string | null> {
  const query = 'mutation($input: LoginInput!) { login(input: $input) { user { apiKey } } }';
  const { text } = await ask(url, 'POST', '/graphql', { body: { query, variables: { input } } });
  return JSON.parse(text).data.login.user?.apiKey ?? null;
}

describe('setting up a second factor', () => {
  test('is possible for every member by a code and the password, and ends their earlier tokens but no other person’s', async () => {
    const ana = await service.customer();
    const cid = await newMember(url, ana);
    for (const role of ['owner', 'shipper', 'viewer'] as const) {
      const bia = await enrolledMember(ana, role);
      expect(bia.recoveryCodes).toHaveLength(10);
      expect([await statusOf(bia.before), await statusOf(bia.token)]).toEqual([401, 200]);
      const { data } = must(await ana.rest.GET('/api/v1/members', { params: { query: {} } }));
      expect(data.map(({ id, second_factor: has }) => [id, has])).toContainEqual([bia.id, true]);
    }
    expect([await statusOf(cid.token), await statusOf(ana.token)]).toEqual([200, 200]);
  });

  test('is refused without the password, with a wrong one or a wrong code, by another token, and twice', async () => {
    const bia = await newMember(url, await service.customer());
    const begun = must(await bia.rest.POST('/api/v1/members/me/second-factor'));
    const body = { enrolment: begun.enrolment, code: '000000', current_password: MEMBER_PASSWORD };
    const confirm = (change: object, { rest }: Pick<Caller, 'rest'> = bia) =>
      rest.POST('/api/v1/members/me/second-factor/confirmation', { body: { ...body, ...change } });
    expect(refusal(await confirm({}))).toBe('400 VALIDATION_ERROR code');
    const { codeOf } = await enrolPerson(url, bia.token, MEMBER_PASSWORD, now);
    const { token } = await signIn({ ...bia.login, code: codeOf(1) });
    const again = clientsFor(url, token);
    expect(refusal(await confirm({}, again))).toBe('400 VALIDATION_ERROR enrolment');
    expect(refusal(await again.rest.POST('/api/v1/members/me/second-factor'))).toBe('409 CONFLICT');
    const cid = await newMember(url, await service.customer());
    const other = must(await cid.rest.POST('/api/v1/members/me/second-factor'));
    const withoutPassword = { enrolment: other.enrolment, current_password: undefined };
    expect(refusal(await confirm(withoutPassword, cid))).toBe('400 VALIDATION_ERROR code');
  });

  test('is in the account’s audit log, like the removal; the secret is stored only encrypted', async () => {
    const ana = await service.customer();
    const bia = await enrolledMember(ana);
    const removal = { body: { code: bia.codeOf(1) } };
    expect((await bia.rest.POST('/api/v1/members/me/second-factor/removal', removal)).response.status).toBe(204);
    const { data } = must(await ana.rest.GET('/api/v1/audit-log', { params: { query: { actor_id: bia.id } } }));
    const entries = data.map(({ operation, fields }) => [operation, fields]);
    expect(entries).toEqual([
      ['removeOwnSecondFactor', ['code']],
      ['confirmOwnSecondFactor', ['enrolment', 'code', 'current_password']],
      ['useMemberLink', ['token', 'password']],
    ]);
  });
});

describe('signing in with a second factor', () => {
  test('asks for a code when the password is right; each code works once', async () => {
    const { login, codeOf, recoveryCodes } = await enrolledMember(await service.customer());
    const [recovery = ''] = recoveryCodes;
    expect((await signIn(login)).outcome).toEqual([403, 'second_factor_required']);
    expect((await signIn({ ...login, password: 'wrong' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: '000000' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: codeOf() })).outcome).toEqual([401, 'login_failed']);
    const { outcome, token } = await signIn({ ...login, code: codeOf(1) });
    expect([outcome, await statusOf(token)]).toEqual([[200, undefined], 200]);
    expect(jwt.decode(token, { json: true })).toMatchObject({ aud: 'malote-members', amr: ['pwd', 'otp'] });
    expect((await signIn({ ...login, code: recovery.toLowerCase() })).outcome).toEqual([200, undefined]);
    expect((await signIn({ ...login, code: recovery })).outcome).toEqual([401, 'login_failed']);
  });

  test('is refused after ten wrong codes of a person, from any address', async () => {
    const { login, codeOf } = await enrolledMember(await service.customer());
    for (let failure = 1; failure <= 10; failure += 1)
      expect((await signIn({ ...login, code: '000000' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: codeOf(1) })).outcome).toEqual([429, 'too_many_failures']);
  });

  test('is asked of the account’s own sign-in if it has one; members without one need no code', async () => {
    const ana = await enrolledCustomer();
    const login = { email: ana.email, password: PASSWORD };
    expect((await signIn(login)).outcome).toEqual([403, 'second_factor_required']);
    expect((await signIn({ ...login, code: ana.codeOf(1) })).outcome).toEqual([200, undefined]);
    const bia = await newMember(url, ana);
    expect((await signIn(bia.login)).outcome).toEqual([200, undefined]);
  });

  test('by GraphQL answers null without the code, or with a wrong one', async () => {
    const ana = await enrolledCustomer();
    const owner = await enrolledMember(ana, 'owner');
    const login = { email: ana.email, password: PASSWORD };
    for (const wrong of [login, { ...login, code: null }, { ...login, code: '000000' }, owner.login])
      expect(await apiKeyOf(wrong)).toBeNull();
    const key = await apiKeyOf({ ...login, code: ana.codeOf(1) });
    expect(key).toEqual(expect.any(String));
    expect(await apiKeyOf({ ...owner.login, code: owner.codeOf(1) })).toBe(key);
  });

  test('does not concern API keys, which need no code', async () => {
    const ana = await service.customer();
    const { api_key, secret } = must(await ana.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
    await enrolPerson(url, ana.token, PASSWORD, now);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: api_key.id,
      client_secret: secret,
    });
    const answer = await fetch(`${url}/auth/token`, { method: 'POST', body: form });
    const { access_token } = JSON.parse(await answer.text());
    expect(await statusOf(access_token)).toBe(200);
  });
});

describe('removing a second factor', () => {
  test('takes one of its codes, and signs the person out', async () => {
    const bia = await enrolledMember(await service.customer());
    const remove = (code: string) => bia.rest.POST('/api/v1/members/me/second-factor/removal', { body: { code } });
    expect(refusal(await remove('000000'))).toBe('400 VALIDATION_ERROR code');
    expect((await remove(bia.recoveryCodes[0] ?? '')).response.status).toBe(204);
    expect(await statusOf(bia.token)).toBe(401);
    const { outcome, token } = await signIn(bia.login);
    expect(outcome).toEqual([200, undefined]);
    const { rest } = clientsFor(url, token);
    const none = await rest.POST('/api/v1/members/me/second-factor/removal', { body: { code: bia.codeOf(1) } });
    expect(refusal(none)).toBe('404 NOT_FOUND');
  });

  test('of another member is possible for an owner, but not their own, and not that of the account’s own sign-in', async () => {
    const ana = await enrolledCustomer();
    const [bia, cid] = [await enrolledMember(ana), await enrolledMember(ana, 'owner')];
    const remove = async ({ rest }: Pick<Caller, 'rest'>, id: string) =>
      refusal(await rest.DELETE('/api/v1/members/{id}/second-factor', at(id))).trim();
    expect(await remove(bia, cid.id)).toBe('403 FORBIDDEN');
    expect(await remove(cid, cid.id)).toBe('403 FORBIDDEN');
    expect(await remove(ana, ana.id)).toBe('403 FORBIDDEN');
    expect(await remove(cid, ana.id)).toBe('409 CONFLICT');
    expect(await remove(await service.customer(), bia.id)).toBe('404 NOT_FOUND');
    expect(await remove(cid, bia.id)).toBe('204');
    expect([await statusOf(bia.token), (await signIn(bia.login)).outcome[0]]).toEqual([401, 200]);
    expect(await remove(cid, bia.id)).toBe('404 NOT_FOUND');
  });

  test('of anybody in a customer’s account is possible for an operator who proves the password, but not of an operator', async () => {
    const ana = await enrolledCustomer();
    const bia = await enrolledMember(ana);
    const current_password = operatorLogin.password;
    const remove = async (id: string, member_id: string, body: object = { current_password }) => {
      const path = '/operator/v1/users/{id}/members/{member_id}/second-factor/removal';
      return refusal(await service.operator.operator.POST(path, { params: { path: { id, member_id } }, body })).trim();
    };
    expect(await remove(ana.id, bia.id, {})).toBe('403 FORBIDDEN');
    expect(await remove((await service.customer()).id, bia.id)).toBe('404 NOT_FOUND');
    expect([await remove(ana.id, bia.id), await remove(ana.id, ana.id)]).toEqual(['204', '204']);
    expect((await signIn(bia.login)).outcome).toEqual([200, undefined]);
    expect((await signIn({ email: ana.email, password: PASSWORD })).outcome).toEqual([200, undefined]);
    expect(await remove(service.operator.id, service.operator.id)).toBe('404 NOT_FOUND');
  });

  test('is part of removing a member, and of deleting an account', async () => {
    const ana = await enrolledCustomer();
    const [bia, cid] = [await enrolledMember(ana), await enrolledMember(ana)];
    const ids = [ana.id, bia.id, cid.id];
    const left = async () => {
      const rows = await db.selectFrom('second_factors').select('account_id').where('account_id', 'in', ids).execute();
      return rows.map(({ account_id: id }) => id).sort();
    };
    await ana.rest.DELETE('/api/v1/members/{id}', at(bia.id));
    expect(await left()).toEqual([ana.id, cid.id].sort());
    await service.operator.rest.DELETE('/api/v1/users/{id}', at(ana.id));
    expect(await left()).toEqual([]);
  });
});

describe('an owner who demands a second factor of everybody', () => {
  const demand = ({ rest }: Pick<Caller, 'rest'>, required = true) =>
    rest.PUT('/api/v1/second-factor-rule', { body: { required } });

  test('must have one, and everybody is signed out; a person without one may then only set one up', async () => {
    const ana = await service.customer();
    expect(refusal(await demand(ana))).toBe('403 FORBIDDEN');
    const [owner, bia] = [await enrolledMember(ana, 'owner'), await newMember(url, ana)];
    must(await demand(owner));
    for (const token of [ana.token, owner.token, bia.token]) expect(await statusOf(token)).toBe(401);

    const { outcome, token } = await signIn(bia.login);
    expect([outcome, await statusOf(token)]).toEqual([[200, undefined], 403]);
    expect(jwt.decode(token, { json: true })?.aud).toBe('malote-enrolment');
    const enrolled = await enrolPerson(url, token, MEMBER_PASSWORD, now);
    expect(await statusOf(enrolled.token)).toBe(200);
    expect(must(await clientsFor(url, enrolled.token).rest.GET('/api/v1/second-factor-rule')).required).toBe(true);
    const back = await signIn({ ...owner.login, code: owner.codeOf(1) });
    expect(await statusOf(back.token)).toBe(200);
  });

  test('demands it of the account’s own sign-in, too, in REST and GraphQL', async () => {
    const ana = await service.customer({ phoneConfirmed: true });
    must(await demand(await enrolledMember(ana, 'owner')));
    const login = { email: ana.email, password: PASSWORD };
    expect([await apiKeyOf(login), await apiKeyOf({ ...login, code: '000000' })]).toEqual([null, null]);
    const { token } = await signIn(login);
    expect(await statusOf(token)).toBe(403);
    await enrolPerson(url, token, PASSWORD, now);
  });

  test('can take the demand back', async () => {
    const ana = await enrolledCustomer();
    must(await demand(ana));
    const again = clientsFor(url, (await signIn({ email: ana.email, password: PASSWORD, code: ana.codeOf(1) })).token);
    must(await demand(again, false));
    const bia = await newMember(url, again);
    expect(await statusOf(bia.token)).toBe(200);
    expect(refusal(await demand(bia, false))).toBe('403 FORBIDDEN');
  });
});
