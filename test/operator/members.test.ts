import { describe, expect, test } from '@jest/globals';
import { operatorOf } from '../cli/malote.js';
import { accessToken, ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { giveFactor } from '../support/second-factor.js';
import { operatorLogin } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { at, bodyOf, refusalOf } from './fixtures.js';

/** The operator invites and removes people of a customer's account. */

const service = await sharedService();
const { operator: api } = service.operator;

const LIST = '/operator/v1/users/{id}/members';
const MEMBER = '/operator/v1/users/{id}/members/{member_id}';
const LINK = '/operator/v1/users/{id}/members/{member_id}/invitation';

const proof = { current_password: operatorLogin.password };
let invited = 0;
const person = () => ({ name: 'Bia Ramos', email: `bia-${++invited}@operators.test`, role: 'shipper' as const });
const of = (id: string, member_id: string) => ({ params: { path: { id, member_id } } });

const invite = (id: string) => bodyOf(api.POST(LIST, { ...at(id), body: { ...person(), ...proof } }));
const choose = (token: string, password = PASSWORD) =>
  ask(service.url, 'POST', '/auth/password-change', { body: { token, password } });

test('a person is invited, chooses a password at the link, and is listed before the account’s own sign-in', async () => {
  const ana = await service.customer();
  const { member, link } = await invite(ana.id);
  expect(member).toMatchObject({ user_id: ana.id, role: 'shipper', state: 'invited' });
  expect((await choose(link.token)).status).toBe(204);
  await accessToken(service.url, { email: member.email, password: PASSWORD });
  const { data } = await bodyOf(api.GET(LIST, at(ana.id)));
  expect(data.map(({ id, role, state }) => [id, role, state])).toEqual([
    [member.id, 'shipper', 'active'],
    [ana.id, 'owner', 'active'],
  ]);
  expect(await bodyOf(api.GET(MEMBER, of(ana.id, member.id)))).toEqual({ ...member, state: 'active' });
});

test('a new role or a removal signs the person out; the removal also ends the keys that they made', async () => {
  const ana = await service.customer();
  const { member, link } = await invite(ana.id);
  await choose(link.token);
  const login = { email: member.email, password: PASSWORD };
  const token = await accessToken(service.url, login);
  const isSignedIn = async () => (await ask(service.url, 'GET', '/api/v1/users/me', { token })).status === 200;
  expect(await isSignedIn()).toBe(true);
  const body = { name: 'Beatriz', role: 'owner', ...proof } as const;
  expect(await bodyOf(api.PUT(MEMBER, { ...of(ana.id, member.id), body }))).toMatchObject({ name: 'Beatriz' });
  expect(await isSignedIn()).toBe(false);
  expect((await api.DELETE(MEMBER, of(ana.id, member.id))).response.status).toBe(204);
  expect((await ask(service.url, 'POST', '/auth/login', { body: login })).status).toBe(401);
});

test('a link for a new password works once', async () => {
  const ana = await service.customer();
  const { member, link } = await invite(ana.id);
  await choose(link.token);
  const made = await api.POST(LINK, { ...of(ana.id, member.id), body: proof });
  expect(made.response.headers.get('cache-control')).toBe('no-store');
  const token = made.data?.token ?? '';
  expect([(await choose(token, 'another long password')).status, (await choose(token)).status]).toEqual([204, 401]);
  await accessToken(service.url, { email: member.email, password: 'another long password' });
});

describe('the operator proves the password', () => {
  test.each([
    [
      'before an invitation',
      (id: string, _: string, of: object) => api.POST(LIST, { ...at(id), body: { ...person(), ...of } }),
    ],
    ['before a link', (id: string, member: string, body: object) => api.POST(LINK, { ...of(id, member), body })],
    [
      'before another role',
      (id: string, member: string, proven: object) =>
        api.PUT(MEMBER, { ...of(id, member), body: { name: 'Bia', role: 'owner', ...proven } }),
    ],
  ])('%s', async (_name, call) => {
    const ana = await service.customer();
    const { member } = await invite(ana.id);
    expect(await refusalOf(call(ana.id, member.id, {}))).toEqual([403, 'FORBIDDEN']);
    const wrong = call(ana.id, member.id, { current_password: 'not the password' });
    expect(await refusalOf(wrong)).toEqual([400, 'VALIDATION_ERROR', 'current_password']);
    const { data } = await bodyOf(api.GET(LIST, at(ana.id)));
    expect(data.map(({ role }) => role)).toEqual(['shipper', 'owner']);
  });
});

test('a member is found only under the own account, and the account’s own sign-in cannot be changed', async () => {
  const [ana, bob] = [await service.customer(), await service.customer()];
  const { member } = await invite(ana.id);
  const body = { name: 'Mallory', role: 'owner', ...proof } as const;
  const all = (path: ReturnType<typeof of>) => [
    refusalOf(api.PUT(MEMBER, { ...path, body })),
    refusalOf(api.DELETE(MEMBER, path)),
    refusalOf(api.POST(LINK, { ...path, body: proof })),
  ];
  expect(await refusalOf(api.GET(MEMBER, of(bob.id, member.id)))).toEqual([404, 'NOT_FOUND']);
  for (const refusal of await Promise.all(all(of(bob.id, member.id)))) expect(refusal).toEqual([404, 'NOT_FOUND']);
  for (const refusal of await Promise.all(all(of(ana.id, ana.id)))) expect(refusal).toEqual([409, 'CONFLICT']);
  const absent = api.POST(LIST, { ...at(member.id), body: { ...person(), ...proof } });
  expect(await refusalOf(absent)).toEqual([404, 'NOT_FOUND']);
  const ofOperator = api.POST(LIST, { ...at(service.operator.id), body: { ...person(), ...proof } });
  expect(await refusalOf(ofOperator)).toEqual([400, 'VALIDATION_ERROR', 'user_id']);
});

test('the audit log says who invited, changed and removed whom', async () => {
  const ana = await service.customer();
  const { member } = await invite(ana.id);
  await api.DELETE(MEMBER, of(ana.id, member.id));
  const entries = await Promise.all(
    (['inviteUserMember', 'removeUserMember'] as const).map(async (operation) => {
      const { data } = await bodyOf(api.GET('/operator/v1/audit-log', { params: { query: { operation } } }));
      return data.find(({ targets }) => targets['id'] === ana.id);
    }),
  );
  expect(entries).toMatchObject([
    { location: `/operator/v1/users/${ana.id}/members/${member.id}` },
    { targets: { id: ana.id, member_id: member.id } },
  ]);
  expect(JSON.stringify(entries)).not.toContain(member.email);
});

test('the commands show who has a second factor, and remove it', async () => {
  const ana = await service.customer();
  const { member } = await invite(ana.id);
  await giveFactor(service, member.id);
  const { run } = operatorOf(service);
  const shown = async () => /SECOND FACTOR(.*) true /s.test((await run(['members', 'list', ana.email])).out);
  expect(await shown()).toBe(true);
  const removed = await run(['members', 'remove-second-factor', ana.email, member.id]);
  expect([removed.code, removed.err]).toEqual([0, 'Removed.\n']);
  expect(await shown()).toBe(false);
});
