import { describe, expect, test } from '@jest/globals';
import { atPackage, movement, newPackages, reason, record } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { newRecords } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Movements that an operator records at the console, without a script. */

const service = await ownService();
const records = await newRecords(service);
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

const tracked = async () =>
  must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(records.loggiKey)));

describe('a movement', () => {
  const action = () => `/console/packages/${records.loggiKey}/movements`;
  const typed = { status_code: '3', city: 'Campinas', state: 'sp' };

  test('is recorded once when its form is sent again, and is in the history', async () => {
    await visit.get(`/console/packages/${records.loggiKey}`);
    const form = { ...visit.held(action()), ...typed };
    expect((await visit.post(action(), form)).text).toContain('Movimentação registrada.');
    expect(visit.page.text).toContain('Campinas – SP');
    expect((await visit.post(action(), form)).text).toContain('Já estava registrada.');
    const location = { city: 'Campinas', state: 'SP' };
    expect(await tracked()).toMatchObject({ status: { code: 3 }, location, movement_count: 2 });
  });

  test('is refused with the reason beside the typed text', async () => {
    await visit.get(`/console/packages/${records.loggiKey}`);
    const { status, text } = await visit.submit(action(), { ...typed, status_code: '6', city: 'Jundiaí' });
    expect(status).toBe(400);
    expect(visit.held(action())).toMatchObject({ city: 'Jundiaí', status_code: '6' });
    expect(text).toContain('<li>O que o remetente precisa resolver: ');
    const wrong = await visit.submit(action(), { ...typed, status_code: '3', state: 'X' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/href="#state">Estado: duas letras, como SP<.*id="state-error"/s);
  });
});

test('an attempt is recorded by the same form, is in the history, and is counted and listed on the first page', async () => {
  const customer = await service.customer();
  const [key = ''] = await newPackages(customer, 1);
  const action = `/console/packages/${key}/movements`;
  await visit.get(`/console/packages/${key}`);
  const next_on = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const day = next_on.split('-').reverse().join('/');
  const typed = { status_code: '18', 'attempt.outcome': 'no_access', 'attempt.next_on': day };
  const hours = { 'expected.from': `${day} 09:00`, 'expected.to': `${day} 13:00` };
  const { text } = await visit.submit(action, { ...typed, ...hours });
  expect(text).toContain(`Sem acesso, próxima tentativa: ${day}`);
  const shown = await must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
  expect(shown).toMatchObject({
    attempts: { count: 1, last_outcome: 'no_access', next_on },
    expected_window: { from: `${next_on}T12:00:00.000Z`, to: `${next_on}T16:00:00.000Z` },
  });
  expect((await visit.get('/console')).text).toMatch(
    /href="\/console\/packages\?attempt_outcome=no_access&amp;open=true">Sem acesso<\/a>.*?data-label="Hoje">1</s,
  );
  const list = await visit.get('/console/packages?attempt_outcome=no_access&open=true');
  expect(list.text).toContain(shown.tracking_code);
  expect((await visit.get('/console/packages?attempt_outcome=refused')).text).not.toContain(shown.tracking_code);
  expect((await visit.get('/console/packages.csv?attempt_outcome=no_access')).text).toContain('"1";"Sem acesso"');
  await visit.get(`/console/packages/${key}`);
  const wrong = await visit.submit(action, {
    status_code: '18',
    'attempt.outcome': 'absent',
    'attempt.next_on': '01/01/2020',
  });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Dia da próxima tentativa')]);
});

test('a final status is reopened with a reason and the password, and the history says so', async () => {
  const customer = await service.customer();
  const [key = ''] = await newPackages(customer, 1);
  const page = `/console/packages/${key}`;
  await visit.get(page);
  expect(visit.page.text).not.toContain(`${page}/reopening`);
  await record(service.operator, movement(key, { status_code: 5 }));
  await visit.get(page);
  expect(visit.page.text).toContain(`${page}/reopening`);
  await visit.get(`${page}/reopening`);
  const reason = 'Era outro pacote.';
  const refused = await visit.submit(`${page}/reopening`, { reason });
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Digite também a sua senha')]);
  const { text } = await visit.submit(`${page}/reopening`, { reason, current_password: operatorLogin.password });
  expect(text).toContain('correção: Era outro pacote.');
});

describe('the status of a movement', () => {
  /** The offered codes in their order. Codes that end the package are a group of their own. */
  const offered = () => {
    const [, select = ''] = /<select id="status_code"[^>]*>(.*?)<\/select>/s.exec(visit.page.text) ?? [];
    const [open = '', final = ''] = select.split('<optgroup');
    const codesIn = (text: string) => [...text.matchAll(/<option value(?:="(\d*)")?/g)].map(([, code = '']) => code);
    return { open: codesIn(open), final: codesIn(final), chosen: /<option value="(\d*)" selected/.exec(select)?.[1] };
  };

  test('is not preselected: the likely next one comes first, and final ones are a group of their own', async () => {
    const customer = await service.customer();
    const [key = ''] = await newPackages(customer, 1);
    await visit.get(`/console/packages/${key}`);
    expect(offered()).toEqual(expect.objectContaining({ chosen: undefined, final: ['2', '5', '8'] }));
    expect(offered().open.slice(0, 5)).toEqual(['', '14', '3', '17', '11']);
    for (const [code, next] of [
      [14, '3'],
      [17, '11'],
      [18, '11'],
      [6, '3'],
    ] as const) {
      await record(
        service.operator,
        movement(key, { status_code: code, ...(code === 6 && { action_required: reason }) }),
      );
      await visit.get(`/console/packages/${key}`);
      expect([code, offered().open[1]]).toEqual([code, next]);
    }
  });

  test('is confirmed on a second page when it ends the package, and then recorded once', async () => {
    const customer = await service.customer();
    const [key = ''] = await newPackages(customer, 1);
    const page = `/console/packages/${key}`;
    await visit.get(page);
    const form = { ...visit.held(`${page}/movements`), status_code: '2', city: 'Campinas', state: 'SP' };
    const { text } = await visit.post(`${page}/movements`, form);
    expect(text).toContain('Um engano só se desfaz em até sete dias');
    const { tracking_code: code } = must(
      await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)),
    );
    expect(text).toContain(`Pacote ${code}, `);
    const count = async () =>
      must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
    expect(await count()).toMatchObject({ movement_count: 1, status: { code: 1 } });
    const confirmed = visit.held(`${page}/movements`);
    expect((await visit.post(`${page}/movements`, confirmed)).text).toContain('Movimentação registrada.');
    await visit.post(`${page}/movements`, confirmed);
    expect(await count()).toMatchObject({ movement_count: 2, status: { code: 2 }, location: { city: 'Campinas' } });
  });
});
