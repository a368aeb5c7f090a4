import { expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { waitFor } from '../support/receiver.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Prices of an account: the operator gives it a card at the console, and the shipper reads it at `/envios`. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);
const shipper = new Visitor(service.url);
await shipper.signIn({ email: ana.email, password: PASSWORD });

const LIST = '/console/rate-cards';
const preview = `${LIST}/preview`;
const page = `/console/users/${ana.id}`;
/** Today's date in São Paulo. */
const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
const prices = async () => must(await ana.rest.GET('/api/v1/rate-card'));

test('a named card is previewed with the orders of one account, and then added', async () => {
  await placeOrder(ana, 1);
  await placeOrder(await service.customer(), 1);
  await visit.get(page);
  await visit.get(`${LIST}?user_id=${ana.id}`);
  await visit.submit(preview, { base: '19,90', name: 'contrato-2027' });
  expect(visit.page.text).toMatch(/Os 100 pedidos mais novos da conta.*Pedidos<\/dt><dd>1<.*Mais caros<\/dt><dd>1</s);
  await visit.submit(LIST);
  expect(visit.page.text).toContain('contrato-2027');
  expect((await prices()).current.base).toBe('9.90');
});

test('a card that begins later is announced, and a begin in the past is refused at its field', async () => {
  await visit.get(`${LIST}?name=contrato-2027`);
  expect(visit.held(preview)).toMatchObject({ name: 'contrato-2027', base: '19,90' });
  await visit.submit(preview, { base: '29,90', valid_from: '2026-01-01T00:00' });
  await visit.submit(LIST);
  expect(visit.page).toMatchObject({ status: 400, text: expect.stringContaining('cedo demais') });
});

test('an account gets a named card at once or from a day on', async () => {
  await visit.get(page);
  await visit.submit(`${page}/rate-card`, { card: 'contrato-2027', from: '2026-01-01' });
  expect(visit.page.text).toMatch(/id="from-error">cedo demais</);
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  await visit.submit(`${page}/rate-card`, { card: 'contrato-2027', from: day });
  expect(visit.page.text).toMatch(/Anunciada<\/dt><dd>.*contrato-2027/);
  expect((await prices()).announced).toMatchObject({ base: '19.90', valid_from: `${day}T03:00:00.000Z` });
  await visit.submit(`${page}/rate-card`, { card: 'contrato-2027', from: today });
  expect((await prices()).current.base).toBe('19.90');
});

test('the shipper sees the own prices, without the name that the operator gave them', async () => {
  const { text } = await shipper.get('/envios/rate-card');
  expect(text).toMatch(/Base<\/dt><dd>R\$\u00a019,90</);
  expect(text).toMatch(/Até km.*Econômica/s);
  expect(text).not.toContain('contrato');
});

test('a quote says until when its price holds, when other prices are announced', async () => {
  const form = Object.fromEntries(
    Object.entries({
      'recipient.name': 'Maria',
      'recipient.phone': '+55 11 91234-5678',
      'address.address': 'Rua Oscar Freire, 300, São Paulo - SP, 01426-000',
      'dimensions.width': '20',
      'dimensions.height': '10',
      'dimensions.length': '30',
      'dimensions.weight': '1',
    }).map(([name, value]) => [`packages.0.${name}`, value]),
  );
  const quote = async () => {
    await shipper.get('/envios/new-order');
    const pickup = { 'pickups.0.address.address': 'Av. Paulista, 1578, São Paulo - SP, 01310-200' };
    return (await shipper.submit('/envios/new-order', { ...pickup, ...form })).text;
  };
  expect(await quote()).not.toContain('Este preço vale até');
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  await visit.get(page);
  await visit.submit(`${page}/rate-card`, { card: 'standard', from: day });
  expect(await quote()).toMatch(/Este preço vale até<\/dt><dd><time/);
});

test('the shipper downloads the table of prices when it is made', async () => {
  await shipper.get('/envios/rate-table');
  const path = '/envios/rate-table?pickup_postal_code=01310-200&service=express&layout=vtex';
  const first = await shipper.get(path);
  expect([first.status, first.text.includes('A tabela está sendo feita')]).toEqual([200, true]);
  await waitFor(
    async () => (await shipper.get(path)).headers.get('content-type') === 'text/csv; charset=utf-8',
    'a table',
  );
  expect((await shipper.get(path)).text).toMatch(/^ZipCodeStart,/);
  expect((await shipper.get('/envios/rate-table?pickup_postal_code=00000-000')).text).toContain('role="alert"');
});
