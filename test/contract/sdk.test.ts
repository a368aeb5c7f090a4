import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type createClient from 'openapi-fetch';
import type { paths } from '../../generated/rest.js';
import { operatorLogin, type Service, startService } from '../support/service.js';
import { complaints } from './compile.js';
import { bundles, fields } from './contract-files.js';

// Inside the project, so that the package finds its one dependency.
const folder = `dist/sdk-test-${process.pid}`;
let service: Service;

interface Sdk {
  createMaloteClient: typeof createClient<paths>;
}

beforeAll(async () => {
  [service] = await Promise.all([
    startService(),
    promisify(execFile)('node_modules/.bin/tsx', ['scripts/sdk.ts', folder]),
  ]);
}, 60_000);

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the package has the version of the contract', () => {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect({ name, version }).toEqual({ name: 'malote-sdk', version: fields(bundles.rest['info'])['version'] });
});

test('its client signs in, creates, reads and receives what is wrong', async () => {
  const { createMaloteClient }: Sdk = await import(pathToFileURL(join(folder, 'index.js')).href);
  const baseUrl = service.url;
  const { data: login } = await createMaloteClient({ baseUrl }).POST('/auth/login', { body: operatorLogin });
  const headers = { Authorization: `Bearer ${login?.access_token}` };
  const client = createMaloteClient({ baseUrl, headers });
  const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
  const body = { sku: 'CAFE-500', name: 'Café torrado', price: '38.50', dimensions };
  const created = await client.POST('/api/v1/products', { body });
  expect(created.data).toMatchObject(body);
  const { data: list } = await client.GET('/api/v1/products', { params: { query: { search: 'café' } } });
  expect(list?.pagination.total_items).toBe(1);
  const refused = await client.POST('/api/v1/products', { body: { ...body, price: 'free' } });
  expect([refused.response.status, refused.error?.error.details.map(({ field }) => field)]).toEqual([400, ['price']]);
});

test('its types accept what the contract allows and nothing else', () => {
  const using = (line: string): string => `
    import { createMaloteClient, type Schemas } from '../../${folder}/index.js';
    const client = createMaloteClient({ baseUrl: 'https://malote.example' });
    ${line}`;
  const right = `
    const { data, error } = await client.GET('/api/v1/orders/{id}', { params: { path: { id: 'x' } } });
    export const order: Schemas['Order'] | undefined = data;
    export const code: Schemas['ErrorCode'] | undefined = error?.error.code;`;
  const wrong = [
    `await client.GET('/api/v1/orders/{id}', { params: { path: { key: 'x' } } });`,
    `await client.POST('/auth/login', { body: { email: 'ana@example.com' } });`,
    `await client.GET('/api/v1/nothing');`,
  ];
  const [ofRight, ...ofWrong] = complaints([right, ...wrong].map(using));
  expect(ofRight).toEqual([]);
  expect(ofWrong.map((found) => found.length > 0)).toEqual([true, true, true]);
}, 60_000);
