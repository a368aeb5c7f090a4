import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { agency, bodyOf, movement, resultsOf, soon } from '../operator/fixtures.js';
import { packageBody } from '../support/bodies.js';
import { startService } from '../support/service.js';
import { ownService } from '../support/services.js';
import { packageMaker, reason } from './tracked.js';

const service = await ownService();
const newPackage = await packageMaker(service);

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });
const inEnglish = { 'Accept-Language': 'en' };

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const page = async (path: string, headers = {}): Promise<string> => (await get(path, headers)).text();
const headingOf = (html: string): string | undefined => /<h1[^>]*>([^<]*)</.exec(html)?.[1];

test('the page of a new package shows its status, its route, its sender and its date', async () => {
  const { path, code } = await newPackage();
  const answer = await get(path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await answer.text();
  expect(headingOf(html)).toBe('Registrado');
  const text = textOf(html);
  for (const shown of [code, 'São Paulo – SP', 'Ana Souza', 'B. L.', 'Previsão de entrega'])
    expect(text).toContain(shown);
});

test('a package with a first day says until then that the sender asked for it', async () => {
  const deliver_from = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const { path, key } = await newPackage({ deliver_from });
  const long = new Intl.DateTimeFormat('pt-BR', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const wish = `O remetente pediu a entrega a partir de ${long.format(new Date(deliver_from))}.`;
  expect(textOf(await page(path))).toContain(wish);
  expect(textOf(await page(path, inEnglish))).toContain('The sender asked for the delivery from');
  await sql`update packages set deliver_from = current_date - 2 where loggi_key = ${key}`.execute(service.db);
  expect(textOf(await page(path))).not.toContain('O remetente pediu');
});

test('a package that waits for its sender is marked as a problem, and no other one under way', async () => {
  const { path, move } = await newPackage();
  const newest = async () => /<ol class="timeline"><li class="(\w+)"/.exec(await page(path))?.[1];
  await move(3);
  expect(await newest()).toBe('processing');
  await move(6);
  expect(await newest()).toBe('problem');
});

test('browsers and search engines may not keep the page or tell others its address', async () => {
  const { path } = await newPackage();
  const { headers } = await get(path);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-robots-tag')).toBe('noindex');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(await page(path)).toContain('<meta name="robots" content="noindex"');
});

test('the preview in a messenger shows status, purpose and a picture, but no name', async () => {
  const { path, code } = await newPackage();
  const html = await page(path);
  const told = [...html.matchAll(/<meta property="og:(\w+)" content="([^"]*)"/g)].map(([, name, text]) => [name, text]);
  const [picture = ''] = told.flatMap(([name, text = '']) => (name === 'image' ? [text] : []));
  expect(told).toEqual([
    ['title', `Pacote ${code}: Registrado`],
    ['description', 'Onde está o pacote, quando chega e o que fazer.'],
    ['image', expect.stringMatching(/^https?:\/\/.*\/assets\/icon\.png$/)],
  ]);
  const icon = await get(new URL(picture).pathname);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/png']);
});

describe('the page uses words that a recipient understands for', () => {
  test('every status of the catalogue, in both languages', async () => {
    const { data } = await bodyOf(service.operator.operator.GET('/operator/v1/package-statuses'));
    const catalogue = data.filter(({ code }) => code !== 1);
    expect(catalogue.length).toBeGreaterThan(11);
    const headings = await Promise.all(
      catalogue.map(async ({ code }) => {
        const { path, move } = await newPackage();
        await move(code);
        return [headingOf(await page(path)), headingOf(await page(path, inEnglish))];
      }),
    );
    expect(headings.flat()).not.toContain(undefined);
    expect(new Set(headings.flat()).size).toBe(2 * catalogue.length);
  });

  test('a status that the operator added, by the words of the catalogue, marked as Portuguese', async () => {
    const words = { high_level_status: 'Na <alfândega>', description: 'Aguarda a liberação.' };
    const body = { code: 900, ...words, final: false, stage: 'processing' } as const;
    await bodyOf(service.operator.operator.POST('/operator/v1/package-statuses', { body }));
    const { path, move } = await newPackage();
    await move(900);
    expect(await page(path)).toContain('<h1>Na &lt;alfândega></h1>');
    const html = await page(path, inEnglish);
    expect(html).toContain('<h1 lang="pt-BR">Na &lt;alfândega></h1>');
    expect(textOf(html)).toContain('Aguarda a liberação.');
  });

  test('a final status that the operator added, without a promise or a delivery', async () => {
    const words = { high_level_status: 'Destruído', description: 'Destruído no transporte.' };
    const body = { code: 901, ...words, stage: 'completed' } as const;
    await bodyOf(service.operator.operator.POST('/operator/v1/package-statuses', { body }));
    const [ended, delivered] = [await newPackage(), await newPackage()];
    await ended.move(901);
    await delivered.move(5);
    expect(await page(ended.path)).not.toMatch(/class="steps|Previsão/);
    expect(await page(delivered.path)).toContain('class="steps completed"');
  });

  test('a package at an agency, with the place and the papers to bring', async () => {
    const { path, code, move } = await newPackage();
    await move(10);
    const text = textOf(await page(path));
    for (const shown of [agency.address, 'CEP 01304-001', `documento com foto e o código ${code}`])
      expect(text).toContain(shown);
    expect(text).not.toContain('Previsão de entrega');
  });

  test('a package that is held up, with the reason and the contact', async () => {
    const { path, code, move } = await newPackage();
    await move(6);
    const advice = `Fale com Ana Souza e informe o código ${code}.`;
    expect(textOf(await page(path))).toContain(`Motivo: ${reason.reason_label} ${advice}`);
    await move(3);
    expect(textOf(await page(path))).not.toContain('Motivo');
  });

  test('a late package, until it has arrived', async () => {
    const { path, key, move } = await newPackage();
    await sql`update packages set promised_date = '2026-01-02' where loggi_key = ${key}`.execute(service.db);
    expect(textOf(await page(path))).toMatch(/Era esperado sexta-feira, 2 de janeiro.*está atrasado/);
    await move(5);
    expect(textOf(await page(path))).not.toMatch(/atrasado|Previsão/);
  });

  test('times, which are those of Brasília', async () => {
    const { path, key } = await newPackage();
    await sql`update movements set happened_at = '2026-11-19T01:30:00Z' where loggi_key = ${key}`.execute(service.db);
    expect(textOf(await page(path))).toMatch(/18 de nov\. de 2026, 22:30/);
    expect(textOf(await page(path, inEnglish))).toMatch(/18 Nov 2026, 22:30/);
  });
});

const { path: anyPath } = await newPackage();

test.each([
  ['pt-BR', undefined, ''],
  ['pt-BR', 'pt-PT', ''],
  ['pt-BR', 'de', ''],
  ['en', 'en-US,en;q=0.9', ''],
  ['pt-BR', 'pt-BR,en;q=0.5', ''],
  ['en', 'pt-BR', '?lang=en'],
  ['pt-BR', 'en', '?lang=pt-BR'],
  ['en', 'en', '?lang=xx'],
  ['pt-BR', 'pt', '?lang=en&lang=en'],
])('the language is %s for a browser that accepts %p and asks for %p', async (language, accepted, query) => {
  const answer = await get(`${anyPath}${query}`, accepted === undefined ? {} : { 'Accept-Language': accepted });
  expect(await answer.text()).toContain(`<html lang="${language}">`);
  expect(answer.headers.get('vary')).toContain('Accept-Language');
});

describe('a link that was copied with extra characters', () => {
  test.each(['.', ',', ')', '>', ').', '%E2%80%9D', '?!', '"'])('leads to the page without %s', async (signs) => {
    const { path } = await newPackage();
    const answer = await fetch(`${service.url}${path}${signs}`, { redirect: 'manual' });
    // The question mark begins a query, so the link is valid as it is.
    if (signs === '?!') return expect(answer.status).toBe(200);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, path]);
  });

  test('leads to the page for wrong links in one step when it is not valid', async () => {
    const answer = await get(`/t/${'A'.repeat(52)}.`);
    expect([answer.status, new URL(answer.url).pathname]).toEqual([404, `/t/${'A'.repeat(52)}`]);
  });
});

describe('a link that is not valid', () => {
  const essence = async (path: string, headers = {}) => {
    const answer = await get(path, headers);
    const html = await answer.text();
    const parts = [/<form[^>]* action="\/rastreio"/, /design\.css/].filter((part) => part.test(html)).length;
    return [answer.status, answer.headers.get('content-type'), headingOf(html), parts];
  };

  test('shows a page in both languages that leads to the form, whether it was revoked or never existed', async () => {
    const { path, revoke } = await newPackage();
    await revoke();
    const under = ['/', '/none', '/events'].map((end) => path + end);
    const others = ['/t/none', `/t/${'A'.repeat(52)}`, '/t', '/t/', ...under];
    const inBoth = ['Link de rastreio inválido', 'This tracking link is not valid'];
    for (const each of [path, ...others]) {
      const seen = [await essence(each), await essence(each, inEnglish)];
      expect(seen).toEqual(inBoth.map((heading) => [404, 'text/html; charset=utf-8', heading, 2]));
    }
  });

  test('shows the page even if its path is not valid text', async () => {
    expect((await essence('/t/%ff')).slice(0, 3)).toEqual([400, 'text/html; charset=utf-8', 'Página não encontrada']);
  });
});

test('a page that is opened too often is refused in both languages until the hour is over', async () => {
  const limited = await startService({ RATE_LIMIT_PUBLIC_PER_HOUR: '2' }, { worker: false });
  const { path } = await (await packageMaker(limited))();
  const statuses: number[] = [];
  for (let view = 0; view < 21; view += 1) statuses.push((await fetch(`${limited.url}${path}`)).status);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  const refused = await fetch(`${limited.url}${path}`, { headers: inEnglish });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  const page = await refused.text();
  expect(headingOf(page)).toBe('Too many requests');
  expect(page).toMatch(/Try again in (59|60) min\./);
  expect(headingOf(await (await fetch(`${limited.url}${path}`)).text())).toBe('Muitos acessos');
  expect((await fetch(`${limited.url}/rastreio`)).status).toBe(429);
  await limited.stop();
});

test('a page with everything that it loads is smaller than 60 KB, even after a hundred movements', async () => {
  const { path, key } = await newPackage({ recipient: { ...packageBody.recipient, name: 'L'.repeat(255) } });
  const location = { city: 'São Sebastião do Passé das Águas Claras', state: 'BA' };
  const moved = (at: number) => movement(key, { status_code: 17, location, happened_at: soon(at) });
  const movements = Array.from({ length: 100 }, (_, at) => moved(at));
  expect(new Set(await resultsOf(service.operator, ...movements))).toEqual(new Set(['recorded']));
  const html = await page(path);
  const files = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
  const names = ['icon.svg', 'inter.woff2', 'design.css', 'tracking.js'];
  expect(files).toEqual(names.map((name) => `/assets/${name}`));
  // Compressed sizes, as they are sent.
  const sizes = await Promise.all(
    files.map(async (file) => Number((await fetch(`${service.url}${file}`)).headers.get('content-length'))),
  );
  expect(html.match(/<li/g)?.length).toBeGreaterThanOrEqual(99);
  expect([html.length, ...sizes].reduce((sum, size) => sum + size)).toBeLessThan(60_000);
});
