import { describe, expect, test } from '@jest/globals';
import { movement, placeOrder, record } from '../operator/fixtures.js';
import { endpointBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { type Fields, Visitor } from './visitor.js';

/** The work of a shipper at `/envios`, without a script. Each action is an operation of REST. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn({ email: ana.email, password: PASSWORD });

const PAGE = '/envios/new-order';
const ADDRESS = 'Av. Paulista, 1578, São Paulo - SP, 01310-200';

const packageAt = (at: number, other: Fields = {}): Fields =>
  Object.fromEntries(
    Object.entries({
      'recipient.name': `Maria ${at}`,
      'recipient.phone': '+55 11 91234-5678',
      'address.address': 'Rua Oscar Freire, 300, São Paulo - SP, 01426-000',
      'dimensions.width': '20',
      'dimensions.height': '10,5',
      'dimensions.length': '30',
      'dimensions.weight': '1,2',
      ...other,
    }).map(([name, value]) => [`packages.${at}.${name}`, value]),
  );

const orderFields = (other: Fields = {}): Fields => ({
  'pickups.0.address.address': ADDRESS,
  ...packageAt(0),
  ...other,
});

const newest = async () => {
  const { data } = must(await ana.rest.GET('/api/v1/orders', {}));
  return must(await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id: data[0]?.id ?? '' } } }));
};

describe('a new order', () => {
  test('shows each address as it was read, and both services, before anything is ordered', async () => {
    await visit.get(PAGE);
    await visit.submit(PAGE, { ...orderFields(), next: 'add' });
    expect(visit.held(PAGE)).toMatchObject({ ...orderFields(), 'packages.1.recipient.name': '' });
    await visit.submit(PAGE, packageAt(1, { 'address.address': 'Campinas - SP', delivery_pin: 'sim' }));
    const { text, status } = visit.page;
    expect(status).toBe(200);
    expect(text).toMatch(/São Paulo – SP.*\((no número|na rua), ± [\d,.]+ k?m\)/s);
    expect(text).toContain('<span class="street-read">av paulista, 1578, </span>');
    expect(text).toMatch(/Campinas – SP.*\(só a cidade, ± [\d,.]+ km\)/s);
    expect(text.match(/R\$\u00a0\d+,\d\d/g)?.length).toBeGreaterThan(3);
    expect(must(await ana.rest.GET('/api/v1/orders', {})).data).toEqual([]);
  });

  test('is placed once, at the shown price', async () => {
    const form = visit.held('/envios/orders');
    await visit.post('/envios/orders', form);
    const order = await newest();
    expect(visit.page).toMatchObject({ status: 200, path: `/envios/orders/${order.id}?done=ordered` });
    expect(order).toMatchObject({ pricing: { total: form['expected_total'] }, service: 'express' });
    expect(order.packages.map(({ dimensions }) => dimensions)).toEqual([
      { width: 20, height: 10.5, length: 30, weight: 1200 },
      { width: 20, height: 10.5, length: 30, weight: 1200 },
    ]);
    expect(order.packages.map(({ delivery_pin: pin }) => pin)).toEqual([undefined, expect.stringMatching(/^\d{4,6}$/)]);
    await visit.post('/envios/orders', form);
    expect((await newest()).id).toBe(order.id);
  });

  test.each([
    ['São Paulo - SP', ['Pedir pela expressa']],
    ['Belém - PA', ['Pedir pela expressa', 'Pedir pela econômica']],
  ])('is offered with a slower service only if that is cheaper: to %s', async (address, offers) => {
    await visit.get(PAGE);
    const { text } = await visit.submit(PAGE, { ...orderFields(), 'packages.0.address.address': address });
    expect([...text.matchAll(/Pedir pela \p{L}+/gu)].map(([offer]) => offer)).toEqual(offers);
  });

  test('is refused when the price has changed, and the new price is shown', async () => {
    await visit.get(PAGE);
    await visit.submit(PAGE, orderFields());
    const { status, text } = await visit.submit('/envios/orders', { expected_total: '1.00' });
    expect([status, text]).toEqual([409, expect.stringContaining('Pedir pela expressa')]);
    expect(visit.held('/envios/orders')['expected_total']).not.toBe('1.00');
  });

  test('shows each error at its field, and keeps the other texts', async () => {
    await visit.get(PAGE);
    await visit.submit(
      PAGE,
      orderFields({ 'packages.0.dimensions.weight': 'leve', 'packages.0.address.address': 'Xyz' }),
    );
    expect(visit.page.status).toBe(400);
    expect(visit.page.text).toContain('href="#packages.0.dimensions.weight"');
    expect(visit.held(PAGE)).toMatchObject({ 'packages.0.recipient.name': 'Maria 0' });
  });
});

describe('the form of a new order', () => {
  const typed = (name: string) => visit.held(PAGE)[name];

  test('can remove any package, and later packages move up', async () => {
    await visit.get(PAGE);
    expect(visit.page.text).not.toContain('name="remove"');
    for (const at of [0, 1]) await visit.submit(PAGE, { ...packageAt(at), next: 'add' });
    await visit.submit(PAGE, { ...packageAt(2), remove: '1' });
    expect(visit.page.text.match(/name="remove"/g)).toHaveLength(2);
    expect([0, 1, 2].map((at) => typed(`packages.${at}.recipient.name`))).toEqual(['Maria 0', 'Maria 2', undefined]);
    await visit.submit(PAGE, { remove: '0' });
    expect([typed('packages.0.recipient.name'), typed('packages.1.recipient.name')]).toEqual(['Maria 2', undefined]);
  });

  test('has a first button that quotes, because Enter in a field presses it', async () => {
    const { text } = await visit.get(PAGE);
    const [, form = ''] = /<form method="post" action="\/envios\/new-order"[^>]*>(.*?)<\/form>/s.exec(text) ?? [];
    const [first] = form.match(/<button [^>]*>/) ?? [];
    expect(first).toMatch(/type="submit"/);
    expect(first).not.toMatch(/name=/);
  });

  test.each([
    [
      'Rua Augusta, 1500, São Paulo - SP, 69005-070',
      /o CEP é de Manaus - AM, mas o endereço diz São Paulo - SP: corrija/,
    ],
    ['Rua A, 1, Cidade Inexistente - SP', /não há cidade com esse nome em SP: confira como se escreve/],
    ['Rua A, 1, Bom Jesus', /a cidade pode ser Bom Jesus - PB, .* ou Bom Jesus - SC: escreva a UF, ou o CEP/],
    ['Rua A, 1, São Paulo - SP, 01310-200, 01310-100', /mais de um CEP: escreva um só/],
    ['Xyz', /não encontramos este endereço: diga a cidade e a UF, ou o CEP/],
  ])('says in Portuguese why an address is not placed: %s', async (address, reason) => {
    await visit.get(PAGE);
    const { status, text } = await visit.submit(PAGE, orderFields({ 'packages.0.address.address': address }));
    expect([status, text]).toEqual([400, expect.stringMatching(reason)]);
  });

  test('names a bound in the unit of the field, and both readings of an amount', async () => {
    await visit.get(PAGE);
    const heavy = { 'packages.0.dimensions.weight': '31', 'packages.0.dimensions.width': '101' };
    const { text } = await visit.submit(PAGE, orderFields(heavy));
    expect(text).toContain('Peso: no máximo 30 kg');
    expect(text).toContain('Largura: no máximo 100 cm');
    const long = {
      'packages.0.dimensions.width': '90',
      'packages.0.dimensions.length': '90',
      'packages.0.dimensions.height': '90',
    };
    expect((await visit.submit(PAGE, orderFields(long))).text).toContain('no máximo 200 cm');
    const value = { 'packages.0.declared_value': '1,349.90' };
    const refused = await visit.submit(PAGE, orderFields(value));
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('pode ser 1349,90 ou 1,34990: escreva sem separar os milhares, como 1349,90'),
    ]);
    expect(typed('packages.0.declared_value')).toBe('1,349.90');
  });
});

describe('a package', () => {
  const placed = async () => {
    const { packages } = await placeOrder(ana);
    const key = packages[0]?.loggi_key ?? '';
    return { key, path: `/envios/packages/${key}`, code: packages[0]?.tracking_code ?? '' };
  };
  const state = async (loggi_key: string) =>
    must(await ana.rest.GET('/api/v1/packages/{loggi_key}', { params: { path: { loggi_key } } }));

  test('shows its PIN and its link, and is found by its codes', async () => {
    const carried = (await newest()).packages[1];
    const { text } = await visit.get(`/envios/packages/${carried?.loggi_key}`);
    expect(text).toContain(`<strong>${carried?.delivery_pin}</strong>`);
    expect(text).toContain(`data-copy="${carried?.tracking_url}"`);
    for (const code of [carried?.tracking_code.toLowerCase(), carried?.barcode])
      expect((await visit.get(`/envios/search?q=${code}`)).path).toBe(`/envios/packages/${carried?.loggi_key}`);
  });

  test('is found by parts of its names, and by its codes as they are printed', async () => {
    const orderOf = async (name: string, reference: string) => {
      const recipient = { name, phone: '+55 21 93333-7788' };
      const { packages } = await placeOrder(ana, 1, { recipient, reference });
      return { path: `/envios/packages/${packages[0]?.loggi_key}`, code: packages[0]?.tracking_code ?? '' };
    };
    const [one, other] = [await orderOf('Úrsula Prado', 'Venda 9001/A'), await orderOf('Ivo Prado', 'Venda 9001/B')];
    const printed = one.code.replace(/(.{4})/g, '$1 ').trim();
    for (const text of ['ursula', 'venda 9001/a', printed, printed.toLowerCase()])
      expect((await visit.get(`/envios/search?q=${encodeURIComponent(text)}`)).path).toBe(one.path);
    const { path, text } = await visit.get('/envios/search?q=9001');
    expect(path).toBe('/envios/packages?search=9001');
    for (const found of [one, other]) expect(text).toContain(`href="${found.path}"`);
    expect(text).toContain('Venda 9001/A');
    expect((await visit.get('/envios/search?q=3333-7788')).text).toContain(other.code);
    expect((await visit.get(one.path)).text).toContain('Venda 9001/A');
    expect((await visit.get('/envios/search?q=nada%20disso')).text).toContain('Nenhum pacote por aqui.');
  });

  test('is on the first page when it waits for its shipper, and is answered on its own page', async () => {
    const { key, path, code } = await placed();
    const reason = { reason_label: 'Endereço', reason_description: 'O número não existe.' };
    await record(service.operator, movement(key, { status_code: 6, action_required: reason }));
    expect((await visit.get('/envios')).text).toContain(`href="${path}#answer"`);
    expect((await visit.get(path)).text).toContain('O número não existe.');
    await visit.submit(`${path}/answers`, { note: 'Portão verde', phone: '11 95555-4444' });
    expect(visit.page).toMatchObject({ path: `${path}?done=answered`, text: expect.stringContaining('Portão verde') });
    const { text } = await visit.get('/envios');
    expect([text.includes(code), text.includes(`${path}#answer`)]).toEqual([true, false]);
    expect((await state(key)).recipient.phone).toBe('11 95555-4444');
  });

  test('gets a new address at the shown price', async () => {
    const { key, path } = await placed();
    const action = `${path}/address-change`;
    await visit.get(action);
    await visit.submit(action, { 'address.address': 'Rua Augusta, 1500, São Paulo - SP' });
    expect((await state(key)).address.address).not.toContain('Augusta');
    await visit.submit(action);
    expect(visit.page.path).toBe(`${path}?done=saved`);
    expect((await state(key)).address.address).toBe('Rua Augusta, 1500, São Paulo - SP');
  });

  test('is cancelled on a page that says what ends, as an order is', async () => {
    const { key, path } = await placed();
    await visit.get(`${path}/cancellation`);
    expect((await state(key)).status.stage).toBe('created');
    await visit.submit(`${path}/cancellation`);
    expect((await state(key)).status.stage).toBe('cancelled');
    const { id } = await placeOrder(ana, 2);
    const { text } = await visit.get(`/envios/orders/${id}/cancellation`);
    expect(text).toMatch(/continua com o seu preço.*<dd>R\$\u00a0[\d,]+<\/dd>/s);
    await visit.submit(`/envios/orders/${id}/cancellation`);
    const order = must(await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));
    expect([order.status, visit.page.path]).toEqual(['cancelled', `/envios/orders/${id}?done=saved`]);
  });

  test('shows who received it when it was delivered, and can be returned', async () => {
    const { key, path } = await placed();
    await record(service.operator, movement(key, { status_code: 5 }));
    await visit.get(`${path}/return`);
    const total = visit.held(`${path}/return`)['expected_total'] ?? '';
    expect(visit.page.text).toContain(`<strong>R$\u00a0${total.replace('.', ',')}</strong>`);
    const changed = await visit.submit(`${path}/return`, { expected_total: '1.00' });
    expect([changed.status, visit.held(`${path}/return`)['expected_total']]).toEqual([409, total]);
    await visit.submit(`${path}/return`, { external_id: 'DEV-1' });
    const back = await newest();
    expect(back.pricing.total).toBe(total);
    expect([visit.page.path, back.external_id]).toEqual([`/envios/orders/${back.id}?done=ordered`, 'DEV-1']);
    expect((await visit.get(path)).text).toContain(`/envios/orders/${back.id}`);
  });
});

describe('lists', () => {
  test('are filtered by reference, status and day', async () => {
    const { id, external_id } = await placeOrder(ana);
    const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    const query = new URLSearchParams({ external_id: external_id ?? '', status: 'created', from: today, to: today });
    expect((await visit.get(`/envios/orders?${query}`)).text).toContain(`/envios/orders/${id}"`);
    expect((await visit.get(`/envios/packages?${query}&status_code=1`)).text).toContain('/envios/packages/');
    for (const other of ['status=out_for_delivery', 'external_id=none', 'to=2020-01-01'])
      expect((await visit.get(`/envios/orders?${other}`)).text).toContain('Nenhum pedido por aqui.');
  });

  test('print the labels of the marked orders', async () => {
    const orders = [await placeOrder(ana), await placeOrder(ana)].map(({ id }) => `order=${id}`);
    const { status, headers } = await visit.get(`/envios/labels?${orders.join('&')}&layout=a4`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect((await visit.get('/envios/labels')).path).toBe('/envios/orders');
  });

  test('can mark all rows, and print the labels of the marked packages in one file', async () => {
    await placeOrder(ana, 2);
    const { text } = await visit.get('/envios/packages?marked=all');
    const marked = [...text.matchAll(/name="package" value="([^"]+)"[^>]* checked/g)].map(([, value]) => value ?? '');
    expect(marked.length).toBeGreaterThan(1);
    const printed = new URLSearchParams(marked.slice(0, 2).map((value) => ['package', value]));
    const { status, headers } = await visit.get(`/envios/packages/labels?${printed}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect((await visit.get('/envios/packages/labels')).path).toBe('/envios/packages');
    expect((await visit.get('/envios/packages')).text).not.toMatch(/name="package"[^>]* checked/);
  });

  test('show which package is late', async () => {
    const { packages } = await placeOrder(ana);
    const [late] = packages;
    const path = `/envios/packages?search=${late?.tracking_code}`;
    expect((await visit.get(path)).text).not.toContain('Atrasado');
    const update = service.db.updateTable('packages').set({ promised_date: '2026-01-05' });
    await update.where('loggi_key', '=', late?.loggi_key ?? '').execute();
    expect((await visit.get(path)).text).toContain('Atrasado');
  });
});

describe('the account', () => {
  test('can make a key, which is shown once, and revoke it on a page that says what ends', async () => {
    const page = '/envios/api-keys';
    await visit.get(page);
    await visit.submit(page, { name: 'Loja', scope: 'read' });
    const [key = ''] = /mak_[\w-]+/.exec(visit.page.text) ?? [];
    expect(key).not.toBe('');
    expect((await visit.get(page)).text).not.toContain(key);
    const [path = ''] = /\/envios\/api-keys\/[\w-]+\/revocation/.exec(visit.page.text) ?? [];
    await visit.get(path);
    await visit.submit(path);
    const { data } = must(await ana.rest.GET('/api/v1/api-keys', {}));
    expect(data).toEqual([expect.objectContaining({ name: 'Loja', scope: 'read', revoked_at: expect.any(String) })]);
  });

  test('shows its payment methods', async () => {
    expect((await visit.get('/envios/account')).text).toContain(ana.email);
  });

  test('shows its webhook endpoints and their attempts', async () => {
    const made = await service.operator.operator.POST('/operator/v1/webhook-endpoints', { body: endpointBody(ana.id) });
    const path = `/envios/webhook-endpoints/${must(made).endpoint.id}`;
    expect((await visit.get('/envios/webhook-endpoints')).text).toContain(path);
    expect(await visit.get(path)).toMatchObject({ status: 200, text: expect.stringContaining('Tentativas') });
  });
});

test('an order may have a ready time and days, which its pages show; an impossible day is refused in words', async () => {
  const on = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await visit.get(PAGE);
  expect(visit.page.text).toMatch(/type="datetime-local"[^>]*>.*No horário de São Paulo/s);
  const fields = orderFields({ ready_at: `${on(6)}T10:30`, 'packages.0.deliver_by': on(2) });
  await visit.submit(PAGE, fields);
  expect(visit.page.text).toMatch(/Entregar até: o primeiro dia possível é \d\d\/\d\d\/\d{4}/);
  expect(visit.held(PAGE)).toMatchObject(fields);
  await visit.submit(PAGE, { 'packages.0.deliver_from': on(20), 'packages.0.deliver_by': on(40) });
  await visit.submit('/envios/orders');
  const { id, ready_at, packages } = await newest();
  expect([ready_at, packages[0]?.deliver_from, packages[0]?.deliver_by]).toEqual([
    ...[`${on(6)}T13:30:00.000Z`, on(20), on(40)],
  ]);
  const shown = (page: string) => page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(shown((await visit.get(`/envios/orders/${id}`)).text)).toMatch(/Pronto para coleta em .*, 10:30/);
  const page = shown((await visit.get(`/envios/packages/${packages[0]?.loggi_key}`)).text);
  expect(page).toMatch(/Chega até .* Entregar a partir de .* Entregar até /);
});
