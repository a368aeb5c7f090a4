import { expect, test } from '@jest/globals';
import { atPackage, movement, placeOrder, record } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Erasing recipients at the console: they are counted first, and the operator proves the password. */

const service = await ownService();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);
const PAGE = '/console/erasures';

test('recipients are counted, and erased only with the password', async () => {
  const { id, packages } = await placeOrder(await service.customer(), 1);
  const key = packages[0]?.loggi_key ?? '';
  await record(service.operator, movement(key, { status_code: 5 }));
  const earlier = new Date(Date.now() - 2 * 86_400_000);
  await service.db
    .updateTable('orders')
    .set({ created_at: earlier, updated_at: earlier })
    .where('id', '=', id)
    .execute();
  const name = async () =>
    must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key))).recipient.name;

  expect((await visit.get('/console/users')).text).toContain(`href="${PAGE}"`);
  await visit.get(PAGE);
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' }).format(new Date());
  await visit.submit(`${PAGE}/count`, { before: today });
  expect(visit.page.text).toMatch(/Pedidos<\/dt><dd>1<.*Pacotes<\/dt><dd>1</s);
  expect(await name()).not.toBe('Erased');
  for (const proof of [{}, { current_password: 'another password' }]) {
    const { status } = await visit.submit(PAGE, proof);
    expect([status, visit.held(PAGE)['before'], await name()]).toEqual([
      expect.any(Number),
      today,
      expect.not.stringMatching('Erased'),
    ]);
    expect(status).toBeGreaterThanOrEqual(400);
  }
  await visit.submit(PAGE, { current_password: operatorLogin.password });
  expect(visit.page.path).toBe(`${PAGE}?done=saved`);
  await waitFor(async () => (await name()) === 'Erased', 'erased');
  expect((await visit.get(PAGE)).text).toMatch(/Destinatários<.*data-label="Pedidos">1</s);
});
