import { describe, expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The calendar of the carrier: operators set it at the console, without a script. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

const LIST = '/console/calendars';
const usual = {
  ...{ opening: '08:00', closing: '20:00', collection_cutoff: '', collection_lead_minutes: '30' },
  ...{ saturdays: 'yes', sundays: 'no', valid_from: '' },
};
const week = Array.from({ length: 7 }, (_, at) =>
  new Date(Date.now() + (at - 1) * 86_400_000).toISOString().slice(0, 10),
);
const sheet = `date;name\n${week.map((date) => `${date};Férias\n`).join('')}`;

async function preview(changes: Partial<typeof usual> = {}, content = '') {
  await visit.get(LIST);
  return visit.upload(`${LIST}/preview`, 'dias.csv', content, { ...usual, ...changes });
}
const cells = ({ page }: Visitor) =>
  [...page.text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text = '']) => text.replaceAll(/<[^>]+>/g, ''));

describe('the calendar at the console', () => {
  test('begins with the working time of the releases before, which the form shows', async () => {
    const { text } = await visit.get(LIST);
    expect(cells(visit)).toEqual(['1', expect.any(String), 'sim', '08:00 – 20:00', '–', '0', expect.any(String)]);
    expect(text).toMatch(/name="opening"[^>]*value="08:00"/);
    expect(text).toMatch(/name="collection_cutoff"[^>]*type="time"\/>/);
  });

  test('has a preview of the orders that would be collected at another time', async () => {
    const { id } = await placeOrder(ana, 1);
    await preview({ collection_cutoff: '11:00' }, sheet);
    expect(visit.page.text).toMatch(/Dias de folga<\/dt><dd>7<.*Pedidos<\/dt><dd>1<.*mais tarde<\/dt><dd>1</s);
    expect(cells(visit)).toEqual([
      ...['Ver o pedido', expect.any(String), 'São Paulo – SP', expect.any(String), expect.any(String)],
    ]);
    expect(visit.page.text).toContain(`/console/orders/${id}`);
  });

  test('is added as in the preview, and shows its days', async () => {
    await visit.submit(LIST);
    expect(visit.page.text).toMatch(/Versão<\/dt><dd><a href="\/console\/calendars\/2">2</);
    await visit.get(`${LIST}/2`);
    expect(visit.page.text).toMatch(/Corte da coleta<\/dt><dd>11:00</);
    expect(cells(visit).filter((_, at) => at % 3 === 1)).toEqual(week.map(() => 'Férias'));
    expect(cells(visit)[2]).toBe('todo o Brasil');
  });

  test('keeps its days when only the hours change, and is a file that can be added again unchanged', async () => {
    await preview({ closing: '18:00', valid_from: '2030-01-01T00:00' });
    expect(visit.page.text).toContain('datetime="2030-01-01T00:00:00-03:00"');
    await visit.submit(LIST);
    const { text, headers } = await visit.get(`${LIST}/3/csv`);
    expect(headers.get('content-disposition')).toBe('attachment; filename=days-off-3.csv');
    expect(text).toBe((await visit.get(`${LIST}/2/csv`)).text);
    await preview({}, text);
    await visit.submit(LIST);
    expect((await visit.get(`${LIST}/4/csv`)).text).toBe(text);
  });

  test.each([
    [{ closing: '07:00' }, '', 'Fecha às: não combina'],
    [{ opening: '8h' }, '', 'Abre às: um horário, como 08:00'],
    [{ collection_cutoff: '07:00' }, '', 'Corte da coleta: '],
    [{}, 'date\n2027-01-25\n25/01/2027\n', 'Linha 3: aparece mais de uma vez'],
    [{}, 'date;municipality\n2027-01-25;9999999\n', 'Linha 2, Município: não é um dos valores possíveis'],
    [{}, 'date\namanhã\n', 'Linha 2, Dia: um dia, como 25/01/2027'],
    [{}, 'dia\n2027-01-25\n', 'Arquivo: um CSV que começa com os nomes das colunas'],
  ])('is refused with the field or line when it is wrong: %j %j', async (changes, content, text) => {
    const { status } = await preview(changes, content);
    expect([status, visit.page.text]).toEqual([400, expect.stringContaining(text)]);
  });

  test('cannot be changed between the preview and the form that adds it', async () => {
    await preview();
    const { status } = await visit.submit(LIST, { progress: 'AAAA' });
    expect(status).toBe(400);
  });
});
