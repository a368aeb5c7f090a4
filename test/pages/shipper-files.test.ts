import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import {
  agreed,
  checkAll,
  facts,
  faultyFile,
  fileOf,
  HEAD,
  orderAll,
  PAGE,
  PICKUP,
  row,
  rowsOf,
  settings,
  shipperAt,
} from './order-files.js';

/** Files of orders at `/envios`, without a script: from the file to the orders. */

const service = await ownService(settings);
const shipper = () => shipperAt(service);

describe('a file of orders', () => {
  test('uses a saved pickup, with complement and sender, for rows that name no pickup', async () => {
    const { visit, customer } = await shipper();
    expect((await visit.get(PAGE)).text).not.toContain('saved_pickup');
    const address = { address: PICKUP, complement: 'Loja 4' };
    const pickups = [
      { name: 'Galpão', address: { address: 'Rua XV de Novembro, 100, Santos - SP' } },
      { name: 'Loja', address, sender: { name: 'Loja Centro', phone: '11 97777-6666' } },
    ];
    must(await customer.rest.PUT('/api/v1/presets', { body: { pickups, boxes: [] } }));
    expect((await visit.get(PAGE)).text).toContain('Loja</option>');
    const own = 'Rua Augusta, 500, São Paulo - SP';
    const file = [`${HEAD};coleta`, `${row('A')};`, `${row('B')};${own}`, ''].join('\r\n');
    await visit.upload(PAGE, 'pedidos.csv', file, { saved_pickup: '1' });
    await orderAll(visit);
    const { data } = must(await customer.rest.GET('/api/v1/orders', {}));
    const orders = await Promise.all(
      data.map(async ({ id }) => must(await customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }))),
    );
    const collected = orders.map(({ external_id, pickups: [pickup] }) => [
      external_id,
      pickup?.address,
      pickup?.sender,
    ]);
    expect(collected.sort()).toEqual([
      ['A', expect.objectContaining(address), expect.objectContaining({ name: 'Loja Centro' })],
      ['B', expect.objectContaining({ address: own }), undefined],
    ]);
    expect(orders.find(({ external_id: id }) => id === 'B')?.pickups[0]?.address.complement).toBeUndefined();
  });

  test('has columns for the reference of a package, its sender, and metadata of any name', async () => {
    const { visit, upload, customer } = await shipper();
    const head = `${HEAD};referencia_pacote;remetente;remetente_telefone;metadata.Canal`;
    await upload([head, `${row('A')};Venda 1;Loja Centro;11 97777-6666;loja`, `${row('B')};;;;`, ''].join('\r\n'));
    await orderAll(visit);
    const { data } = must(await customer.rest.GET('/api/v1/orders', {}));
    const orders = await Promise.all(
      data.map(async ({ id }) => must(await customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }))),
    );
    // Both orders have the same time, so either may come first.
    const named = orders.find(({ metadata }) => metadata);
    const plain = orders.find(({ metadata }) => !metadata);
    expect(named).toMatchObject({
      metadata: { Canal: 'loja' },
      pickups: [{ sender: { name: 'Loja Centro', phone: '11 97777-6666' } }],
      packages: [{ reference: 'Venda 1' }],
    });
    expect([plain?.metadata, plain?.pickups[0]?.sender, plain?.packages[0]?.reference].filter(Boolean)).toEqual([]);
    await visit.get(`/envios/orders/${named?.id}`);
    for (const text of ['Canal', 'loja', 'Loja Centro, 11 97777-6666', 'Venda 1'])
      expect(visit.page.text).toContain(text);
  });

  test('shows the price and the errors before anything is ordered', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(
      fileOf(row('A'), row('B', { phone: 'none', weight: 'leve' }), row('C', { address: 'Xyzópolis' }), row('A')),
    );
    expect(facts(visit)).toEqual([4, 1, 0, 0, 3]);
    const [, faulty = ''] = visit.page.text.split('<h2>Linhas a corrigir</h2>');
    const cells = [...faulty.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(cells).toEqual([
      ...['3', 'telefone', 'um telefone como +55 11 91234-5678', 'none'],
      ...['3', 'peso_kg', 'um número em kg, como 1,2', 'leve'],
      ...['4', 'endereco', 'não encontramos este endereço: diga a cidade e a UF, ou o CEP', 'Xyzópolis'],
      ...['5', 'referencia', 'esta referência já está na linha 2', 'A'],
    ]);
    expect(visit.page.text).toMatch(/R\$\u00a0\d+,\d\d/);
    expect(await orders()).toBe(0);
  });

  test('shows how each address was read, and orders to an unsure address only when it is ticked', async () => {
    const { visit, customer, upload, orders } = await shipper();
    const addresses = ['Rua dos Pinheiros, 498 - Pinheiros', 'Campinas - SP', 'Rua Oscar Freire, 300, São Paulo'];
    await upload(fileOf(...addresses.map((address, at) => row(`R-${at}`, { address })), row('R-3')));
    const { text } = visit.page;
    expect(facts(visit)).toEqual([4, 4, 0, 0, 0]);
    const [unsure = '', sure = ''] = text.split('<details>');
    expect(unsure).toMatch(/Rua dos Pinheiros, 498 - Pinheiros.*Pinheiros – ES.*<time datetime="[\d-]{10}">.*R\$/s);
    expect(unsure.match(/type="checkbox" name="(delivery|pickup)/g)).toHaveLength(2);
    // One of the three readings is that of the pickup.
    expect(sure).toMatch(/: 3<\/summary>.*rua oscar freire, 300.*São Paulo – SP/is);
    const box = /name="(delivery\.\d+)"[^>]*aria-label="[^"]*R-1"/.exec(text)?.[1] ?? '';
    await visit.submit(`${PAGE}/order/parts`, { [box]: 'yes', ...agreed });
    expect([await orders(), facts(visit)]).toEqual([3, [4, 0, 3, 0, 1]]);
    expect(visit.page.text).toContain('não foi confirmado: escreva cidade e UF, ou o CEP');
    expect(faultyFile(visit)).toContain('Rua dos Pinheiros, 498 - Pinheiros');
    const { data } = must(await customer.rest.GET('/api/v1/packages', {}));
    expect(new Set(data.map(({ resolved_address: place }) => place.city))).toEqual(new Set(['São Paulo', 'Campinas']));
  });

  test('asks once about an unsure pickup, and leaves out its rows without a tick', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(fileOf(row('A'), row('B')), 'Campinas - SP');
    expect(visit.page.text.match(/type="checkbox" name="(delivery|pickup)/g)).toHaveLength(1);
    const form = { ...visit.held(`${PAGE}/order/parts`), ...agreed };
    await visit.post(`${PAGE}/order/parts`, form);
    expect([await orders(), facts(visit)]).toEqual([0, [2, 0, 0, 0, 2]]);
    await visit.post(`${PAGE}/order/parts`, { ...form, 'pickup.0': 'yes' });
    expect([await orders(), facts(visit)]).toEqual([2, [2, 0, 2, 0, 0]]);
  });

  test('refuses an unknown word for a service or a yes, and names unknown columns', async () => {
    const { visit, upload } = await shipper();
    const more = fileOf(`${row('A')};rápida;`, `${row('B')};Econômica;talvez`, `${row('C')};;não`);
    await upload(more.replace('valor_declarado', 'valor_declarado;servico;pin'), '');
    expect(facts(visit)).toEqual([3, 0, 0, 0, 3]);
    const cells = [...visit.page.text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(cells).toEqual([
      ...['2', 'servico', 'não é um dos valores possíveis', 'rápida'],
      ...['3', 'pin', 'não é um dos valores possíveis', 'talvez'],
      ...['4', 'coleta', 'preencha este campo', ''],
    ]);
  });

  test('orders nothing until the box beside the sum is ticked', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(fileOf(row('A'), row('B')));
    expect(visit.page.text).toMatch(/Fazer estes pedidos: 2, R\$\u00a0[\d,]+</);
    await visit.submit(`${PAGE}/order/parts`);
    expect([await orders(), facts(visit)]).toEqual([0, [2, 2, 0, 0, 0]]);
    await orderAll(visit);
    expect(await orders()).toBe(2);
  });

  test('places each order once, even when a part or the file is sent again', async () => {
    const { visit, upload, orders, customer } = await shipper();
    const file = fileOf(...rowsOf(120), row('P-121', { address: 'Xyzópolis' }));
    await upload(file);
    await checkAll(visit);
    const part = { ...visit.held(`${PAGE}/order/parts`), ...agreed };
    await visit.post(`${PAGE}/order/parts`, part);
    expect(facts(visit)).toEqual([121, 20, 100, 0, 1]);
    await visit.post(`${PAGE}/order/parts`, part);
    expect([await orders(), facts(visit)]).toEqual([100, [121, 20, 100, 0, 1]]);
    await orderAll(visit);
    expect([await orders(), facts(visit)]).toEqual([120, [121, 0, 120, 0, 1]]);
    await upload(file.replace('Xyzópolis', 'Rua do Comércio, 10, Santos - SP, 11010-141'));
    await checkAll(visit);
    expect(facts(visit)).toEqual([121, 1, 0, 120, 0]);
    await orderAll(visit);
    expect(await orders()).toBe(121);
    const { data } = must(await customer.rest.GET('/api/v1/orders', { params: { query: { external_id: 'P-121' } } }));
    expect(data).toEqual([expect.objectContaining({ package_count: 1 })]);
  });

  test('offers its labels in files of the largest allowed size', async () => {
    const { visit, upload } = await shipper();
    await upload(fileOf(...rowsOf(102)));
    await checkAll(visit);
    await orderAll(visit);
    const links = [...visit.page.text.matchAll(/href="(\/envios\/labels\?[^"]+)"/g)].map(([, href = '']) => href);
    expect(links).toHaveLength(3);
    for (const link of links) {
      const { status, headers } = await visit.get(link.replaceAll('&amp;', '&'));
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
    }
  });

  test('returns its wrong rows as a file, which can be corrected and ordered', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(fileOf(row('A'), row('B', { phone: 'x' })));
    const faulty = faultyFile(visit);
    expect(faulty).toMatch(/^\uFEFF"referencia";.*;"erros"\r\n"B";.*"telefone: [^"]+"\r\n$/s);
    await upload(faulty.replace('"x"', '"11 91234-5678"'));
    expect(facts(visit)).toEqual([1, 1, 0, 0, 0]);
    await orderAll(visit);
    expect(await orders()).toBe(1);
  });

  test('does not use the request budget of the account, which is for its programs', async () => {
    const { visit, upload, customer } = await shipper();
    await upload(fileOf(...rowsOf(150)));
    await checkAll(visit);
    const { response } = await customer.rest.GET('/api/v1/users/me');
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, '99']);
  });

  test('continues only where this session left it', async () => {
    const { visit, upload } = await shipper();
    await upload(fileOf(row('A')));
    const action = `${PAGE}/order/parts`;
    const form = visit.held(action);
    const altered = Buffer.from(form['progress'] ?? '', 'base64url');
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    for (const progress of ['', altered.toString('base64url')])
      expect((await visit.post(action, { ...form, progress })).status).toBe(400);
    const other = await shipper();
    const { form_token = '' } = other.visit.held('/envios/sign-out');
    expect((await other.visit.post(action, { ...form, form_token })).status).toBe(400);
  });
});
