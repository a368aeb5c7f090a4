import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Files of orders at the shippers' place, without a script. */

const service = await ownService({ RATE_LIMIT_ACCOUNT_PER_HOUR: '100', TRUST_PROXY: '1' });
const PAGE = '/envios/import';
const PICKUP = 'Av. Paulista, 1578, São Paulo - SP, 01310-200';
const HEAD = 'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg;valor_declarado';
let addresses = 0;

async function shipper() {
  const customer = await service.customer();
  const visit = new Visitor(service.url, { 'X-Forwarded-For': `10.9.2.${++addresses}` });
  await visit.signIn({ email: customer.email, password: PASSWORD });
  const upload = async (content: string | Buffer, pickup = PICKUP) => {
    await visit.get(PAGE);
    return visit.upload(PAGE, 'pedidos.csv', content, { pickup });
  };
  const orders = async () => must(await customer.rest.GET('/api/v1/orders', {})).pagination.total_items;
  return { visit, customer, upload, orders };
}

const row = (reference: string, other: Partial<Record<'address' | 'phone' | 'weight' | 'value', string>> = {}) => {
  const {
    address = 'Rua Oscar Freire, 300, São Paulo - SP',
    phone = '11 91234-5678',
    weight = '1,2',
    value = '',
  } = other;
  return [reference, 'Maria da Silva', phone, address, '20', '10,5', '30', weight, value].join(';');
};

const fileOf = (...rows: string[]) => [HEAD, ...rows, ''].join('\r\n');
const rowsOf = (count: number, from = 1) => Array.from({ length: count }, (_, at) => row(`P-${from + at}`));

/** Rows, ready, placed, there before, to be corrected. */
const facts = ({ page }: Visitor) => [...page.text.matchAll(/<dd>(\d+)<\/dd>/g)].map(([, count]) => Number(count));

async function toTheEnd(visit: Visitor, action: string) {
  while (visit.page.text.includes(`action="${action}"`)) await visit.submit(action, { agreed: 'yes' });
}
const checkAll = (visit: Visitor) => toTheEnd(visit, `${PAGE}/check/parts`);
const orderAll = (visit: Visitor) => toTheEnd(visit, `${PAGE}/order/parts`);

const FAULTY = /download="corrigir\.csv"[^>]* href="data:text\/csv;charset=utf-8;base64,([^"]+)"/;
const faultyFile = ({ page }: Visitor) => Buffer.from(FAULTY.exec(page.text)?.[1] ?? '', 'base64').toString();

