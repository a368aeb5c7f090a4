import { randomBytes, randomUUID } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { seal } from '../../src/base/secrets/seal.js';
import { labelsBounds, labelsGate } from '../../src/labels/print.js';
import { atPackage, newWaitingPackage } from '../operator/fixtures.js';
import { gateOf } from '../support/gate.js';
import { must } from '../support/http.js';
import { newRecords } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Files of packages that the console shows, offers and imports, and its tasks. */

const service = await ownService();
const records = await newRecords(service);
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

describe('an import of movements', () => {
  const page = '/console/movements/import';
  const parts = `${page}/parts`;
  const at = '2026-11-20T12:00:00Z';
  const upload = async (name: string, content: string | Buffer) => {
    await visit.get(page);
    return visit.upload(page, name, content);
  };
  const facts = () => [...visit.page.text.matchAll(/<dd>(\d+)<\/dd>/g)].map(([, count]) => Number(count));
  const FILE = /href="data:text\/csv;charset=utf-8;base64,([^"]+)"/;
  const download = () => Buffer.from(FILE.exec(visit.page.text)?.[1] ?? '', 'base64').toString();

  test('names wrong rows first, and then sends the others in parts; a second upload records nothing again', async () => {
    const now = new Date().toISOString();
    const strangers = Array.from({ length: 500 }, () => `${randomUUID()},3,${at},Santos,SP\n`).join('');
    const head = 'loggi_key,status_code,happened_at,location.city,location.state\n';
    const file = `${head}${records.waitingKey},17,${now},"São ""Paulo""",SP\n${records.waitingKey},x,${now},,\n${strangers}`;
    await upload('scans.CSV', file);
    expect([visit.page.status, facts()]).toEqual([200, [0, 0, 1, 501]]);
    expect(download()).toMatch(/^\uFEFF"loggi_key";.*;"erros"\r\n".*";"x";".*";"";"";"status_code: .+"\r\n$/);
    const first = visit.held(parts);
    await visit.post(parts, first);
    expect(facts()).toEqual([1, 0, 500, 1]);
    await visit.post(parts, first);
    expect(facts()).toEqual([1, 0, 500, 1]);
    await visit.submit(parts);
    expect([facts(), visit.page.text]).toEqual([[1, 0, 501, 0], expect.stringContaining('Tudo foi enviado.')]);
    expect(download().split('\r\n')).toHaveLength(503);
    expect(download()).toContain('loggi_key: Não encontrado.');
    await upload('again.csv', file);
    await visit.submit(parts);
    expect(facts()).toEqual([0, 1, 500, 1]);
  });

  test('reads the template, with dates as people write them; an error has its row, column and value', async () => {
    await visit.get(page);
    const [head = '', example = ''] = download().split('\r\n');
    expect(head).toContain('"codigo_de_barras";"codigo_de_rastreio";"situacao";"quando"');
    expect(example).toContain('"18/11/2026 14:03"');
    const { tracking_code: code } = must(
      await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(records.loggiKey)),
    );
    const day = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo' }).format(new Date());
    const sheet = `Código_de_rastreio;Situação;Quando;Cidade;UF;Tentativa\n${code};18;${day} 23:59;Itú;SP;Ninguém atendeu\n${code};17;amanhã;Itú;SP;\n;17;${day};Itú;SP;\n`;
    await upload('planilha.csv', Buffer.from(sheet, 'latin1'));
    expect(facts()).toEqual([0, 0, 2, 1]);
    expect(visit.page.text).toMatch(/>3<\/td><td data-label="Coluna">quando<.*?>amanhã</s);
    await visit.submit(parts);
    // The last minute of the day is in the future. The refusal of the service is shown at its column, too.
    expect(visit.page.text).toMatch(/>2<\/td><td data-label="Coluna">quando<.*?tarde demais.*?>\d+\/\d+\/\d+ 23:59</s);
    await upload('planilha.csv', sheet.replace(`${day} 23:59`, `${day} 00:00`).split('\n').slice(0, 2).join('\n'));
    await visit.submit(parts);
    expect(visit.page.text).not.toContain('pattern');
  });

  test('reads JSON Lines with any content', async () => {
    const lines = [`{"loggi_key":"${records.waitingKey}"}`, 'no JSON', '', '"a"'];
    await upload('scans.jsonl', lines.join('\n'));
    expect([facts(), visit.page.text.includes(`action="${parts}"`)]).toEqual([[0, 0, 3, 0], false]);
  });

  test.each([
    ['no rows', 'scans.csv', '', 'Faltam colunas'],
    ['a column that is not known', 'scans.csv', 'barcode,cor\n1,2\n', 'Não conhecemos a coluna: cor'],
    ['too many empty lines', 'scans.jsonl', '\n'.repeat(2_000_000), 'Não é um CSV'],
    ['too many rows', 'scans.jsonl', '{}\n'.repeat(10_001), '10000'],
  ])('is refused with %s', async (_what, name, content, sentence) => {
    const { status, text } = await upload(name, content);
    expect([status, text]).toEqual([400, expect.stringContaining(sentence)]);
    expect(visit.held(page)).toMatchObject({ form_token: expect.any(String) });
  });

  test('is refused when it is too large, or not a form of the page', async () => {
    expect((await upload('scans.csv', 'x'.repeat(2_200_000))).status).toBe(413);
    await visit.get(page);
    const { form_token = '' } = visit.held(page);
    expect((await visit.post(page, { form_token })).status).toBe(400);
    for (const progress of ['', 'bm9uZQ', deflateRawSync('{}').toString('base64url')])
      expect((await visit.post(parts, { form_token, key: randomUUID(), progress })).status).toBe(400);
    const bomb = deflateRawSync(Buffer.alloc(20_000_000)).toString('base64url');
    expect((await visit.post(parts, { form_token, key: randomUUID(), progress: bomb })).status).toBe(400);
  });

  test('is refused when it has more parts or headers than a form of the page', async () => {
    await visit.get(page);
    const { form_token = '' } = visit.held(page);
    const send = async (body: string) => {
      const cookie = [...visit.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { cookie, 'content-type': 'multipart/form-data; boundary=frontier' };
      return (await fetch(`${service.url}${page}`, { method: 'POST', headers, body })).status;
    };
    const part = (disposition: string, value: string) =>
      `--frontier\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
    const token = part('name="form_token"', form_token);
    const file = part('name="file"; filename="a.jsonl"', '{}');
    const form = (more: string) => send(`${token}${file}${more}--frontier--\r\n`);
    expect(await form('')).toBe(200);
    expect(await form(part('name="a"', 'b').repeat(101))).toBe(400);
    expect(await form(part(`name="a"\r\n${'x: y\r\n'.repeat(1_000)}`, 'b'))).toBe(400);
  });

  test('continues only where this session left it', async () => {
    await upload('scans.csv', `loggi_key,status_code,happened_at\n${randomUUID()},3,${at}\n`);
    const { progress = '', ...form } = visit.held(parts);
    const progressMade = (name: string) => {
      const head = { name, rows: 1, recorded: 0, duplicate: 0, refusals: [], left: 1 };
      const part = [[1, { loggi_key: randomUUID(), status_code: 3, happened_at: at, id: randomUUID() }]];
      return deflateRawSync([head, part].map((each) => JSON.stringify(each)).join('\n'));
    };
    const altered = Buffer.from(progress, 'base64url');
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
    const strange = seal([{ id: 'dev', secret: randomBytes(32) }], progressMade('forged.csv'), 'console');
    for (const forged of [altered, strange, progressMade('forged.csv')]) {
      const { status, text } = await visit.post(parts, { ...form, progress: forged.toString('base64url') });
      expect([status, text]).toEqual([400, expect.stringContaining('não pôde ser lido')]);
      expect(text).not.toContain('forged.csv');
    }
    const other = new Visitor(service.url);
    await other.signIn(operatorLogin);
    await other.get(page);
    const { form_token = '' } = other.held(page);
    expect((await other.post(parts, { form_token, key: randomUUID(), progress })).status).toBe(400);
    const signs = ' '.repeat(100_000);
    expect((await visit.post(parts, { ...form, progress, signs })).status).toBe(400);
    expect((await visit.post(parts, { ...form, progress })).status).toBe(200);
  });
});

describe('a delivery', () => {
  test('is shown with its pictures, which only a session can load', async () => {
    const page = `/console/packages/${records.provenKey}`;
    const { text } = await visit.get(page);
    expect(text).toMatch(/<dd>Marta Lima<\/dd>.*<dd>4821<\/dd>/s);
    for (const kind of ['photo', 'signature']) {
      expect(text).toContain(`<img src="${page}/proof/${kind}"`);
      const { status, headers } = await visit.get(`${page}/proof/${kind}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(headers.get('content-disposition')).toContain('attachment');
    }
    const stranger = new Visitor(service.url);
    expect((await stranger.get(`${page}/proof/photo`)).path).toMatch(/^\/console\/sign-in\?back=/);
  });

  test('is possible without the PIN when an operator gives a reason', async () => {
    const page = `/console/packages/${records.pinKey}`;
    expect((await visit.get(page)).text).toContain('precisa do PIN');
    await visit.submit(`${page}/pin-override`, { reason: 'Mostrou um documento.' });
    const text = expect.stringContaining('Mostrou um documento.');
    expect(visit.page).toMatchObject({ path: `${page}?done=saved`, text });
  });
});

