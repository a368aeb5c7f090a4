import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { routes as operatorRoutes } from '../../generated/operator.routes.js';
import { routes as restRoutes } from '../../generated/rest.routes.js';
import { operationNames, reasons, refusals } from '../../src/pages/texts.js';
import { bundles, fields } from '../contract/contract-files.js';
import { movement } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { packageMaker } from './tracked.js';
import { Visitor } from './visitor.js';

/** No page in Portuguese has words of google-10000-english, codes, paths, ids, or numbers as programs write them. */

const ENGLISH = new Set(readFileSync('test/pages/english-words.txt', 'utf8').trim().split('\n'));

/** Loan words of Portuguese, names of products, units, and ends of addresses. */
const BORROWED = new Set(
  'malote webhook webhooks e-mail email api cep pin link links csv json lines pdf zpl qr basic http https id sms mb kb'
    .concat(
      ' av cc mib kib km kg cm cm³ mm ms min utf br sp utc online site sandbox token logo status ok console correios',
    )
    .split(' '),
);
const NAMES = new Set(['REST', 'GraphQL', 'PINs', 'Excel']);

/** Data of test records, which people would type, and the licence of the map. */
const typed = ['Scanner', 'Shop', 'Ring twice.', 'Operator', 'Invoice', 'CC BY 4.0', operatorLogin.email];

const ATTRIBUTES = / (?:alt|aria-label|placeholder|title)="([^"]*)"/g;

/** The text that a reader sees or hears, without marked foreign language and text that needs no translation. */
function seenOn(html: string): string {
  const body = (/<body>([\s\S]*)<\/body>/.exec(html)?.[1] ?? '')
    .replaceAll(/<(\w+)[^>]* (?:translate="no"|hreflang="en")[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<(script|style|svg|time)\b[\s\S]*?<\/\1>/g, ' ');
  const hints = [...body.matchAll(ATTRIBUTES)].map(([, text]) => text);
  const text = [body.replaceAll(/<[^>]+>/g, ' '), ...hints].join(' ').replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, ' ');
  const own = text.replaceAll(/\S+@\S+|https?:\/\/\S+/g, ' ');
  return typed.reduce((rest, each) => rest.replaceAll(each, ' '), own);
}

const faults: readonly RegExp[] = [
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g,
  /\b[A-Za-z]+_\w+\b/g,
  /\b[a-z]\w*(?:\.\w+)+\.\w+\b/g,
  /\b(?:GET|POST|PUT|DELETE) \//g,
  /R\$\s?\d+(?:\.\d{2})?(?![\d.,])/g,
  /\b\d{4}-\d{2}-\d{2}|\b\d{1,2}\/\d{1,2}\/\d{2,4}/g,
];

/** A date or time in the form of all pages: “18 de nov. de 2026, 11:03”. */
const TIME = /^\d{1,2} de [a-zç]+\.? de \d{4}(?:, \d{2}:\d{2})?$/;
const timesOn = (html: string) => [...html.matchAll(/<time [^>]*>([^<]*)<\/time>/g)].map(([, text = '']) => text);

/** Wrong ids and times. With two equal ids, labels and links lead to the first, and no browser complains. */
function brokenOn(html: string): string[] {
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
  const times = [...html.matchAll(/ datetime="([^"]*)"/g)].map(([, time = '']) => time);
  return [...ids.filter((id, at) => ids.indexOf(id) < at), ...times.filter((time) => /\.\d{4}/.test(time))];
}

/** Words and codes that the reader of a page should not see. */
function faultsIn(html: string): string[] {
  const text = seenOn(html);
  const words = text.match(/(?<![\w@./+-])\p{L}+(?:-\p{L}+)?(?![\w@/]|\.\w)/gu) ?? [];
  const foreign = words.filter(
    (word) => !BORROWED.has(word.toLowerCase()) && !NAMES.has(word) && ENGLISH.has(word.toLowerCase()),
  );
  const times = timesOn(html).filter((time) => !TIME.test(time));
  return [...new Set([...foreign, ...times, ...faults.flatMap((fault) => text.match(fault) ?? [])])].sort();
}

const service = await ownService();
const records = await newRecords(service);

/** Reasons for which pages show the sentence of the error code. */
const wordless = [
  ...['api_key_invalid', 'api_key_missing', 'bodies_in_flight', 'body_too_large', 'document_invalid'],
  ...['document_malformed', 'encoding_unsupported', 'headers_too_large', 'idempotency_answer_erased'],
  ...['idempotency_key_reused', 'idempotency_other_interface', 'internal_error', 'invalid_fields', 'login_failed'],
  ...['media_type_unsupported', 'method_not_allowed', 'not_acceptable', 'path_not_found', 'record_not_found'],
  ...['request_malformed', 'requests_in_flight', 'token_invalid', 'token_missing', 'unavailable', 'unspecified'],
  'version_changed',
];

