import { expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** People of an account at `/envios`, without script. */

const service = await ownService();
const ana = await service.customer();
const owner = new Visitor(service.url, { 'Accept-Language': 'en' });
await owner.signIn({ email: ana.email, password: PASSWORD });

const MEMBER_PASSWORD = 'staple battery horse';
let invited = 0;

/** Invites a person, whose path and link come back. */
async function invite(role: string) {
  const email = `visitor-${++invited}@members.test`;
  await owner.get('/envios/members');
  const { text } = await owner.submit('/envios/members', { name: `Bia ${invited}`, email, role });
  const link = /\/envios\/password\/mil_[\w-]{43}/.exec(text)?.[0] ?? '';
  const { text: list } = await owner.get('/envios/members');
  const path = new RegExp(`href="(/envios/members/[\\w-]+)">Bia ${invited}<`).exec(list)?.[1] ?? '';
  return { email, link, path, name: `Bia ${invited}` };
}

/** A browser of a person who has chosen a password and signed in. */
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

test('a link that was used says so, and asks for another one', async () => {
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

test('another role signs the person out', async () => {
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

test('people change their own password, members and the account alike', async () => {
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
