import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { facts, fileOf, HEAD, orderAll, PAGE, row, rowsOf, settings, shipperAt } from './order-files.js';

/** Cells, columns and encodings of a file of orders. */

const service = await ownService(settings);
const shipper = () => shipperAt(service);

describe('a file of orders', () => {
  test('is read in the forms in which spreadsheets write it', async () => {
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

  test('may have times and days as people in São Paulo write them; an error names the column', async () => {
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

  test('may have coordinates beside an address; an error names the column', async () => {
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

  test('has a template that is read without an error', async () => {
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
  ])('is refused in words when it has %s', async (_what, content, message) => {
    const { upload } = await shared;
    expect(await upload(content)).toMatchObject({ status: 400, text: expect.stringContaining(message) });
  });
});

const shared = shipper();