/** Follows all links from a root. Resolves to the faults of the pages by address. */
async function crawl(visitor: Visitor, root: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const left = [root];
  const kinds = new Set<string>();
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    // Only three pages of each kind are checked.
    const kind = path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ':id').replaceAll(/=[^&]*/g, '');
    if ([1, 2, 3].every((count) => kinds.has(`${kind} ${count}`)) || found.has(path)) continue;
    kinds.add(`${kind} ${[1, 2, 3].find((count) => !kinds.has(`${kind} ${count}`))}`);
    const { text, headers } = await visitor.get(path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    found.set(path, [...faultsIn(text), ...brokenOn(text)]);
    const links = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    const inside = links.map((href) => new URL(href, `http://host${path}`)).filter(({ host }) => host === 'host');
    for (const { pathname, search } of inside) {
      if (pathname.startsWith(root) && !search.includes('lang=')) left.push(pathname + search);
    }
  }
  return found;
}

const withFaults = (found: Map<string, string[]>) =>
  Object.fromEntries([...found].filter(([, list]) => list.length > 0));

describe('in Portuguese', () => {
  test('this test finds English, codes, paths, ids and numbers as programs write them', () => {
    const page = (text: string) => faultsIn(`<html><body><p>${text}</p></body></html>`);
    expect(page('Pedido entregue em São Paulo por R$&nbsp;1.234,56; webhook às 14:05')).toEqual([]);
    expect(page('must have at least 2 characters')).toEqual(
      ['at', 'characters', 'have', 'least', 'must'].filter((word) => ENGLISH.has(word)),
    );
    expect(page('movements.0.location.state')).toEqual(['movements.0.location.state']);
    expect(page('VALIDATION_ERROR e out_for_delivery')).toEqual(['VALIDATION_ERROR', 'out_for_delivery']);
    expect(page(records.orderId)).toEqual([records.orderId]);
    expect(page('R$ 238.53')).toEqual(['R$ 238.53']);
    expect(page('desde 2026-11-18 e 18/11/2026')).toEqual(['18/11/2026', '2026-11-18']);
    const times = ['18 de nov. de 2026, 11:03', '1 de mai. de 2026', '18 nov. 2026', '2:03 PM'];
    expect(page(times.map((time) => `<time datetime="">${time}</time>`).join())).toEqual(times.slice(2).sort());
  });

  test('the console has only Portuguese words', async () => {
    const visitor = new Visitor(service.url);
    await visitor.signIn(operatorLogin);
    const found = await crawl(visitor, '/console');
    expect(found.size).toBeGreaterThan(25);
    expect(withFaults(found)).toEqual({});
  });

  test('the console has only Portuguese words after a refused form', async () => {
    const visitor = new Visitor(service.url);
    await visitor.signIn(operatorLogin);
    const page = `/console/packages/${records.loggiKey}`;
    await visitor.get(page);
    const wrong = [{ state: 'X' }, { status_code: '6' }, { status_code: '10' }, { at: '2020-01-01T00:00' }];
    for (const fields of wrong) {
      const { status, text } = await visitor.submit(`${page}/movements`, { city: 'Campinas', state: 'SP', ...fields });
      expect([fields, status >= 400, faultsIn(text)]).toEqual([fields, true, []]);
    }
    await visitor.get('/console/users');
    const account = { name: '', email: 'x', phone: '1', tax_id: '1', password: 'a' };
    expect(faultsIn((await visitor.submit('/console/users', account)).text)).toEqual([]);
    await visitor.get('/console/webhook-endpoints');
    const endpoint = { user_id: records.userId, url: 'https://10.0.0.1/x', username: 'a:b', password: '' };
    expect(faultsIn((await visitor.submit('/console/webhook-endpoints', endpoint)).text)).toEqual([]);
  });

  test('the pages of shippers have only Portuguese words', async () => {
    const { email, rest } = await service.customer();
    for (const status of [1, 6, 5]) {
      const { packages } = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
      const facts = { action_required: { reason_label: 'Endereço incompleto', reason_description: 'Falta o número.' } };
      const movements = [movement(packages[0]?.loggi_key ?? '', { status_code: status, ...(status === 6 && facts) })];
      if (status > 1) must(await service.operator.operator.POST('/operator/v1/movements', { body: { movements } }));
    }
    must(await rest.POST('/api/v1/api-keys', { body: { name: 'Loja', scope: 'all' } }));
    const visitor = new Visitor(service.url);
    await visitor.signIn({ email, password: PASSWORD });
    const found = await crawl(visitor, '/envios');
    expect(found.size).toBeGreaterThan(20);
    expect(withFaults(found)).toEqual({});
  });

  test('the pages of shippers have only Portuguese words after a refused form or file', async () => {
    const { email } = await service.customer();
    const visitor = new Visitor(service.url);
    await visitor.signIn({ email, password: PASSWORD });
    await visitor.get('/envios/new-order');
    const typed = { 'packages.0.recipient.phone': 'x', 'packages.0.dimensions.width': 'y', external_id: 'z' };
    expect([(await visitor.submit('/envios/new-order', typed)).status, faultsIn(visitor.page.text)]).toEqual([400, []]);
    await visitor.get('/envios/api-keys');
    expect(faultsIn((await visitor.submit('/envios/api-keys', { name: '' })).text)).toEqual([]);
    const file = [
      'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg;cpf_cnpj;chave_fiscal;servico',
      'A;;1;x;0;9999;a;-1;123;35;',
      'C;;;;;;;;;;barato',
      'B;Maria;+55 11 91234-5678;Xyzópolis;20;10;30;1;111;99;',
    ];
    await visitor.get('/envios/import');
    await visitor.upload('/envios/import', 'pedidos.csv', file.join('\n'), { pickup: 'Av. Paulista, 1578, São Paulo' });
    const cells = [...visitor.page.text.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, text = '']) => text);
    expect(cells.slice(0, 4)).toEqual(['2', 'nome', 'preencha este campo', '']);
    expect(cells).toHaveLength(11 * 4);
    // The names of columns come from the file.
    const own = cells.filter((_, at) => at % 4 !== 1).map((cell) => `<p>${cell}</p>`);
    expect(faultsIn(`<body>${own.join('')}</body>`)).toEqual([]);
  });

  test('the start page, the look-up and a recipient’s page in every status have only Portuguese words', async () => {
    const visitor = new Visitor(service.url);
    const newPackage = await packageMaker(service);
    const judge = async (path: string) => expect([path, faultsIn((await visitor.get(path)).text)]).toEqual([path, []]);
    for (const path of ['/', '/?link=none', '/t/none', '/rastreio', '/rastreio?code=none&cep=1']) await judge(path);
    const { path, code, move } = await newPackage({ delivery_pin: true });
    const lookUp = `/rastreio?${new URLSearchParams({ code, cep: '05422-000' })}`;
    await judge(path);
    for (const status of [14, 17, 3, 6, 18, 9, 10, 11, 7, 8]) {
      await move(status);
      await judge(path);
      await judge(lookUp);
      expect(visitor.page.text).toContain('Esta página é pública');
    }
    const delivered = await newPackage();
    await delivered.move(5);
    await judge(delivered.path);
  });

  test('the history at the console writes the CEP of an agency as people do', async () => {
    const visitor = new Visitor(service.url);
    await visitor.signIn(operatorLogin);
    const { key, move } = await (await packageMaker(service))();
    await move(10);
    expect((await visitor.get(`/console/packages/${key}`)).text).toContain('São Paulo – SP, 01304-001');
  });

  test('every operation of the audit log has a name', () => {
    const audited = Object.entries({ ...operatorRoutes, ...restRoutes }).filter(([, route]) => 'audited' in route);
    expect(audited.map(([operation]) => operation).filter((operation) => !operationNames[operation])).toEqual([]);
  });

  test('each reason has a sentence of its own, or the sentence of its code', () => {
    const meanings = fields(fields(fields(bundles.rest['components'])['schemas'])['ErrorReason'])['x-meanings'];
    const sentences: Readonly<Record<string, object>> = { ...refusals, ...reasons };
    const bare = Object.entries(fields(meanings)).filter(([reason]) => !sentences[reason]);
    const codesOf = (meaning: unknown) => [fields(meaning)['codes']].flat().map(String);
    // No form can be refused with these codes.
    const silent = ['METHOD_NOT_ALLOWED', 'NOT_ACCEPTABLE', 'UNSUPPORTED_MEDIA_TYPE'];
    const codes = new Set(bare.flatMap(([, meaning]) => codesOf(meaning)));
    expect([...codes].filter((code) => !sentences[code]).sort()).toEqual(silent);
    expect(bare.map(([reason]) => reason).sort()).toEqual(wordless);
  });
});
