import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/**
 * Every page in Portuguese, as its reader sees it: no English word, code, path of a field or id, no number as programs
 * write it. English words are the 10,000 most frequent ones (google-10000-english) that Portuguese does not have.
 */

const ENGLISH = new Set(readFileSync('test/pages/english-words.txt', 'utf8').trim().split('\n'));

/** Words that Portuguese has borrowed, names of products, units, and ends of addresses. */
const BORROWED = new Set(
  'malote webhook webhooks e-mail email api cep pin link links csv json lines pdf zpl qr basic http https id sms mb kb'
    .concat(
      ' av cc mib kib km kg cm cm³ mm ms min utf br sp utc online site sandbox token logo status ok console correios',
    )
    .split(' '),
);
const NAMES = new Set(['REST', 'GraphQL', 'PINs', 'Excel']);

/** Data of the tests' records, which people would type, and the licence of the map. */
const typed = ['Scanner', 'Shop', 'Ring twice.', 'Operator', 'Invoice', 'CC BY 4.0', operatorLogin.email];

const ATTRIBUTES = / (?:alt|aria-label|placeholder|title)="([^"]*)"/g;

/** Text that a reader sees or hears; what is written in another language, or is nobody's to translate, is left out. */
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
];

/** Words and codes of a page that its reader should not see. */
function faultsIn(html: string): string[] {
  const text = seenOn(html);
  const words = text.match(/(?<![\w@./+-])\p{L}+(?:-\p{L}+)?(?![\w@/]|\.\w)/gu) ?? [];
  const foreign = words.filter(
    (word) => !BORROWED.has(word.toLowerCase()) && !NAMES.has(word) && ENGLISH.has(word.toLowerCase()),
  );
  return [...new Set([...foreign, ...faults.flatMap((fault) => text.match(fault) ?? [])])].sort();
}

const service = await ownService();
const records = await newRecords(service);

/** Faults of all pages that links lead to from a root, by their addresses. */
async function crawl(visitor: Visitor, root: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const left = [root];
  const kinds = new Set<string>();
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    // Of pages of one kind the first three.
    const kind = path.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, ':id').replaceAll(/=[^&]*/g, '');
    if ([1, 2, 3].every((count) => kinds.has(`${kind} ${count}`)) || found.has(path)) continue;
    kinds.add(`${kind} ${[1, 2, 3].find((count) => !kinds.has(`${kind} ${count}`))}`);
    const { text, headers } = await visitor.get(path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    found.set(path, faultsIn(text));
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
  test('the judge sees English, codes, paths, ids and numbers as programs write them', () => {
    const page = (text: string) => faultsIn(`<html><body><p>${text}</p></body></html>`);
    expect(page('Pedido entregue em São Paulo por R$&nbsp;1.234,56; webhook às 14:05')).toEqual([]);
    expect(page('must have at least 2 characters')).toEqual(
      ['at', 'characters', 'have', 'least', 'must'].filter((word) => ENGLISH.has(word)),
    );
    expect(page('movements.0.location.state')).toEqual(['movements.0.location.state']);
    expect(page('VALIDATION_ERROR e out_for_delivery')).toEqual(['VALIDATION_ERROR', 'out_for_delivery']);
    expect(page(records.orderId)).toEqual([records.orderId]);
    expect(page('R$ 238.53')).toEqual(['R$ 238.53']);
  });

  test('the console says it in Portuguese', async () => {
    const visitor = new Visitor(service.url);
    await visitor.signIn(operatorLogin);
    const found = await crawl(visitor, '/console');
    expect(found.size).toBeGreaterThan(25);
    expect(withFaults(found)).toEqual({});
  });

  test('and so it does after a form that is refused', async () => {
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

  test('so do the pages of shippers', async () => {
    const { email } = await service.customer();
    const visitor = new Visitor(service.url);
    await visitor.signIn({ email, password: PASSWORD });
    const found = await crawl(visitor, '/envios');
    expect(found.size).toBeGreaterThan(5);
    expect(withFaults(found)).toEqual({});
  });

  test('and so do the start page and a recipient’s', async () => {
    const visitor = new Visitor(service.url);
    const params = { path: { id: records.orderId } };
    const { packages } = must(await service.operator.rest.GET('/api/v1/orders/{id}', { params }));
    const link = new URL(packages[0]?.tracking_url ?? '').pathname;
    for (const path of ['/', link, '/t/none', '/?link=none']) {
      expect([path, faultsIn((await visitor.get(path)).text)]).toEqual([path, []]);
    }
  });
});
