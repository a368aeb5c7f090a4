import { describe, expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { newRecords } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The work of an operator at the console, without a script. Each action is an operation of the contracts. */

const service = await ownService();
const records = await newRecords(service);
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

const inForm = (address: string, complement: string) => ({
  'address.address': address,
  'address.complement': complement,
});
const brl = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

const ofPackage = { params: { path: { loggi_key: records.loggiKey } } };
const tracked = async () => must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', ofPackage));

const user = async () =>
  must(await service.operator.rest.GET('/api/v1/users/{id}', { params: { path: { id: records.userId } } }));

const audited = async (operation: string) =>
  must(await service.operator.operator.GET('/operator/v1/audit-log', { params: { query: { operation } } })).data;

describe('the search', () => {
  const found = async (q: string) => (await visit.get(`/console/search?q=${encodeURIComponent(q)}`)).path;

  test('finds a package by its tracking code in any case, its barcode and its key', async () => {
    const { tracking_code, barcode, loggi_key } = await tracked();
    const page = `/console/packages/${loggi_key}`;
    for (const code of [tracking_code, tracking_code.toLowerCase(), ` ${barcode} `, loggi_key])
      expect(await found(code)).toBe(page);
  });

  test('finds an order by its id and its external id, a user by id and e-mail, a body and an endpoint by their ids', async () => {
    const { orderId, userId, email, webhookId, endpointId } = records;
    const order = must(await service.operator.rest.GET('/api/v1/orders/{id}', { params: { path: { id: orderId } } }));
    expect(await found(orderId)).toBe(`/console/orders/${orderId}`);
    expect(await found(order.external_id ?? '')).toBe(`/console/orders/${orderId}`);
    expect([await found(userId), await found(email)]).toEqual([`/console/users/${userId}`, `/console/users/${userId}`]);
    expect(await found(webhookId)).toBe(`/console/deliveries/${webhookId}`);
    expect(await found(endpointId)).toBe(`/console/webhook-endpoints/${endpointId}`);
  });

  test('lists several results for a name, and says when there is none', async () => {
    await service.customer();
    expect(await found('Ana Souza')).toContain('/console/search');
    expect(visit.page.text).toContain(records.email);
    await found('<b>nobody</b>');
    expect(visit.page.text).toContain('Nada encontrado');
    expect(visit.page.text).not.toContain('<b>nobody');
  });
});

test('a tracking link is renewed and revoked', async () => {
  const page = `/console/packages/${records.loggiKey}`;
  const before = (await tracked()).tracking_url;
  await visit.get(page);
  await visit.end(`${page}/tracking-link`);
  const renewed = (await tracked()).tracking_url;
  expect([renewed === before, visit.page.path]).toEqual([false, `${page}?done=saved`]);
  await visit.end(`${page}/tracking-link/revocation`);
  expect((await tracked()).tracking_url).toBeUndefined();
});

test('a package is cancelled on a page that says what ends and the new price of the order', async () => {
  const { packages, pricing } = await placeOrder(await service.customer(), 2);
  const page = `/console/packages/${packages[0]?.loggi_key}`;
  expect((await visit.get(page)).text).toContain(`${page}/cancellation`);
  expect((await visit.get(`${page}/cancellation`)).text).toContain(brl.format(Number(pricing.total)));
  expect(visit.page.text).toContain('Os outros pacotes do pedido seguem');
  await visit.submit(`${page}/cancellation`);
  const text = expect.stringContaining('>Cancelado</span>');
  expect(visit.page).toMatchObject({ path: `${page}?done=saved`, text });
  expect(visit.page.text).not.toContain(`${page}/cancellation`);
  const targets = { loggi_key: packages[0]?.loggi_key };
  expect(await audited('cancelPackageForShipper')).toMatchObject([{ actor_id: service.operator.id, targets }]);
  await visit.get(`/console/packages/${packages[1]?.loggi_key}/cancellation`);
  expect(visit.page.text).toContain('É o último pacote');
});

test('an address is changed after a page with its price and its reading; a refusal keeps the typed text', async () => {
  const { packages, pricing } = await placeOrder(await service.customer(), 2);
  const page = `/console/packages/${packages[0]?.loggi_key}`;
  const form = `${page}/address-change`;
  expect((await visit.get(page)).text).toContain(`href="${form}">Alterar endereço</a>`);
  await visit.get(form);
  expect(visit.held(form)).toMatchObject(inForm(packages[0]?.address.address ?? '', 'ap 12'));
  const nowhere = await visit.submit(form, inForm('Rua Um, 1', 'fundos'));
  expect(nowhere.status).toBe(400);
  expect(nowhere.text).toContain('<a href="#address.address">Endereço: não encontramos este endereço');
  expect(visit.held(form)).toMatchObject(inForm('Rua Um, 1', 'fundos'));

  const typed = inForm('Rua XV de Novembro, 100 - Centro, Santos - SP', 'sala 3');
  await visit.submit(form, typed);
  const { total, ...confirmed } = visit.held(form);
  expect(confirmed).toMatchObject(typed);
  for (const text of [brl.format(Number(pricing.total)), brl.format(Number(total)), 'Entendido como', 'Santos – SP'])
    expect(visit.page.text).toContain(text);
  const other = await visit.submit(form, { total: '0.01' });
  expect([other.status, visit.held(form)]).toEqual([409, expect.objectContaining(typed)]);
  await visit.submit(form);
  await visit.submit(form);
  const text = expect.stringContaining('Rua XV de Novembro, 100');
  expect(visit.page).toMatchObject({ path: `${page}?done=saved`, text });
  expect(await audited('changeAddressForShipper')).toHaveLength(1);

  expect((await visit.get(`${form}?lang=en`)).text).toContain('Change address');
  await visit.get(`${page}?lang=pt-BR`);
});

describe('a change of a user', () => {
  const page = () => `/console/users/${records.userId}`;

  test('is made by the operator who is signed in, as the audit log says', async () => {
    await visit.get(page());
    await visit.submit(page(), { name: 'Ana Lima' });
    expect([visit.page.path, (await user()).name]).toEqual([`${page()}?done=saved`, 'Ana Lima']);
    const [entry] = await audited('updateUser');
    expect(entry).toMatchObject({ actor_id: service.operator.id, targets: { id: records.userId } });
  });

  test('after another person’s change shows both texts, and is made when the form is sent again', async () => {
    await visit.get(page());
    const { email, phone } = await user();
    const body = { email, name: 'Ana Prado', phone };
    await service.operator.rest.PUT('/api/v1/users/{id}', { params: { path: { id: records.userId } }, body });
    const { status, text } = await visit.submit(page(), { name: 'Ana Reis' });
    expect([status, (await user()).name]).toEqual([412, 'Ana Prado']);
    expect(text).toMatch(/value="Ana Reis".*id="name-error">Está gravado agora: Ana Prado</s);
    expect(text.match(/Está gravado agora/g)).toHaveLength(1);
    expect((await visit.submit(page())).status).toBe(200);
    expect((await user()).name).toBe('Ana Reis');
  });

  test('sets the fiscal rule of the account, which the form shows', async () => {
    const { id } = await service.customer();
    const at = `/console/users/${id}`;
    await visit.get(at);
    expect(visit.held(`${at}/fiscal-rule`)).toMatchObject({ rule: 'default' });
    await visit.submit(`${at}/fiscal-rule`, { rule: 'required' });
    expect([visit.page.path, visit.held(`${at}/fiscal-rule`)['rule']]).toEqual([`${at}?done=saved`, 'required']);
    const path = { id };
    const rule = await service.operator.operator.GET('/operator/v1/users/{id}/fiscal-rule', { params: { path } });
    expect(must(rule)).toEqual({ user_id: id, rule: 'required', in_force: 'required' });
  });

  test('can confirm a phone and rotate a key', async () => {
    const { id } = await service.customer({ phoneConfirmed: false });
    const at = `/console/users/${id}`;
    await visit.get(at);
    await visit.submit(`${at}/phone-confirmation`);
    await visit.end(`${at}/api-key-rotation`);
    const done = await Promise.all(['confirmPhone', 'rotateApiKey'].map(audited));
    expect(done.map(([entry]) => entry?.targets['id'])).toEqual([id, id]);
  });

  test('can revoke one of the named API keys, which the page lists', async () => {
    const { id, rest } = await service.customer();
    const { api_key } = must(await rest.POST('/api/v1/api-keys', { body: { name: 'Loja', scope: 'read' } }));
    const at = `/console/users/${id}`;
    expect((await visit.get(at)).text).toMatch(/<td[^>]*>Loja<\/td><td[^>]*>Só consultar<\/td>/);
    expect((await visit.end(`${at}/api-keys/${api_key.id}/revocation`)).path).toBe(`${at}?done=saved`);
    const revoked = must(await rest.GET('/api/v1/api-keys/{id}', { params: { path: { id: api_key.id } } }));
    expect(revoked.revoked_at).toEqual(expect.any(String));
    expect(visit.page.text).not.toContain(`${api_key.id}/revocation`);
  });

  test('can create a user, and names errors', async () => {
    await visit.get('/console/users');
    const typed = { name: 'Rita', email: 'rita@malote.test', phone: '+55 11 91234-5678', role: 'operator' };
    const refused = await visit.submit('/console/users', { ...typed, password: 'short' });
    expect(refused.text).toContain('<a href="#password">Senha: pelo menos 8 caracteres</a>');
    expect(visit.held('/console/users')).toMatchObject({ email: 'rita@malote.test', role: 'operator', password: '' });
    const unproved = await visit.submit('/console/users', { password: 'long enough' });
    expect(unproved.text).toContain('Digite também a sua senha, ou um código do segundo fator.');
    const proof = { password: 'long enough', current_password: operatorLogin.password };
    const { path } = await visit.submit('/console/users', proof);
    expect(path).toMatch(/^\/console\/users\/[\da-f-]{36}\?done=created$/);
  });
});

describe('webhook endpoints', () => {
  const page = () => `/console/webhook-endpoints/${records.endpointId}`;
  const act = (name: string) => visit.submit(`${page()}/${name}`);

  test('show the sent bodies, and send one again', async () => {
    const at = `/console/deliveries/${records.webhookId}`;
    await visit.get(at);
    expect((await visit.submit(`${at}/replay`)).path).toBe(`${at}?done=sent`);
  });

  test('are tested, disabled, enabled, replayed and sent to now', async () => {
    await visit.get(page());
    expect((await act('test')).path).toMatch(/^\/console\/deliveries\//);
    await visit.get(page());
    await act('send-now');
    expect((await visit.end(`${page()}/disable`)).text).toMatch(/>Desativado<.*por um operador/s);
    expect((await act('enable')).path).toBe(`${page()}?done=saved`);
    await act('replay');
    await service.db.deleteFrom('webhook_catch_ups').execute();
    await visit.end(`${page()}/disable`);
    expect(visit.held(`${page()}/enable`)).toMatchObject({ moved: '' });
    await visit.submit(`${page()}/enable`, { moved: 'leave' });
    const catchUps = service.db.selectFrom('webhook_catch_ups').select('ended_at').execute();
    expect(await catchUps).toEqual([{ ended_at: expect.any(Date) }]);
    const onEndpoint = ['testWebhookEndpoint', 'disableWebhookEndpoint', 'enableWebhookEndpoint'];
    for (const operation of [...onEndpoint, 'sendNow', 'replayDeliveries'])
      expect((await audited(operation))[0]?.actor_id).toBe(service.operator.id);
  });

  test('are registered and changed; a signing secret is shown once', async () => {
    await visit.get('/console/webhook-endpoints');
    const url = 'https://127.0.0.1:8443/console';
    const typed = { customer: 'nobody@malote.test', url, username: 'malote', password: 's3cr3t' };
    const unknown = await visit.submit('/console/webhook-endpoints', typed);
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('<a href="#customer">')]);
    const asked = { ...typed, customer: records.email, open: 'tell' };
    const { text } = await visit.submit('/console/webhook-endpoints', asked);
    const owed = service.db.selectFrom('webhook_catch_ups').select('kind').where('kind', '=', 'open').execute();
    expect(await owed).toHaveLength(1);
    expect(text).toMatch(/<code class="secret">whsec_/);
    const at = /href="(\/console\/webhook-endpoints\/[\da-f-]{36})"/.exec(text)?.[1] ?? '';
    expect((await visit.get(at)).text).not.toContain('whsec_');
    await visit.submit(at, { lanes: '3', url: `${url}/2` });
    expect(visit.held(at)).toMatchObject({ lanes: '3', url: `${url}/2` });
    const stale = visit.held(at);
    await visit.submit(at, { lanes: '4' });
    expect((await visit.post(at, { ...stale, lanes: '5' })).status).toBe(412);
  });
});

