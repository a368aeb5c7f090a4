import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { MEMBER_PASSWORD, newMember } from '../support/members.js';
import { PASSWORD } from '../support/password.js';
import { authenticator, enrolledOperator } from '../support/second-factor.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The second factor of people of an account at `/envios`, and its removal by operators at `/console`. */

const now = Date.now();
const service = await ownService({}, { worker: false, clock: () => new Date(now) });
const { url } = service;

const newVisitor = () => new Visitor(url, { 'Accept-Language': 'en' });

async function visitorOf(login: { email: string; password: string }) {
  const visitor = newVisitor();
  await visitor.signIn(login);
  return visitor;
}

/** Sets up a second factor at the page. Resolves to the codes of its app and to the page with recovery codes. */
async function enrolAt(visitor: Visitor, password: string, root = '/envios') {
  const page = `${root}/second-factor`;
  await visitor.get(page);
  const { text } = await visitor.submit(page);
  expect(text).toContain('<img class="qr"');
  const secret = (/<code class="secret">([^<]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
  const codeOf = authenticator(secret, now);
  const confirmation = `${page}/confirmation`;
  const wrong = await visitor.submit(confirmation, { code: '000000', current_password: password });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('The code is not valid')]);
  const { text: recovery } = await visitor.submit(confirmation, { code: codeOf(), current_password: password });
  return { codeOf, recovery };
}

async function newAccount() {
  const ana = await service.customer();
  const owner = await visitorOf({ email: ana.email, password: PASSWORD });
  return { ana, owner };
}

describe('a person of an account', () => {
  test('sets up a second factor, gives its code at the next sign-in, and removes it by a code', async () => {
    const bia = await newMember(url, (await newAccount()).ana, 'viewer');
    const visitor = await visitorOf(bia.login);
    expect((await visitor.get('/envios/account')).text).toContain('href="/envios/second-factor"');
    const { codeOf, recovery } = await enrolAt(visitor, MEMBER_PASSWORD);
    const codes = recovery.match(/(?<=<code>)(\w{4}-){3}\w{4}(?=<\/code>)/g) ?? [];
    expect(codes).toHaveLength(10);
    expect((await visitor.get('/envios')).status).toBe(200);

    const again = await visitorOf(bia.login);
    expect(again.page.path).toBe('/envios/code');
    expect((await again.get('/envios/orders')).path).toBe('/envios/code');
    const wrong = await again.submit('/envios/code', { code: '000000' });
    expect([wrong.status, wrong.path]).toEqual([401, '/envios/code']);
    expect((await again.submit('/envios/code', { code: codeOf(1) })).path).toBe('/envios');
    expect((await again.get('/envios/account')).text).toContain(bia.login.email);

    const removed = await again.end('/envios/second-factor/removal', { code: codes[0] ?? '' });
    expect(removed.path).toBe('/envios/sign-in?factorRemoved');
    expect((await visitorOf(bia.login)).page.path).toBe('/envios');
  });

  test('can do all this for the account’s own sign-in, too', async () => {
    const { ana, owner } = await newAccount();
    const { codeOf } = await enrolAt(owner, PASSWORD);
    const again = await visitorOf({ email: ana.email, password: PASSWORD });
    expect((await again.submit('/envios/code', { code: codeOf(1) })).path).toBe('/envios');
  });

  test('is in the account’s audit log when they set up a second factor', async () => {
    const { ana, owner } = await newAccount();
    const bia = await newMember(url, ana);
    await enrolAt(await visitorOf(bia.login), MEMBER_PASSWORD);
    const query = { operation: 'confirmOwnSecondFactor' };
    const { data } = must(await ana.rest.GET('/api/v1/audit-log', { params: { query } }));
    const fields = ['enrolment', 'code', 'current_password'];
    expect(data).toEqual([expect.objectContaining({ actor: expect.objectContaining({ id: bia.id }), fields })]);
    expect((await owner.get('/envios/audit-log')).text).toContain('Own second factor set up');
  });
});

describe('an owner', () => {
  test('can demand a second factor of everybody: a person without one can only set it up', async () => {
    const { ana, owner } = await newAccount();
    const bia = await newMember(url, ana);
    const before = await visitorOf(bia.login);
    const refused = await owner.end('/envios/second-factor-rule');
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('second factor')]);
    await enrolAt(owner, PASSWORD);
    expect((await owner.end('/envios/second-factor-rule')).path).toBe('/envios/sign-in?demanded');
    expect((await before.get('/envios')).path).toBe('/envios/sign-in?ended');

    const after = await visitorOf(bia.login);
    expect(after.page.path).toBe('/envios/second-factor');
    expect((await after.get('/envios/orders')).path).toBe('/envios/second-factor');
    await enrolAt(after, MEMBER_PASSWORD);
    expect((await after.get('/envios/orders')).path).toBe('/envios/orders');
  });

  test('removes a lost second factor of a member, and can take the demand back', async () => {
    const { ana, owner } = await newAccount();
    const bia = await newMember(url, ana);
    const { codeOf } = await enrolAt(owner, PASSWORD);
    await owner.end('/envios/second-factor-rule');
    const again = await visitorOf({ email: ana.email, password: PASSWORD });
    await again.submit('/envios/code', { code: codeOf(1) });
    const released = await again.end('/envios/second-factor-rule/removal');
    expect([released.path, released.text]).toEqual([
      '/envios/members?done=saved',
      expect.stringContaining('Each person decides'),
    ]);
    await enrolAt(await visitorOf(bia.login), MEMBER_PASSWORD);
    expect((await again.get(`/envios/members/${bia.id}`)).text).toContain('/second-factor/removal');
    await again.end(`/envios/members/${bia.id}/second-factor/removal`);
    expect((await visitorOf(bia.login)).page.path).toBe('/envios');
  });
});

describe('an operator', () => {
  test('removes the second factor of a member and of the account’s own sign-in by typing their own password', async () => {
    const { ana, owner } = await newAccount();
    await enrolAt(owner, PASSWORD);
    const console = await visitorOf(operatorLogin);
    const removal = `/console/users/${ana.id}/members/${ana.id}/second-factor/removal`;
    expect((await console.get(`/console/users/${ana.id}`)).text).toContain(`href="${removal}"`);
    const wrong = await console.end(removal, { current_password: 'not the password' });
    expect(wrong.status).toBe(400);
    const { path } = await console.end(removal, { current_password: operatorLogin.password });
    expect(path).toBe(`/console/users/${ana.id}/members?done=saved`);
    expect((await visitorOf({ email: ana.email, password: PASSWORD })).page.path).toBe('/envios');
  });

  test('is in the audit log when they set up their own second factor', async () => {
    const { email, password, id, codeOf } = await enrolledOperator(service, now);
    const remove = await service.proven.operator.DELETE('/operator/v1/users/{id}/second-factor', {
      params: { path: { id } },
    });
    expect([remove.response.status, codeOf().length]).toEqual([204, 6]);
    await enrolAt(await visitorOf({ email, password }), password, '/console');
    const query = { operation: 'confirmSecondFactor', actor_id: id };
    const { data } = must(await service.proven.operator.GET('/operator/v1/audit-log', { params: { query } }));
    expect(data).toHaveLength(2);
  });
});
