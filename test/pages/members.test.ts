import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { png } from '../support/pictures.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The people of an account at `/envios`, without a script. */

const service = await ownService();
const ana = await service.customer();
const owner = new Visitor(service.url, { 'Accept-Language': 'en' });
await owner.signIn({ email: ana.email, password: PASSWORD });

const MEMBER_PASSWORD = 'staple battery horse';
let invited = 0;

/** Invites a person. Resolves to the path of the person and the link. */
async function invite(role: string) {
  const email = `visitor-${++invited}@members.test`;
  await owner.get('/envios/members');
  const { text } = await owner.submit('/envios/members', { name: `Bia ${invited}`, email, role });
  const link = /\/envios\/password\/mil_[\w-]{43}/.exec(text)?.[0] ?? '';
  const { text: list } = await owner.get('/envios/members');
  const path = new RegExp(`href="(/envios/members/[\\w-]+)">Bia ${invited}<`).exec(list)?.[1] ?? '';
  return { email, link, path, name: `Bia ${invited}` };
}

/** A visitor with this role, after choosing a password and signing in. */
async function visitorWith(role: string) {
  const person = await invite(role);
  const visitor = new Visitor(service.url, { 'Accept-Language': 'en' });
  await visitor.get(person.link);
  const { path, text } = await visitor.submit(person.link, { password: MEMBER_PASSWORD });
  expect([path, text]).toEqual(['/envios/sign-in?chosen', expect.stringContaining('Your password is set')]);
  await visitor.signIn({ email: person.email, password: MEMBER_PASSWORD });
  return { ...person, visitor };
}

test('an owner invites a person, who chooses a password at the link and signs in', async () => {
  const { visitor, name } = await visitorWith('shipper');
  const { text } = await visitor.get('/envios/members');
  expect(text).toContain(name);
  expect(text).not.toContain('Invite a person');
  expect((await visitor.get('/envios/new-order')).status).toBe(200);
});

test('a used link leads to a page that says so', async () => {
  const { link, visitor } = await visitorWith('viewer');
  await visitor.get(link);
  const { status, text } = await visitor.submit(link, { password: MEMBER_PASSWORD });
  expect([status, text]).toEqual([401, expect.stringContaining('Ask for another one')]);
});

test('a password that is too short is refused beside its field', async () => {
  const { link } = await invite('viewer');
  const visitor = new Visitor(service.url, { 'Accept-Language': 'en' });
  await visitor.get(link);
  expect((await visitor.submit(link, { password: 'short' })).status).toBe(400);
});

test('a role that the page does not offer is refused', async () => {
  await owner.get('/envios/members');
  const person = { name: 'Bia', email: 'tampered@members.test', role: 'admin' };
  const { status, text } = await owner.submit('/envios/members', person);
  expect([status, text]).toEqual([400, expect.stringContaining('id="role-error"')]);
  expect((await owner.get('/envios/members')).text).not.toContain(person.email);
});

test('a viewer sees orders and cannot place one', async () => {
  const { visitor } = await visitorWith('viewer');
  expect((await visitor.get('/envios/orders')).status).toBe(200);
  await visitor.get('/envios/api-keys');
  const { status, text } = await visitor.submit('/envios/api-keys', { name: 'Shop', scope: 'all' });
  expect([status, text]).toEqual([403, expect.stringContaining('ask an owner of the account')]);
});

test('a removed person is signed out at once', async () => {
  const { visitor, path } = await visitorWith('owner');
  await owner.end(`${path}/removal`);
  expect((await visitor.get('/envios')).path).toBe('/envios/sign-in?ended');
});

test('a new role signs the person out', async () => {
  const { visitor, path } = await visitorWith('owner');
  await owner.get(path);
  await owner.submit(path, { role: 'viewer' });
  expect((await visitor.get('/envios')).path).toBe('/envios/sign-in?ended');
});

test('an owner makes a link for a forgotten password', async () => {
  const { path, email } = await visitorWith('shipper');
  await owner.get(path);
  const { text } = await owner.submit(`${path}/invitation`);
  const link = /\/envios\/password\/mil_[\w-]{43}/.exec(text)?.[0] ?? '';
  const visitor = new Visitor(service.url);
  await visitor.get(link);
  await visitor.submit(link, { password: 'another long password' });
  await visitor.signIn({ email, password: 'another long password' });
  expect(visitor.page.path).toBe('/envios');
});

test('members and the account’s own sign-in change their own password', async () => {
  const other = await service.customer();
  const accountVisitor = new Visitor(service.url, { 'Accept-Language': 'en' });
  await accountVisitor.signIn({ email: other.email, password: PASSWORD });
  const member = await visitorWith('shipper');
  for (const [visitor, email, current_password] of [
    [accountVisitor, other.email, PASSWORD],
    [member.visitor, member.email, MEMBER_PASSWORD],
  ] as const) {
    await visitor.get('/envios/own-password');
    const wrong = await visitor.submit('/envios/own-password', {
      current_password: 'wrong one',
      password: 'next password',
    });
    expect(wrong.status).toBe(400);
    const { path } = await visitor.submit('/envios/own-password', { current_password, password: 'next password' });
    expect(path).toBe('/envios/sign-in?changed');
    await visitor.signIn({ email, password: 'next password' });
    expect(visitor.page.path).toBe('/envios');
  }
});

