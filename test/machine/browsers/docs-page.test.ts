import { describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { parse } from 'yaml';
import { bundles, fields, fileNames, fileText } from '../../contract/contract-files.js';
import { sharedService } from '../../support/services.js';

const service = await sharedService();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

const published: readonly [file: string, type: string, source: string][] = [
  ['openapi.yaml', 'application/yaml', 'openapi.yaml'],
  ['openapi.json', 'application/json', 'openapi.yaml'],
  ['schema.graphql', 'application/graphql', 'schema.graphql'],
  ['tracking-webhook.schema.json', 'application/schema+json', 'tracking-webhook.schema.json'],
  ['webhooks.openapi.yaml', 'application/yaml', 'webhooks.openapi.yaml'],
  ['webhooks.openapi.json', 'application/json', 'webhooks.openapi.yaml'],
  ['operator.openapi.yaml', 'application/yaml', 'operator.openapi.yaml'],
  ['operator.openapi.json', 'application/json', 'operator.openapi.yaml'],
];

/** The parsed content of a contract in any format. */
function meaningOf(file: string, text: string): unknown {
  if (file.endsWith('.graphql')) return Object.keys(buildSchema(text).getTypeMap());
  const document = file.endsWith('.yaml') ? parse(text) : JSON.parse(text);
  return file.includes('openapi') ? Object.keys({ ...fields(document.paths), ...fields(document.webhooks) }) : document;
}

describe.each(published)('/docs/%s', (file, type, source) => {
  test('is the contract, with its media type, readable from every origin', async () => {
    const answer = await get(`/docs/${file}`, { Origin: 'https://elsewhere.example' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(meaningOf(file, await answer.text())).toEqual(meaningOf(source, fileText(`contracts/${source}`)));
  });

  test('is 304 for a client that has it, and uses no budget', async () => {
    const answer = await get(`/docs/${file}`);
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    const again = await get(`/docs/${file}`, { 'If-None-Match': answer.headers.get('etag') ?? '' });
    expect([again.status, (await again.text()).length]).toEqual([304, 0]);
    expect((await get(`/docs/${file}`, { 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

const files = ['examples/', 'examples/courier/', 'examples/receivers/', 'journeys/'].flatMap((folder) =>
  fileNames(`contracts/${folder}`).flatMap((name) => (name.includes('.') ? [folder + name] : [])),
);

test.each(files)('/docs/%s is the file, with its media type', async (name) => {
  const answer = await get(`/docs/${name}`);
  const end = name.split('.').at(-1) ?? '';
  const type = ['json', 'graphql', 'yaml'].includes(end) ? `application/${end}` : 'text/plain';
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

test('the published YAML is complete: it refers to no other file', async () => {
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
  ...['/docs/none', '/docs/index.html', '/docs/none/', '/docs/openapi.yaml/', '/docs/%2e%2e/package.json', '/docs//'],
])('%s is 404 like any unknown path', async (path) => {
  const answer = await get(path);
  expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'NOT_FOUND']);
});
