import { expect, test } from '@jest/globals';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Lists as files, which a spreadsheet in the language of the page reads. */

const service = await ownService();
const ana = await service.customer();
const [portuguese, english] = [{}, { 'Accept-Language': 'en' }].map((headers) => new Visitor(service.url, headers));
if (!portuguese || !english) throw new Error('there are two visitors');
const shipper = new Visitor(service.url);
await portuguese.signIn(operatorLogin);
await english.signIn(operatorLogin);
await shipper.signIn({ email: ana.email, password: PASSWORD });

const far = { address: { address: 'Rua XV de Novembro, 700 - Centro, Curitiba - PR, 80020-310' } };
const packages = [packageBody, { ...packageBody, ...far, declared_value: '349.90' }];
const order = must(await ana.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id: '0012', packages } }));

/** The rows of a file: each has its cells by heading. */
async function fileAt(visit: Visitor, path: string): Promise<Record<string, string>[]> {
  const { status, text, headers } = await visit.get(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  const separator = text.includes('";"') ? '";"' : '","';
  const [head = [], ...rows] = text
    .trim()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split(separator));
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [head[at] ?? '', cell])));
}

const comma = (amount: string) => amount.replace('.', ',');
const lineOf = (kind: string) => order.pricing.lines.find((line) => line.kind === kind)?.amount ?? '';

test('the orders of the console have account, service, price lines and local times', async () => {
  const [row] = await fileAt(portuguese, '/console/orders.csv');
  expect(row).toMatchObject({
    ...{ 'Número externo': "'0012", Conta: 'Ana Souza', 'Nº da conta': ana.id, Situação: 'A coletar' },
    ...{ Serviço: 'Expressa', Pacotes: '2', Total: comma(order.pricing.total) },
    ...{ 'Taxa base': comma(lineOf('base')), 'Transporte entre cidades': comma(lineOf('line_haul')) },
    'Seguro do valor declarado': comma(lineOf('ad_valorem')),
    'Paradas a mais': '',
  });
  expect(row?.['Criado em']).toMatch(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}$/);
  const local = new Date(Date.parse(order.created_at) - 3 * 3_600_000).toISOString();
  expect(row?.['Criado em']?.slice(-5)).toBe(local.slice(11, 16));
});

test('the same file is in English when the page is in English', async () => {
  const [row] = await fileAt(english, '/console/orders.csv');
  expect(row).toMatchObject({ Account: 'Ana Souza', Service: 'Express', Total: order.pricing.total });
  expect(row?.['Created']).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
});

test('the packages of the console have the words and dates of the language, and codes that stay whole', async () => {
  const rows = await fileAt(portuguese, '/console/packages.csv');
  expect(rows).toHaveLength(2);
  const [{ barcode = '', promised_date: date = '' } = {}] = order.packages;
  const row = rows.find((each) => each['Código de barras']?.replaceAll(' ', '') === barcode);
  expect(row?.['Código de barras']).toMatch(/^(\d{4} )+\d{1,4}$/);
  expect(row?.['Promessa'] ?? row?.['Prometido para'] ?? row?.['Chega até']).toBe(date.split('-').reverse().join('/'));
});

test('a shipper downloads the own orders and packages with the filters of the list', async () => {
  expect((await shipper.get('/envios/orders?status=created')).text).toContain(
    'href="/envios/orders.csv?status=created"',
  );
  const [row] = await fileAt(shipper, '/envios/orders.csv?status=created');
  expect(row).toMatchObject({ Referência: "'0012", Serviço: 'Expressa', Total: comma(order.pricing.total) });
  expect(await fileAt(shipper, '/envios/orders.csv?status=cancelled')).toEqual([]);
  const parcels = await fileAt(shipper, '/envios/packages.csv');
  expect(parcels.map((each) => each['Pacote']?.replaceAll(' ', '')).sort()).toEqual(
    order.packages.map(({ tracking_code: code }) => code).sort(),
  );
});

test('lists have service and price only when they are asked for', async () => {
  const list = async (query: object) => must(await ana.rest.GET('/api/v1/orders', { params: { query } })).data[0];
  expect(Object.keys((await list({})) ?? {})).not.toContain('pricing');
  expect(await list({ with_pricing: true })).toMatchObject({ service: 'express', pricing: order.pricing });
  const all = await service.operator.operator.GET('/operator/v1/orders', { params: { query: { with_pricing: true } } });
  expect(must(all).data[0]).toMatchObject({ service: 'express', pricing: order.pricing });
});