test('an operator invites, changes and removes a person at the console', async () => {
  const shop = await service.customer();
  const operator = new Visitor(service.url, { 'Accept-Language': 'en' });
  await operator.signIn(operatorLogin);
  const list = `/console/users/${shop.id}/members`;
  expect((await operator.get(`/console/users/${shop.id}`)).text).toContain(`href="${list}"`);
  await operator.get(list);
  const fields = { name: 'Caio', email: 'caio@members.test', role: 'viewer', current_password: operatorLogin.password };
  expect((await operator.submit(list, { ...fields, current_password: 'wrong one' })).status).toBe(400);
  expect((await operator.submit(list, fields)).text).toMatch(/\/envios\/password\/mil_[\w-]{43}/);
  const { text } = await operator.get(list);
  const page = new RegExp(`href="(${list}/[\\w-]+)">Caio<`).exec(text)?.[1] ?? '';
  await operator.get(page);
  const { current_password } = fields;
  expect((await operator.submit(page, { role: 'shipper', current_password })).text).toContain('role="status"');
  await operator.get(`${page}/invitation`);
  const made = await operator.submit(`${page}/invitation`, { current_password });
  expect(made.text).toMatch(/\/envios\/password\/mil_[\w-]{43}/);
  expect((await operator.end(`${page}/removal`)).text).not.toContain('Caio');
});

describe('the page of the account', () => {
  const PAGE = '/envios/account';
  const shopOf = async () => {
    const shop = await service.customer();
    const visitor = new Visitor(service.url, { 'Accept-Language': 'en' });
    await visitor.signIn({ email: shop.email, password: PASSWORD });
    await visitor.get(PAGE);
    const stored = async () => must(await shop.rest.GET('/api/v1/users/me'));
    return { ...shop, visitor, stored };
  };

  test('changes name, tax id and contact without a password; an empty contact removes it', async () => {
    const { visitor, stored } = await shopOf();
    const changed = { name: 'Loja da Ana', tax_id: '529.982.247-25', support_contact: 'https://loja.example.com' };
    const { path, text } = await visitor.submit(PAGE, changed);
    expect([path, text]).toEqual([`${PAGE}?done=saved`, expect.stringContaining('role="status"')]);
    expect(await stored()).toMatchObject({ ...changed, tax_id: '52998224725' });
    await visitor.submit(PAGE, { support_contact: '' });
    expect((await stored()).support_contact).toBeUndefined();
  });

  test('changes e-mail address and phone only with the current password', async () => {
    const { visitor, stored, email } = await shopOf();
    const changed = { email: `new-${email}`, phone: '+55 11 98888-7777' };
    const refused = await visitor.submit(PAGE, { ...changed, current_password: 'wrong one' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('id="current_password-error"')]);
    expect((await visitor.submit(PAGE, { ...changed, current_password: '' })).status).toBe(400);
    expect((await stored()).email).toBe(email);
    await visitor.submit(PAGE, { ...changed, current_password: PASSWORD });
    expect(await stored()).toMatchObject(changed);
    expect((await visitor.get(PAGE)).text).toContain(changed.email);
  });

  test('refuses a form when somebody else has changed the account meanwhile', async () => {
    const { visitor, stored, rest, id, email } = await shopOf();
    const { phone } = await stored();
    await rest.PUT('/api/v1/users/{id}', { params: { path: { id } }, body: { name: 'First', email, phone } });
    const { status } = await visitor.submit(PAGE, { name: 'Second' });
    expect([status, (await stored()).name]).toEqual([412, 'First']);
  });

  test('lets members change their own name, and owners also the account except its e-mail address', async () => {
    const { visitor: viewer } = await visitorWith('viewer');
    const { text } = await viewer.get(PAGE);
    expect(text).not.toContain(`action="${PAGE}"`);
    await viewer.get('/envios/own-name');
    expect((await viewer.submit('/envios/own-name', { name: 'Beatriz Ramos' })).text).toContain('Beatriz Ramos');
    const { form_token = '' } = viewer.held('/envios/sign-out');
    expect((await viewer.post(PAGE, { form_token, name: 'Mallory' })).status).toBe(403);

    const { visitor: other } = await visitorWith('owner');
    await other.get(PAGE);
    expect(other.held(PAGE)).toMatchObject({ email: ana.email });
    expect((await other.submit(PAGE, { email: 'mallory@members.test' })).status).toBe(400);
    await other.submit(PAGE, { name: 'Loja da Ana e da Bia' });
    expect(must(await ana.rest.GET('/api/v1/users/me'))).toMatchObject({
      name: 'Loja da Ana e da Bia',
      email: ana.email,
    });
  });
});

describe('logo and colour of an account', () => {
  const PAGE = '/envios/branding';

  test('are set and removed by an owner without a script', async () => {
    const shop = await service.customer();
    const visitor = new Visitor(service.url, { 'Accept-Language': 'en' });
    await visitor.signIn({ email: shop.email, password: PASSWORD });
    await visitor.get(PAGE);
    expect((await visitor.submit(PAGE, { color: 'orange' })).text).toContain('id="color-error"');
    const { text } = await visitor.submit(PAGE, { color: '#FF7A00' });
    expect(text).toMatch(/<rect [^>]*fill="#ffffff" stroke="#[0-9a-f]{6}"/);
    const wrong = await visitor.upload(`${PAGE}/logo`, 'logo.svg', '<svg/>');
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('role="alert"')]);
    await visitor.upload(`${PAGE}/logo`, 'logo.png', png(300, 100));
    expect(visitor.page).toMatchObject({ path: `${PAGE}?done=saved`, text: expect.stringContaining('class="logo"') });
    expect((await visitor.get(`${PAGE}/logo`)).headers.get('content-type')).toBe('image/png');
    await visitor.get(PAGE);
    await visitor.submit(`${PAGE}/logo/removal`);
    expect(visitor.page.text).not.toContain('class="logo"');
  });

  test('are shown to a viewer, who cannot change them', async () => {
    const { visitor } = await visitorWith('viewer');
    const { status, text } = await visitor.get(PAGE);
    expect([status, text.includes(`action="${PAGE}"`)]).toEqual([200, false]);
  });
});
