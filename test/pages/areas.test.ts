import { describe, expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Service areas, without a script: operators set them at the console, and shippers ask for them at `/envios`. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);
const shipper = new Visitor(service.url);
await shipper.signIn({ email: ana.email, password: PASSWORD });

const LIST = '/console/service-areas';
const preview = `${LIST}/preview`;
const sheet = [
  'name;state;municipality;postal_code_from;postal_code_to;delivers;weekdays;extra_workdays',
  'Sudeste;SP;;;;;;',
  'Litoral;;3548500;;;não;;',
  'Porto;;;11010-000;11013-999;sim;tuesday thursday;2',
  '',
].join('\n');

const upload = async (content: string, fields = {}) => {
  await visit.get(LIST);
  return visit.upload(preview, 'areas.csv', content, fields);
};
const cells = ({ page }: Visitor) =>
  [...page.text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));

describe('service areas at the console', () => {
  test('cover all of Brazil before a version exists', async () => {
    expect((await visit.get(LIST)).text).toContain('Nenhuma versão: todo o Brasil é atendido.');
  });

  test('have a preview of the orders that they would refuse, with the line that decides', async () => {
    const santos = { ...packageBody, address: { address: 'Av. Ana Costa, 254 - Gonzaga, Santos - SP, 11060-000' } };
    must(await ana.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id: 'P-1', packages: [santos] } }));
    await placeOrder(ana, 1);
    await upload(sheet);
    expect(cells(visit)).toEqual([
      'P-1',
      expect.any(String),
      'Pacote 1, Endereço: não entregamos neste lugar',
      'Santos – SP, 11060-000',
      '3: 3548500',
    ]);
    expect(visit.page.text).toMatch(/Lugares<\/dt><dd>3<.*Pedidos<\/dt><dd>2<.*Seriam recusados<\/dt><dd>1</s);
  });

  test('are added as in the preview, and show packages under way that they no longer serve', async () => {
    await visit.submit(LIST);
    expect(visit.page.text).toMatch(/Versão<\/dt><dd><a href="\/console\/service-areas\/1">1<.*para onde|de onde/s);
    expect(visit.page.text).toMatch(/Pacotes a caminho de onde não há mais entrega<\/dt><dd>1</);
    expect((await visit.get(LIST)).text).toContain('<a href="/console/service-areas/1">1</a>');
    expect(cells(visit)).toEqual(['1', expect.any(String), 'sim', '3', expect.any(String)]);
  });

  test('are a table that is searched by name, code or CEP; for a CEP the first line decides', async () => {
    const linesFor = async (q: string) => {
      await visit.get(`${LIST}/1?place=${encodeURIComponent(q)}`);
      return cells(visit).filter((_, at) => at % 8 === 0);
    };
    expect(await linesFor('')).toEqual(['2', '3', '4']);
    expect(cells(visit).slice(16)).toEqual([
      '4',
      'Porto',
      '11010-000 – 11013-999',
      'sim',
      'sim',
      'Expressa, Econômica',
      'terça, quinta',
      '2',
    ]);
    expect(await linesFor('santos')).toEqual(['3']);
    expect(await linesFor('SUDÉSTE')).toEqual(['2']);
    expect(await linesFor('3548500')).toEqual(['3']);
    expect(await linesFor('11010-150')).toEqual(['4', '3', '2']);
    expect(visit.page.text).toContain('A primeira decide.');
    expect(await linesFor('11060-000')).toEqual(['3', '2']);
    expect(await linesFor('50050-000')).toEqual([]);
    expect(visit.page.text).toContain('Nenhuma linha trata deste CEP');
  });

  test('are downloaded as a file that can be added again unchanged', async () => {
    const { text, headers } = await visit.get(`${LIST}/1/csv`);
    expect(headers.get('content-disposition')).toBe('attachment; filename=areas-1.csv');
    await upload(text, { valid_from: '2030-01-01T00:00' });
    expect(visit.page.text).toContain('datetime="2030-01-01T00:00:00-03:00"');
    await visit.submit(LIST);
    expect((await visit.get(`${LIST}/2/csv`)).text).toBe(text);
  });

  test.each([
    ['state\nSP\nSP\n', 'Linha 3: aparece mais de uma vez'],
    ['municipality\n9999999\n', 'Linha 2: não é um dos valores possíveis'],
    ['state,delivers\nSP,talvez\n', 'Linha 2, Entrega: sim ou não'],
    ['estado\nSP\n', 'Arquivo: um CSV que começa com os nomes das colunas'],
  ])('are refused with the line of the file when they are wrong: %j', async (content, text) => {
    const { status } = await upload(content);
    expect([status, visit.page.text]).toEqual([400, expect.stringContaining(text)]);
  });

  test('cannot be changed between the preview and the form that adds them', async () => {
    await upload(sheet);
    const { status } = await visit.submit(LIST, { progress: 'AAAA' });
    expect(status).toBe(400);
  });
});

