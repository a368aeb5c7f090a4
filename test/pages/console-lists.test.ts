import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { bodyOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Lists of the console: their filters and their CSV files. */

const service = await ownService();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

function placed(by: Caller, externalId: string, name: string) {
  const packages = [{ ...packageBody, recipient: { name, phone: '+5511988887777' } }];
  return bodyOf(by.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id: externalId, packages } }));
}

const ana = await service.customer();
const rui = await service.customer();
const first = await placed(ana, 'ANA-1', 'Zuleica Prado');
const second = await placed(rui, '=1+1', '@Tereza');

const listed = async (path: string) => {
  const { status, text } = await visit.get(path);
  expect(status).toBe(200);
  return [first, second].map(({ packages, external_id: name }) => {
    return text.includes(packages[0]?.tracking_code ?? '') || text.includes(`>${name}</a>`);
  });
};

describe.each(['orders', 'packages'])('the list of %s', (name) => {
  const at = `/console/${name}`;

  test('is filtered by the e-mail address of an account, a recipient, a day and a status', async () => {
    const day = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    expect(await listed(at)).toEqual([true, true]);
    expect(await listed(`${at}?account=${ana.email.toUpperCase()}`)).toEqual([true, false]);
    expect(await listed(`${at}?account=nobody@malote.test`)).toEqual([false, false]);
    expect(await listed(`${at}?user_id=${rui.id}`)).toEqual([false, true]);
    expect(await listed(`${at}?q=zuleica`)).toEqual([true, false]);
    expect(await listed(`${at}?to=${day}&q=tereza`)).toEqual([false, true]);
    expect(await listed(`${at}?to=2020-01-01`)).toEqual([false, false]);
    expect(await listed(`${at}?status=completed&status_code=2`)).toEqual([false, false]);
    expect(await listed(`${at}?status=open&which=open`)).toEqual([true, true]);
  });

  test('is a CSV file with the same filters, in which no cell is a formula', async () => {
    const { headers, text } = await visit.get(`${at}.csv?user_id=${rui.id}`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}.csv"`);
    const [head = '', row = '', ...rest] = text.split('\r\n');
    expect(rest).toEqual(['']);
    expect(head.split(';').length).toBe(row.split(';').length);
    expect(row).toContain(name === 'orders' ? `"'=1+1"` : `"'@Tereza"`);
    // No cell that a spreadsheet would turn into a number: more than 15 digits, or the form 12E4.
    expect(row).not.toMatch(/"(\d{16,}|0\d+|\d+E\d+)"/);
    if (name === 'packages') expect(row).toMatch(/^"\w{4} \w{4} \w{4}[^"]?";"\d{4} \d{4} \d{4} \d{4} \d\d";/);
  });
});

describe.each(['orders', 'packages', 'webhook-endpoints', 'audit-log'])('the filter of %s by account', (name) => {
  const at = `/console/${name}`;

  test('offers the accounts with the name if there are several', async () => {
    const { text } = await visit.get(`${at}?account=souza&from=2020-01-01`);
    expect(text).toContain('Várias contas têm “souza” no nome ou no e-mail');
    for (const { email } of [ana, rui]) {
      const only = `?account=${encodeURIComponent(email)}&amp;from=2020-01-01`;
      expect(text).toContain(`href="${only}">Ana Souza</a> ${email}`);
    }
    expect(text).not.toContain('Baixar em CSV');
    const { text: narrowed } = await visit.get(`${at}?account=${ana.email}`);
    expect(narrowed).not.toContain('Várias contas');
    expect(narrowed.includes('Baixar em CSV')).toBe(['orders', 'packages'].includes(name));
  });

  test('says when no account has the name', async () => {
    const { text } = await visit.get(`${at}?account=nobody@malote.test`);
    expect(text).toContain('Nenhuma conta tem “nobody@malote.test” no nome ou no e-mail');
    expect(text).not.toContain('Baixar em CSV');
  });
});

test('a webhook is registered for a chosen account of several with the name; the typed text stays', async () => {
  const at = '/console/webhook-endpoints';
  const typed = { url: `https://127.0.0.1:8443/${'long/'.repeat(60)}?a=b&c=d`, username: 'malote' };
  await visit.get(at);
  const { status, text } = await visit.submit(at, { ...typed, customer: 'souza', password: 's3cr3t' });
  expect([status, text]).toEqual([400, expect.stringContaining('Várias contas têm “souza” no nome ou no e-mail')]);
  expect(text).not.toContain('não existe');
  const link = text.split(`>Ana Souza</a> ${ana.email}`)[0]?.split('href="').at(-1)?.replace(/".*/s, '') ?? '';
  expect(link).not.toContain('s3cr3t');
  await visit.get(at + link.replaceAll('&amp;', '&'));
  expect(visit.held(at)).toMatchObject({ ...typed, customer: ana.email });
  expect((await visit.submit(at, { password: 's3cr3t' })).text).toMatch(/<code class="secret">whsec_/);
  expect((await visit.get(`${at}?account=${ana.email}`)).text).toContain('https://127.0.0.1:8443/long/');
});

test('a webhook is not registered when no account is named', async () => {
  const at = '/console/webhook-endpoints';
  await visit.get(at);
  const { status, text } = await visit.submit(at, { customer: ' ', url: 'https://a.test/', password: 's3cr3t' });
  expect([status, text]).toEqual([400, expect.stringContaining('<a href="#customer">Conta: não confere</a>')]);
  expect(text).not.toContain('contas têm');
});

test('the search finds packages by their recipients', async () => {
  const key = first.packages[0]?.loggi_key;
  expect((await visit.get('/console/search?q=zuleica')).path).toBe(`/console/packages/${key}`);
});

test('the audit log names who did what to whom', async () => {
  await visit.get(`/console/users/${ana.id}`);
  await visit.submit(`/console/users/${ana.id}/fiscal-rule`, { rule: 'required' });
  const { text } = await visit.get('/console/audit-log');
  expect(text).toMatch(new RegExp(`href="/console/users/${service.operator.id}">[^<]+</a>`));
  expect(text).toContain(`href="/console/users/${ana.id}">Ana Souza</a>`);
});

test('the audit log is filtered by an operation in words and by the e-mail address of the actor', async () => {
  await visit.get('/console/audit-log');
  expect(visit.page.text).toContain('<option value="setFiscalRule">Regra fiscal alterada</option>');
  const rows = async (query: string) => {
    const { status, text } = await visit.get(`/console/audit-log?${query}`);
    expect(status).toBe(200);
    return [...text.matchAll(/<td data-label="Operação">([^<]*)</g)].map(([, operation]) => operation);
  };
  const own = `account=${encodeURIComponent(operatorLogin.email)}`;
  expect(new Set(await rows(`${own}&operation=setFiscalRule`))).toEqual(new Set(['Regra fiscal alterada']));
  expect(await rows('operation=eraseUser')).toEqual([]);
  for (const email of [ana.email, 'nobody@malote.test']) expect(await rows(`account=${email}`)).toEqual([]);
});

test('an unknown record has a page that says so; without a session the sign-in comes first', async () => {
  for (const path of [`/console/packages/${randomUUID()}`, '/console/nothing/here', '/console/']) {
    const { status, text } = await visit.get(path);
    expect([status, text]).toEqual([404, expect.stringContaining('<h1>Não encontrado.</h1>')]);
  }
  expect((await new Visitor(service.url).get('/console/nothing')).path).toBe(
    '/console/sign-in?back=%2Fconsole%2Fnothing',
  );
});
