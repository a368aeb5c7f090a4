import { expect, test } from '@jest/globals';
import { monthAt } from '../../src/orders/statements/months.js';
import { placeOrder } from '../operator/fixtures.js';
import { closedMonth } from '../support/closed-month.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Statements for people: the shipper at `/envios`, the operator at the console. */

const service = await ownService();
const { db } = service;
const ana = await service.customer();
const shipper = new Visitor(service.url);
await shipper.signIn({ email: ana.email, password: PASSWORD });
const operator = new Visitor(service.url, { 'Accept-Language': 'en' });
await operator.signIn(operatorLogin);

const order = await placeOrder(ana, 2);
must(
  await ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', {
    params: { path: { loggi_key: order.packages[0]?.loggi_key ?? '' } },
    body: {},
  }),
);
const closed = await closedMonth(db, ana.id);
const month = monthAt(new Date()).name;
const api = (path: string, token: string, language: string) =>
  fetch(`${service.url}${path}?language=${language}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
  });

test('the shipper sees the months, and each month with its sums and lines', async () => {
  const { text: list } = await shipper.get('/envios/statements');
  expect(list).toMatch(/Aberto.*Fechado/s);
  expect(list).toContain(`href="/envios/statements/${closed}"`);
  const { text } = await shipper.get(`/envios/statements/${month}`);
  expect(text).toMatch(/Somas por serviço.*Expressa.*Cancelamento de pacote/s);
  expect(text).toContain('data-print');
  expect((await shipper.get(`/envios/statements/${closed}`)).text).toMatch(/Fechado em.*R\$\u00a023,90/s);
});

test('the page distinguishes a month without lines from one that has not begun', async () => {
  expect((await shipper.get('/envios/statements/2020-01')).status).toBe(404);
  expect((await shipper.get('/envios/statements/2099-01')).status).toBe(400);
});

test('the file of a page equals that of the operation, in the language of the page', async () => {
  for (const name of [month, closed]) {
    const page = await shipper.get(`/envios/statements/${name}/csv`);
    expect(page.headers.get('content-disposition')).toBe(`attachment; filename="extrato-${name}.csv"`);
    expect(page.text).toBe(await (await api(`/api/v1/statements/${name}`, ana.token, 'pt-BR')).text());
  }
  const page = await operator.get(`/console/users/${ana.id}/statements/${closed}/csv`);
  expect(page.text).toBe(await (await api(`/api/v1/statements/${closed}`, ana.token, 'en')).text());
});

test('the operator sees the months of an account, and one month of all accounts with one file', async () => {
  const { text: list } = await operator.get(`/console/users/${ana.id}/statements`);
  expect(list).toMatch(/Statements: Ana Souza.*Open.*Closed/s);
  expect((await operator.get(`/console/users/${ana.id}/statements/${closed}`)).text).toContain('R$23.90');
  const { text: all } = await operator.get(`/console/statements?month=${closed}`);
  expect(all).toMatch(new RegExp(`/console/users/${ana.id}/statements/${closed}.*Ana Souza.*R\\$23.90`, 's'));
  const { text: file } = await operator.get(`/console/statements/${closed}/csv`);
  expect(file.split('\r\n')[1]).toMatch(new RegExp(`^"${ana.id}","Ana Souza",.*"23.90"$`));
  expect((await operator.get('/console/statements?month=2020-01')).text).toContain('No lines in this month.');
});