describe('coverage at the place of shippers', () => {
  const answer = async (query: string) => {
    const { text } = await shipper.get(`/envios/coverage?${query}`);
    return /<p id="answer"[^>]*>(.*?)<\/p>/.exec(text)?.[1];
  };

  test('is shown for a CEP, with days and workdays if they are special', async () => {
    expect(await answer('to=01310-200')).toBe('Atendemos São Paulo – SP: Expressa, Econômica.');
    expect(await answer('to=11010150')).toBe(
      'Atendemos Santos – SP: Expressa, Econômica; terça, quinta; Dias úteis a mais: 2.',
    );
    expect(await answer('from=01310-200')).toBe('Coletamos em São Paulo – SP.');
    expect(await answer('')).toBeUndefined();
  });

  test('says why a place is not served', async () => {
    expect(await answer('to=11060-000')).toBe('Não atendemos Santos – SP: não entregamos neste lugar.');
    expect(await answer('to=01310-200&from=50050-000')).toBe(
      'Não atendemos São Paulo – SP (CEP da coleta: não coletamos neste lugar).',
    );
    expect(await answer('from=50050-000')).toBe('Não coletamos em Recife – PE.');
    expect(await answer('to=1')).toBeUndefined();
    expect(shipper.page.text).toContain('role="alert"');
  });

  test('is the same in the form of a new order, which names the field', async () => {
    const form = {
      'pickups.0.address.address': 'Av. Paulista, 1578, São Paulo - SP, 01310-200',
      ...Object.fromEntries(
        Object.entries({
          'recipient.name': 'Maria',
          'recipient.phone': '+55 11 91234-5678',
          'address.address': 'Rua da Aurora, 100, Recife - PE, 50050-000',
          'dimensions.width': '20',
          'dimensions.height': '10',
          'dimensions.length': '30',
          'dimensions.weight': '1',
        }).map(([name, value]) => [`packages.0.${name}`, value]),
      ),
    };
    await shipper.get('/envios/new-order');
    await shipper.submit('/envios/new-order', form);
    expect(shipper.page.text).toMatch(/id="packages\.0\.address\.address-error">não entregamos neste lugar</);
  });

  test('is checked for a file of orders, too', async () => {
    const row = (reference: string, address: string) =>
      [reference, 'Maria', '11 91234-5678', address, '20', '10', '30', '1'].join(';');
    const file = [
      'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg',
      row('A', 'Rua Oscar Freire, 300, São Paulo - SP'),
      row('B', 'Rua da Aurora, 100, Recife - PE'),
    ].join('\n');
    await shipper.get('/envios/import');
    await shipper.upload('/envios/import', 'pedidos.csv', file, { pickup: 'Av. Paulista, 1578, São Paulo - SP' });
    const [, faulty = ''] = shipper.page.text.split('<h2>Linhas a corrigir</h2>');
    const faults = [...faulty.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(faults).toEqual(['3', 'endereco', 'não entregamos neste lugar', 'Rua da Aurora, 100, Recife - PE']);
  });
});
