import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { type Browser, chromium, type Page } from 'playwright-core';
import { parse } from 'yaml';
import { bundles, fields, fileNames, fileText } from '../../contract/contract-files.js';
import { describedBy } from '../../contract/oracle.js';
import { operatorLogin } from '../../support/service.js';
import { sharedService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

const service = await sharedService();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

const published: readonly [file: string, type: string, source: string][] = [
  ['openapi.yaml', 'application/yaml', 'openapi.yaml'],
  ['openapi.json', 'application/json', 'openapi.yaml'],
  ['schema.graphql', 'application/graphql', 'schema.graphql'],
  ['tracking-webhook.schema.json', 'application/schema+json', 'tracking-webhook.schema.json'],
  ['operator.openapi.yaml', 'application/yaml', 'operator.openapi.yaml'],
  ['operator.openapi.json', 'application/json', 'operator.openapi.yaml'],
];

/** The meaning of a contract, in whatever format. */
function meaningOf(file: string, text: string): unknown {
  if (file.endsWith('.graphql')) return Object.keys(buildSchema(text).getTypeMap());
  const document = file.endsWith('.yaml') ? parse(text) : JSON.parse(text);
  return file.includes('openapi') ? Object.keys(fields(document.paths)) : document;
}

describe.each(published)('/docs/%s', (file, type, source) => {
  test('is the contract, with its media type, readable from every origin', async () => {
    const answer = await get(`/docs/${file}`, { Origin: 'https://elsewhere.example' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(meaningOf(file, await answer.text())).toEqual(meaningOf(source, fileText(`contracts/${source}`)));
  });

  test('is 304 for who has it, and not counted', async () => {
    const answer = await get(`/docs/${file}`);
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    const again = await get(`/docs/${file}`, { 'If-None-Match': answer.headers.get('etag') ?? '' });
    expect([again.status, (await again.text()).length]).toEqual([304, 0]);
    expect((await get(`/docs/${file}`, { 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

const types = new Map([
  ['json', 'application/json'],
  ['graphql', 'application/graphql'],
  ['yaml', 'application/yaml'],
]);
const files = ['examples/', 'examples/receivers/', 'journeys/'].flatMap((folder) =>
  fileNames(`contracts/${folder}`).flatMap((name) => (name.includes('.') ? [folder + name] : [])),
);

test.each(files)('/docs/%s is the file, as its type', async (name) => {
  const answer = await get(`/docs/${name}`);
  const type = types.get(name.split('.').at(-1) ?? '') ?? 'text/plain';
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
  expect(await answer.text()).toBe(fileText(`contracts/${name}`));
});

test('a page of another origin may send If-None-Match; other methods are 405', async () => {
  const preflight = await fetch(`${service.url}/docs/openapi.json`, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'If-None-Match']);
  for (const path of ['/docs', '/docs/openapi.json']) {
    const refused = await fetch(`${service.url}${path}`, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await refused.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
  }
});

test('the page links every contract', async () => {
  const html = await (await get('/docs')).text();
  for (const [file] of published) expect(html).toContain(`href="/docs/${file}"`);
});

test('the published YAML is whole: it refers to no other file', async () => {
  for (const [file, bundle] of [
    ['openapi', bundles.rest],
    ['operator.openapi', bundles.operator],
  ] as const) {
    const text = await (await get(`/docs/${file}.yaml`)).text();
    expect(parse(text)).toEqual(bundle);
    expect(text).not.toContain('.yaml#');
  }
});

test.each([
  '/docs/none',
  '/docs/index.html',
  '/docs/none/',
  '/docs/openapi.yaml/',
  '/docs/%2e%2e/package.json',
  '/docs//',
])('%s is not there, as any other path', async (path) => {
  const answer = await get(path);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: expect.objectContaining({ code: 'NOT_FOUND' }) },
  ]);
});

describeWith('chromium', 'in a browser', (path) => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const broken: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('response', (answer) => void (answer.status() >= 400 && broken.push(`${answer.status()} ${answer.url()}`)));
    page.on('pageerror', (error) => broken.push(error.message));
    await page.goto(`${service.url}/docs`);
    await page.waitForSelector('.opblock');
  });
  afterAll(() => browser.close());

  test('the page shows every operation', async () => {
    expect(await page.locator('.opblock').count()).toBe(describedBy('rest').length);
    expect(await page.locator('.info .title').textContent()).toContain(String(fields(bundles.rest['info'])['title']));
  });

  test('signing in and calling the service from the page works', async () => {
    const block = page.locator('#operations-Auth-login');
    await block.locator('.opblock-summary-control').click();
    await block.locator('.try-out__btn').click();
    await block.locator('textarea.body-param__text').fill(JSON.stringify(operatorLogin));
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table .highlight-code').first();
    await answer.waitFor();
    const token = /"access_token":\s*"([^"]+)"/.exec((await answer.textContent()) ?? '')?.[1] ?? '';
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('.auth-container input').fill(token);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    const me = page.locator('#operations-Users-getCurrentUser');
    await me.locator('.opblock-summary-control').click();
    await me.locator('.try-out__btn').click();
    await me.locator('.execute').click();
    const record = me.locator('.live-responses-table .highlight-code').first();
    await record.waitFor();
    expect(await record.textContent()).toContain(operatorLogin.email);
  });

  test('the page switches to the operator’s contract', async () => {
    await page.locator('.topbar select').selectOption({ label: 'Operator' });
    await page.waitForSelector('#operations-Movements-recordMovements');
    expect(await page.locator('.opblock').count()).toBe(describedBy('operator').length);
  });

  test('the page requests nothing from elsewhere, and everything that it requests is there', () => {
    const outside = requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(service.url));
    expect({ outside, broken }).toEqual({ outside: [], broken: [] });
    expect(requested.length).toBeGreaterThan(3);
  });
});