describe('a file of orders', () => {
  test('is collected at a saved pickup where a row names none, with its complement and sender', async () => {
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

  test('has columns for the reference of a package, for its sender, and for facts of any name', async () => {
    const { visit, upload, customer } = await shipper();
    const head = `${HEAD};referencia_pacote;remetente;remetente_telefone;metadata.Canal`;
    await upload([head, `${row('A')};Venda 1;Loja Centro;11 97777-6666;loja`, `${row('B')};;;;`, ''].join('\r\n'));
    await orderAll(visit);
    const { data } = must(await customer.rest.GET('/api/v1/orders', {}));
    const orders = await Promise.all(
      data.map(async ({ id }) => must(await customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }))),
    );
    // Both have one time, so either may come first.
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

  test('shows how each address was read, and orders an unsure one only when it is ticked', async () => {
    const { visit, customer, upload, orders } = await shipper();
    const addresses = ['Rua dos Pinheiros, 498 - Pinheiros', 'Campinas - SP', 'Rua Oscar Freire, 300, São Paulo'];
    await upload(fileOf(...addresses.map((address, at) => row(`R-${at}`, { address })), row('R-3')));
    const { text } = visit.page;
    expect(facts(visit)).toEqual([4, 4, 0, 0, 0]);
    const [unsure = '', sure = ''] = text.split('<details>');
    expect(unsure).toMatch(/Rua dos Pinheiros, 498 - Pinheiros.*Pinheiros – ES.*<time datetime="[\d-]{10}">.*R\$/s);
    expect(unsure.match(/type="checkbox" name="(delivery|pickup)/g)).toHaveLength(2);
    // One reading is the pickup's.
    expect(sure).toMatch(/: 3<\/summary>.*rua oscar freire, 300.*São Paulo – SP/is);
    const box = /name="(delivery\.\d+)"[^>]*aria-label="[^"]*R-1"/.exec(text)?.[1] ?? '';
    await visit.submit(`${PAGE}/order/parts`, { [box]: 'yes', agreed: 'yes' });
    expect([await orders(), facts(visit)]).toEqual([3, [4, 0, 3, 0, 1]]);
    expect(visit.page.text).toContain('não foi confirmado: escreva cidade e UF, ou o CEP');
    expect(faultyFile(visit)).toContain('Rua dos Pinheiros, 498 - Pinheiros');
    const { data } = must(await customer.rest.GET('/api/v1/packages', {}));
    expect(new Set(data.map(({ resolved_address: place }) => place.city))).toEqual(new Set(['São Paulo', 'Campinas']));
  });

  test('asks once for a pickup that is unsure, and sets its rows aside without the tick', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(fileOf(row('A'), row('B')), 'Campinas - SP');
    expect(visit.page.text.match(/type="checkbox" name="(delivery|pickup)/g)).toHaveLength(1);
    const form = { ...visit.held(`${PAGE}/order/parts`), agreed: 'yes' };
    await visit.post(`${PAGE}/order/parts`, form);
    expect([await orders(), facts(visit)]).toEqual([0, [2, 0, 0, 0, 2]]);
    await visit.post(`${PAGE}/order/parts`, { ...form, 'pickup.0': 'yes' });
    expect([await orders(), facts(visit)]).toEqual([2, [2, 0, 2, 0, 0]]);
  });

  test('takes no unknown word for a service, or for a yes, and names what no column has', async () => {
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

  test('places each order once, however often a part or the file is sent', async () => {
    const { visit, upload, orders, customer } = await shipper();
    const file = fileOf(...rowsOf(120), row('P-121', { address: 'Xyzópolis' }));
    await upload(file);
    await checkAll(visit);
    expect(visit.page.text).toMatch(/Fazer estes pedidos: 120, R\$\u00a0[\d.,]+</);
    expect([(await visit.submit(`${PAGE}/order/parts`)).status, await orders()]).toEqual([200, 0]);
    const part = { ...visit.held(`${PAGE}/order/parts`), agreed: 'yes' };
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

  test('is printed in files of as many labels as one may have', async () => {
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

  test('hands back its faulty rows, which are ordered once they are corrected', async () => {
    const { visit, upload, orders } = await shipper();
    await upload(fileOf(row('A'), row('B', { phone: 'x' })));
    const faulty = faultyFile(visit);
    expect(faulty).toMatch(/^\uFEFF"referencia";.*;"erros"\r\n"B";.*"telefone: [^"]+"\r\n$/s);
    await upload(faulty.replace('"x"', '"11 91234-5678"'));
    expect(facts(visit)).toEqual([1, 1, 0, 0, 0]);
    await orderAll(visit);
    expect(await orders()).toBe(1);
  });

  test('is read as spreadsheets write it', async () => {
    const { visit, upload } = await shipper();
    const commas = fileOf(row('A').replace('1,2', '1.2').replace('10,5', '10.5')).replaceAll(';', ',');
    const quoted = commas.replace('Rua Oscar Freire, 300, São Paulo - SP', '"Rua Oscar Freire, 300, São Paulo - SP"');
    const excel = fileOf(row('B', { value: '1.349,90' }));
    const unicode = Buffer.from(`\uFEFF${fileOf(row('C')).replaceAll(';', '\t')}`, 'utf16le');
    const latin = Buffer.from(excel, 'latin1');
    for (const content of [`\uFEFF${fileOf(row('A'))}`, quoted, unicode, Buffer.from(unicode).swap16(), latin]) {
      await upload(content);
      expect(facts(visit)).toEqual([1, 1, 0, 0, 0]);
    }
    await orderAll(visit);
    const { data } = must(await service.operator.operator.GET('/operator/v1/packages', {}));
    const address = { address: 'Rua Oscar Freire, 300, São Paulo - SP' };
    expect(data[0]).toMatchObject({ declared_value: '1349.90', address });
  });

  test('has times and days as people write them, in São Paulo, and names a wrong one by its column', async () => {
    const { visit, upload, customer } = await shipper();
    const head = HEAD.replace('valor_declarado', 'pronto_em;entregar_a_partir_de;entregar_até');
    const on = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const written = (days: number) => on(days).split('-').reverse().join('/');
    const line = (reference: string, ...cells: string[]) => `${row(reference).slice(0, -1)};${cells.join(';')}`;
    await upload(
      [
        head,
        line('A', `${written(5)} 9h30`, written(12), written(30)),
        line('B', `${on(5)} 09:30:00`, on(12), on(30)),
        line('C', `${written(5).replace(/^0/, '')}`, '', ''),
        line('D', '', '', ''),
        line('E', 'amanhã cedo', '30/02/2026', '12-12-26'),
        line('F', `${written(-2)} 10:00`, written(9), written(8)),
        line('G', `${written(6)} 10:00`, '', written(3)),
      ].join('\r\n'),
    );
    expect(facts(visit)).toEqual([7, 4, 0, 0, 3]);
    const [, faulty = ''] = visit.page.text.split('<h2>Linhas a corrigir</h2>');
    const cells = [...faulty.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    const faults = cells.flatMap((_, at) => (at % 4 === 0 ? [cells.slice(at, at + 3)] : []));
    expect(faults).toEqual([
      ['6', 'pronto_em', 'uma data e hora como 02/12/2026 10:00'],
      ['6', 'entregar_a_partir_de', 'uma data como 02/12/2026'],
      ['6', 'entregar_ate', 'uma data como 02/12/2026'],
      ['7', 'pronto_em', 'cedo demais'],
      ['7', 'entregar_ate', expect.any(String)],
      ['8', 'entregar_ate', expect.stringMatching(/^o primeiro dia possível é \d\d\/\d\d\/\d{4}$/)],
    ]);
    await orderAll(visit);
    const { data } = must(await customer.rest.GET('/api/v1/orders', {}));
    const ready = new Map(data.map(({ external_id: reference, ready_at }) => [reference, ready_at]));
    expect(Object.fromEntries(ready)).toEqual({
      A: `${on(5)}T12:30:00.000Z`,
      B: `${on(5)}T12:30:00.000Z`,
      C: `${on(5)}T03:00:00.000Z`,
      D: undefined,
    });
    const packages = must(await customer.rest.GET('/api/v1/packages', {})).data;
    const days = packages.map(({ deliver_from, deliver_by }) => `${deliver_from} ${deliver_by}`).sort();
    const kept = `${on(12)} ${on(30)}`;
    expect(days).toEqual([kept, kept, 'undefined undefined', 'undefined undefined']);
  });

  test('has coordinates beside an address, and names a wrong one by its column', async () => {
    const { visit, upload, customer } = await shipper();
    const head = HEAD.replace('valor_declarado', 'latitude;longitude');
    const line = (reference: string, ...cells: string[]) => `${row(reference).slice(0, -1)};${cells.join(';')}`;
    await upload(
      [
        head,
        line('A', '-23,56565', '-46,68304'),
        line('B', '-23.5656', '-46.683'),
        line('C', '', ''),
        line('D', '-23,56565', ''),
        line('E', 'aqui', '-46,68304'),
        line('F', '-23,95', '-46,33'),
      ].join('\r\n'),
    );
    expect(facts(visit)).toEqual([6, 3, 0, 0, 3]);
    const [, faulty = ''] = visit.page.text.split('<h2>Linhas a corrigir</h2>');
    const cells = [...faulty.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(cells.flatMap((_, at) => (at % 4 === 0 ? [cells.slice(at, at + 2).join(' ')] : []))).toEqual([
      ...['5 longitude', '6 latitude', '7 latitude'],
    ]);
    expect(visit.page.text).toContain('(no ponto informado, ± 50');
    await orderAll(visit);
    const { data } = must(await customer.rest.GET('/api/v1/packages', {}));
    expect(data.map(({ resolved_address: place }) => place.precision).sort()).toEqual([
      ...['given', 'given', expect.stringMatching(/street|postal_code|district/)],
    ]);
  });

  test('its template is read without an error', async () => {
    const { visit, upload } = await shipper();
    await visit.get(PAGE);
    const template = /download="pedidos\.csv"[^>]* href="data:[^,]+,([^"]+)"/.exec(visit.page.text)?.[1] ?? '';
    await upload(Buffer.from(template, 'base64'));
    expect(facts(visit)).toEqual([1, 1, 0, 0, 0]);
  });

  test.each([
    ['no rows', HEAD, 'A planilha não tem linhas'],
    ['nothing', '', 'Faltam colunas: referencia'],
    ['an unknown column', fileOf().replace('nome', 'cor'), 'Não conhecemos a coluna: cor'],
    ['a column twice', fileOf().replace('nome', 'telefone'), 'Esta coluna aparece duas vezes: telefone'],
    ['an open quote', `${HEAD}\n"A`, 'Não é um CSV'],
    ['a spreadsheet as it is', 'PK\u0003\u0004\u0014\u0000xl', 'Não é um CSV'],
    ['too many rows', fileOf(...rowsOf(1_001)), 'A planilha tem mais linhas do que o máximo: 1000'],
  ])('is refused with %s, in words', async (_what, content, message) => {
    const { upload } = await shared;
    expect(await upload(content)).toMatchObject({ status: 400, text: expect.stringContaining(message) });
  });

  test('leaves the budget of the account to its programs', async () => {
    const { visit, upload, customer } = await shipper();
    await upload(fileOf(...rowsOf(150)));
    await checkAll(visit);
    const { response } = await customer.rest.GET('/api/v1/users/me');
    expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([200, '99']);
  });

  test('goes on only from where this session left it', async () => {
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

const shared = shipper();
