import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { orderBody } from '../../support/bodies.js';
import { ownFolder } from '../../support/folder.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { waitFor } from '../../support/receiver.js';
import { ownService, trustedReceiver } from '../../support/services.js';
import { installed } from './typescript-project.js';

/** Commands of the TypeScript package in an empty directory, and first programs of integrators. */

const basic = { username: 'malote', password: 's3cr3t-of-the-receiver' };
const emptyFolder = await ownFolder();
const { receiver, settings } = await trustedReceiver(basic);
const project = await installed();
const service = await ownService(settings, {});
const ana = await service.customer({ email: 'ana@example.com' });
const malote = new project.client.Malote({ baseUrl: service.url, email: ana.email, password: PASSWORD });

const env = { ...process.env, MALOTE_EMAIL: ana.email, MALOTE_PASSWORD: PASSWORD, WEBHOOK_PASSWORD: basic.password };
const cli = join(project.folder, 'node_modules/malote-client/cli.js');
/** Settings of a program that npx runs: programs inherit the settings of npx. */
const fromNpx = { ...env, npm_config_package: 'malote-client' };
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [cli, ...args], { cwd: emptyFolder, env: fromNpx });

test('try a receiver', async () => {
  receiver.always((_request, response) => void response.writeHead(401).end());
  const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
  const here = ['--allow-private', '127.0.0.0/8,::1/128', '--ca', settings.WEBHOOK_EXTRA_CA];
  const tried = run('verify-receiver', receiver.url, '--username', 'malote', '--secret', secret, ...here);
  const stdout = expect.stringMatching(/^failed +delivery .* 401 in /m);
  await expect(tried).rejects.toMatchObject({ code: 1, stdout });
});

test('run a journey against the service', async () => {
  const { stdout } = await run('journey', 'quote-then-order', '--url', service.url);
  expect(stdout).toMatch(/Workflows: (\d+) passed, \1 total/);
  const missing = run('journey', 'none', '--url', service.url);
  await expect(missing).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('no journeys/none.yaml') });
});

test('serve an agent', async () => {
  const agent = new Client({ name: 'test', version: '1' });
  const args = [cli, 'mcp', '--url', service.url];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, cwd: emptyFolder, env }));
  const { tools } = await agent.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'quote',
    'coverage',
    'list_orders',
    'find',
    'why_is_it_late',
    'list_requests',
  ]);
  const { structuredContent } = await agent.callTool({ name: 'list_orders', arguments: {} });
  expect(structuredContent).toMatchObject({ data: [{ status: 'created', package_count: 1 }] });
  await agent.close();
});

test('an order is placed at the price of the estimate, or not at all', async () => {
  const key = '3526 0912 ABC3 4501 DE35 5500 1000 0012 3412 3456 7898';
  const carried = { declared_value: '349.90', fiscal_document: { kind: 'nfe' as const, key } };
  const body = orderBody();
  const packages = body.packages.map((each) => ({ ...each, ...carried }));
  const draft = { ...body, packages, service: 'economy' as const };
  const { services = [] } = await malote.orders.estimate(draft);
  const [, economy] = services.map(({ pricing }) => pricing.total);
  const refused = { reason: 'price_changed', details: [{ field: 'expected_total', total: economy }] };
  await expect(malote.orders.create({ ...draft, expected_total: '0.01' })).rejects.toMatchObject(refused);
  const order = await malote.orders.create({ ...draft, expected_total: economy ?? '' });
  expect(order).toMatchObject({ service: 'economy', pricing: { total: economy } });
  const fiscal_document = { kind: 'nfe', key: key.replaceAll(' ', '') };
  expect(order.packages[0]).toMatchObject({ ...carried, fiscal_document });
});

test('changes are followed, from a time and then from the cursor that was stored', async () => {
  const { data } = must(await ana.rest.GET('/api/v1/orders', {}));
  const ids: string[] = [];
  let since: { updated_from: string } | { cursor: string } = { updated_from: '2026-01-01T00:00:00Z' };
  await waitFor(async () => {
    for await (const page of malote.orders.list({ ...since, page_size: 2 }).pages()) {
      ids.push(...page.data.map(({ id }) => id));
      since = { cursor: page.next_cursor ?? '' };
    }
    return ids.length >= data.length;
  }, 'all orders');
  expect(ids.toSorted()).toEqual(data.map(({ id }) => id).toSorted());
});