describe('keys, rates and statuses', () => {
  test('an operator key is made, its secret shown once, and revoked', async () => {
    expect((await visit.get('/console/operator-keys')).text).toContain('<option value="courier"');
    const all = { name: 'Back office', scope: 'all' };
    expect((await visit.submit('/console/operator-keys', all)).status).toBe(403);
    const proven = await visit.submit('/console/operator-keys', { ...all, current_password: operatorLogin.password });
    expect([proven.status, proven.text]).toEqual([200, expect.stringMatching(/mok_/)]);
    await visit.get('/console/operator-keys');
    const { text } = await visit.submit('/console/operator-keys', { name: 'Scanner 7', scope: 'read' });
    const secret = /<code class="secret">(mok_[\w-]+)</.exec(text)?.[1];
    const asked = () =>
      fetch(`${service.url}/operator/v1/rate-cards`, { headers: { Authorization: `Bearer ${secret}` } });
    expect((await asked()).status).toBe(200);
    const { text: list } = await visit.get('/console/operator-keys');
    await visit.end(/Scanner 7.*?href="([^"]+revocation)"/s.exec(list)?.[1] ?? '');
    expect(visit.page.path).toBe('/console/operator-keys?done=saved');
    expect((await audited('revokeOperatorKey'))[0]?.actor_id).toBe(service.operator.id);
  });

  test('a rate card has a preview of its changes and is then put in force; Brazilian decimals are read, too', async () => {
    await visit.get('/console/rate-cards');
    const before = must(await service.operator.operator.GET('/operator/v1/rate-cards/current'));
    const { text } = await visit.submit('/console/rate-cards/preview', { base: '11,50' });
    expect(text).toContain(`href="/console/orders/${records.orderId}"`);
    expect(must(await service.operator.operator.GET('/operator/v1/rate-cards/current'))).toEqual(before);
    await visit.submit('/console/rate-cards');
    const current = must(await service.operator.operator.GET('/operator/v1/rate-cards/current'));
    expect([visit.page.path, current.base]).toEqual(['/console/rate-cards?done=saved', '11.50']);
  });

  test('zones are edited as a table, and each error stands beside its cell', async () => {
    await visit.get('/console/rate-cards');
    const fall = { 'zones.rows.1.economy.prices.0': '9,90' };
    const { status, text } = await visit.submit('/console/rate-cards/preview', fall);
    expect(status).toBe(400);
    const [, cell = ''] = /(<input name="zones\.rows\.1\.economy\.prices\.0".*?)<\/td>/.exec(text) ?? [];
    expect(cell).toMatch(/value="9,90".*aria-invalid="true".*baixo demais/);
    expect(text.match(/aria-invalid/g)).toHaveLength(1);
    const emptied = Object.keys(visit.held('/console/rate-cards/preview')).filter((name) =>
      /^zones\.(rows\.0\.|weights\.0$)/.test(name),
    );
    const added = Object.fromEntries(emptied.map((name) => [name, '']));
    expect(visit.held('/console/rate-cards/preview')).toMatchObject({
      'zones.weights.1': '2',
      'zones.weights.5': '30',
    });
    const kilograms = { 'zones.weights.1': '2,5' };
    await visit.submit('/console/rate-cards/preview', {
      ...added,
      ...kilograms,
      'zones.rows.1.economy.prices.0': '20,90',
    });
    expect(visit.page.text).toMatch(/Zonas<\/dt><dd>6<.*Peso até<\/dt><dd>30 kg</s);
    await visit.submit('/console/rate-cards');
    const { zones, urban_km } = must(await service.operator.operator.GET('/operator/v1/rate-cards/current'));
    expect([visit.page.path, urban_km]).toEqual(['/console/rate-cards?done=saved', 60]);
    expect(zones).toMatchObject({ weights: [2500, 5000, 10_000, 20_000, 30_000], economy_days: 3 });
    expect(zones?.rows).toHaveLength(6);
    const economy = { prices: ['23.90', '29.90', '39.90', '57.90', '74.90'] };
    const prices = ['27.90', '35.90', '47.90', '69.90', '89.90'];
    expect(zones?.rows[0]).toMatchObject({ up_to_km: 300, prices, economy });
  });

  test('a status is added once when its form is sent again', async () => {
    const typed = { code: '77', name: 'Em quarentena', description: 'Aguarda análise.', stage: 'processing' };
    await visit.get('/console/package-statuses');
    expect((await visit.submit('/console/package-statuses', typed)).path).toBe('/console/package-statuses?done=saved');
    expect((await visit.submit('/console/package-statuses', typed)).status).toBe(409);
  });
});
