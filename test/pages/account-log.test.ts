import { expect, test } from '@jest/globals';
import { orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The audit log of an account at `/envios` and at the console, without script. */

const service = await ownService();
const ana = await service.customer();
const english = { 'Accept-Language': 'en' };
const owner = new Visitor(service.url, english);
await owner.signIn({ email: ana.email, password: PASSWORD });

const rowsOf = (page: string) => page.split('<tbody')[1]?.split('</tbody>')[0] ?? '';

test('an owner sees the changes in the account, filters them, and downloads them as a file', async () => {
  const order = must(await ana.rest.POST('/api/v1/orders', { body: orderBody() }));
  must(await ana.rest.POST('/api/v1/api-keys', { body: { name: '=Loja', scope: 'all' } }));
  const params = { path: { id: ana.id } };
  await service.operator.operator.POST('/operator/v1/users/{id}/phone-confirmation', { params });
  const { text } = await owner.get('/envios/audit-log');
  for (const words of ['Order created', 'API key created', 'Phone confirmed', 'The carrier&#39;s operator'])
    expect(text.replaceAll("'", '&#39;')).toContain(words);
  expect(text).toContain(`/envios/orders/${order.id}`);
  expect(text).not.toContain(service.operator.id);
  const { text: narrowed } = await owner.get('/envios/audit-log?actor=operator');
  expect(rowsOf(narrowed)).toContain('Phone confirmed');
  expect(rowsOf(narrowed)).not.toContain('Order created');
  const { text: file } = await owner.get('/envios/audit-log.csv?operation=createOrder');
  expect(file.trim().split('\r\n')).toHaveLength(2);
});

test('a person who is not an owner is refused with the reason', async () => {
  const body = { name: 'Bia', email: 'bia@log.test', role: 'shipper' } as const;
  const { member, link } = must(await ana.rest.POST('/api/v1/members', { body }));
  const bia = new Visitor(service.url, english);
  const path = `/envios/password/${link.token}`;
  await bia.get(path);
  await bia.submit(path, { password: PASSWORD });
  await bia.signIn({ email: member.email, password: PASSWORD });
  expect((await bia.get('/envios/audit-log')).status).toBe(403);
});

test('an operator sees the log of one account at the console', async () => {
  const operator = new Visitor(service.url, english);
  await operator.signIn(operatorLogin);
  const { text } = await operator.get(`/console/users/${ana.id}`);
  const path = `/console/audit-log?user_id=${ana.id}`;
  expect(text).toContain(path);
  expect(rowsOf((await operator.get(path)).text)).toContain('Order created');
  expect(rowsOf((await operator.get('/console/audit-log')).text)).not.toContain('Order created');
});