test('the console offers labels of a package and of an order for every printer', async () => {
  for (const page of [`/console/packages/${records.loggiKey}`, `/console/orders/${records.orderId}`]) {
    const { text } = await visit.get(page);
    const found = text.matchAll(/href="([^"]+\/labels?\?[^"]+)"/g);
    const links = [...found].map(([, link = '']) => link.replaceAll('&amp;', '&'));
    const files = [];
    for (const link of links) {
      const { status, headers, text: file } = await visit.get(link);
      files.push([status, headers.get('content-type'), file.slice(0, 4)]);
    }
    const pdf = [200, 'application/pdf', '%PDF'];
    expect(files).toEqual([pdf, pdf, [200, 'application/zpl', '^XA^']]);
  }
  expect((await visit.get(`/console/packages/${randomUUID()}/label`)).status).toBe(404);
});

test('a task shows the problem, and the address and the recipient before and after', async () => {
  const customer = await service.customer();
  const key = await newWaitingPackage(service.operator, customer);
  const body = {
    phone: '+5511977776666',
    address: { address: 'Rua dos Pinheiros, 1000 - Pinheiros, São Paulo - SP', complement: 'casa 2' },
  };
  must(await customer.rest.POST('/api/v1/packages/{loggi_key}/answers', { ...atPackage(key), body }));
  const { data } = must(
    await service.operator.operator.GET('/operator/v1/tasks', { params: { query: { loggi_key: key } } }),
  );
  const { text } = await visit.get(`/console/tasks/${data[0]?.id}`);
  expect(text).toMatch(/Problema<\/dt><dd><strong>Endereço incompleto/);
  expect(text).toMatch(
    />Endereço<\/td><td data-label="Antes">Rua (?!dos Pinheiros, 1000).*?Depois"><strong>Rua dos Pinheiros, 1000/s,
  );
  expect(text).toMatch(/>Telefone<\/td>.*?Depois"><strong>\+5511977776666/s);
  expect(text).toMatch(/Destinatário<\/dt><dd>Bruno Lima/);
});

test('a task is done once, with an answer to the shipper and the movement that sends the package on', async () => {
  expect((await visit.get('/console')).text).toMatch(/<strong>\d+<\/strong> Tarefas em aberto/);
  const page = `/console/tasks/${records.answerId}`;
  expect((await visit.get(`/console/packages/${records.waitingKey}`)).text).toContain(`href="${page}"`);
  expect((await visit.get(page)).text).toContain('Ring twice.');
  const form = { ...visit.held(`${page}/completion`), note: 'O entregador volta amanhã.' };
  expect(form).toMatchObject({ status_code: '3', loggi_key: records.waitingKey });
  const refused = await visit.post(`${page}/completion`, { ...form, city: 'Santos', state: 'X' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Estado: duas letras')]);
  const state = async () =>
    must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(records.waitingKey)));
  const before = await state();
  expect((await visit.post(`${page}/completion`, form)).path).toBe('/console/tasks?done=completed');
  const again = await visit.post(`${page}/completion`, { ...form, key: randomUUID() });
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('O entregador volta amanhã.')]);
  expect(await state()).toMatchObject({ status: { code: 3 }, movement_count: before.movement_count + 1 });
  expect((await visit.get('/console/tasks')).text).not.toContain(page);
  expect((await visit.get('/console/tasks?state=done')).text).toContain(page);
});

test('labels wait for their turn like those of any other client', async () => {
  const page = `/console/orders/${records.orderId}/labels?format=zpl`;
  const gate = gateOf();
  const here = new AbortController().signal;
  const pass = () => labelsGate.pass(service.operator.id, here, gate.passed);
  const places = Array.from({ length: 1 + labelsBounds.maxWaitingOfOwner }, pass);
  expect((await visit.get(page)).status).toBe(429);
  gate.open();
  await Promise.all(places);
  expect((await visit.get(page)).status).toBe(200);
});
