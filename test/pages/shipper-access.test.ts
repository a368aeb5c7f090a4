import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { routes as consoleRoutes } from '../../src/pages/console/routes.js';
import { routes } from '../../src/pages/shipper/routes.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The sign-in to `/envios`, and the pages that the session of a shipper does not open. */

const service = await sharedService();
let addresses = 0;

/** A visitor from a new address, so that tests do not share budgets. */
const visitor = () => new Visitor(service.url, { 'X-Forwarded-For': `10.9.1.${++addresses}` });

async function shipper() {
  const { email, id } = await service.customer();
  const visit = visitor();
  await visit.signIn({ email, password: PASSWORD });
  return { visit, id, email };
}

const at = (path: string) => path.replace(':month', '2001-01').replace(/:\w+/g, () => randomUUID());

test('one sign-in page leads shippers to /envios and operators to the console', async () => {
  const { visit, email } = await shipper();
  expect(visit.page).toMatchObject({ status: 200, path: '/envios' });
  expect(visit.page.text).toContain(email);
  const operator = visitor();
  await operator.get('/envios/sign-in');
  expect((await operator.submit('/envios/sign-in', operatorLogin)).path).toBe('/console');
});

test('every link of both menus has an icon', async () => {
  const { visit } = await shipper();
  const operator = visitor();
  await operator.get('/console/sign-in');
  await operator.submit('/console/sign-in', operatorLogin);
  for (const { page } of [visit, operator]) {
    const menu =
      /<nav[^>]*>(?:(?!<\/nav>).)*href="\/(?:envios|console)\/packages"(?:(?!<\/nav>).)*<\/nav>/s.exec(
        page.text,
      )?.[0] ?? '';
    const links = [...menu.matchAll(/<li><a [^>]*>.*?<\/a>/gs)].map(([link]) => link);
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !link.includes('<svg'))).toEqual([]);
  }
});

test('without a session the sign-in page comes first, and then the requested page', async () => {
  expect(await visitor().get('/envios/packages')).toMatchObject({
    status: 200,
    path: '/envios/sign-in?back=%2Fenvios%2Fpackages',
  });
  const { visit } = await shipper();
  expect((await visit.submit('/envios/sign-out')).path).toBe('/envios/sign-in');
  expect((await visit.get('/envios')).path).toBe('/envios/sign-in');
});

test('a wrong password and an unknown address get the same refusal, and share the budget of all sign-ins', async () => {
  const { email } = await service.customer();
  const visit = visitor();
  const wrong = await visit.signIn({ email, password: 'not the password' });
  const unknown = await visit.signIn({ email: 'nobody@malote.test', password: PASSWORD });
  expect([wrong.status, unknown.status, unknown.text]).toEqual([401, 401, wrong.text]);
  for (let failure = 2; failure <= 10; failure += 1) await visit.signIn({ email, password: 'not the password' });
  expect((await visit.signIn({ email, password: PASSWORD })).status).toBe(429);
});

describe('a session of a shipper', () => {
  test.each(Object.keys(consoleRoutes).map(at))('does not open %s', async (path) => {
    const { visit } = await shared;
    const { status, path: end } = await visit.get(path);
    expect([status, end]).toEqual([200, '/envios']);
  });

  test('cannot send a form of the console', async () => {
    const { visit } = await shared;
    const { form_token = '' } = visit.held('/envios/sign-out');
    for (const path of ['/console/users', '/console/movements/import', '/console/sign-out'])
      expect((await visit.post(path, { form_token })).path).toBe('/envios');
    expect((await visit.get('/envios')).path).toBe('/envios');
  });
});

const shared = shipper();

const operator = visitor();
const ofOperator = operator.signIn(operatorLogin);

test.each(Object.keys(routes).map(at))('an operator is sent from %s to the console', async (path) => {
  await ofOperator;
  expect((await operator.get(path)).path).toBe('/console');
});

test('a record of another account is not found', async () => {
  const { visit } = await shipper();
  for (const path of Object.keys(routes).filter((each) => each.includes(':') && routes[each]?.page))
    expect([path, (await visit.get(at(path))).status]).toEqual([path, 404]);
});
