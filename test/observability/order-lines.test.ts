import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { movementTo, orderBody, packageBody } from '../support/bodies.js';
import { ask, must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { trustedReceiver } from '../support/services.js';

/** The lines of the log that belong to an order, found as in the runbook. */

const { receiver, settings } = await trustedReceiver();
const lines: Record<string, unknown>[] = [];
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
const service = await startService(settings, { log });
const { operator } = service;
const shipper = await service.customer();
afterAll(() => service.stop());
beforeEach(() => void lines.splice(0));

async function lineOf(msg: string, path?: string): Promise<Record<string, unknown>> {
  const find = () => lines.find((line) => line['msg'] === msg && (path === undefined || line['path'] === path));
  await waitFor(() => find() !== undefined, `a line of ${msg}`);
  return find() ?? {};
}

const order = async (packages = 1) => {
  const body = { ...orderBody(), packages: Array.from({ length: packages }, () => packageBody) };
  return must(await shipper.rest.POST('/api/v1/orders', { body }));
};

const graphql = async (query: string) => {
  const headers = { Authorization: `ApiKey ${shipper.email}:${await service.app.identity.apiKeyOf(shipper.id)}` };
  return ask(service.url, 'POST', '/graphql', { headers, body: { query } });
};

const move = (movements: object[]) =>
  ask(service.url, 'POST', '/operator/v1/movements', { token: operator.token, body: { movements } });

test('the line of the request that made an order has the id of the order', async () => {
  const { id } = await order();
  expect(await lineOf('http.request', '/api/v1/orders')).toMatchObject({ orderId: id, status: 201 });
});

test('the line of a refused order has no id', async () => {
  await ask(service.url, 'POST', '/api/v1/orders', { token: shipper.token, body: {} });
  expect(await lineOf('http.request', '/api/v1/orders')).not.toHaveProperty('orderId');
});

test('the line of a movement has the keys of its packages, however they were named', async () => {
  const { packages } = await order(2);
  const movements = packages.map(({ loggi_key, tracking_code }, at) => {
    const { loggi_key: key, ...others } = movementTo(loggi_key);
    return at === 0 ? { ...others, tracking_code } : { ...others, loggi_key: key };
  });
  await move(movements);
  const loggiKeys = packages.map(({ loggi_key }) => loggi_key);
  expect(await lineOf('http.request', '/operator/v1/movements')).toMatchObject({ loggiKeys });
});

test('the line of a batch of many packages has no key', async () => {
  const { packages } = await order(6);
  await move(packages.map(({ loggi_key }) => movementTo(loggi_key)));
  expect(await lineOf('http.request', '/operator/v1/movements')).not.toHaveProperty('loggiKeys');
});

test('the line of a mutation has the key of the package that it changes', async () => {
  const [parcel] = (await order()).packages;
  await graphql(`mutation { cancelPackage(loggiKey: "${parcel?.loggi_key}") { success } }`);
  expect(await lineOf('http.request', '/graphql')).toMatchObject({ loggiKeys: [parcel?.loggi_key] });
});

/** The statements of the runbook about a question of a customer, with these ids put in. */
function statementsFor(orderId: string, webhookId: string): string[] {
  const chapter = readFileSync('docs/runbook.md', 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith('A customer asks'));
  const blocks = [...(chapter ?? '').matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text);
  return blocks.map((text) => text.replaceAll('<order>', orderId).replaceAll('<webhook id>', webhookId));
}

test('the statements of the runbook follow an order from its request to the receiver', async () => {
  const body = { user_id: shipper.id, url: receiver.url, username: 'malote', password: 'p4ss-word-of-theirs' };
  must(await operator.operator.POST('/operator/v1/webhook-endpoints', { body }));
  const { id, packages } = await order();
  const [{ loggi_key = '' } = {}] = packages;
  await receiver.until(1);
  const created = await lineOf('http.request', '/api/v1/orders');
  const attempt = await lineOf('webhook.attempt');
  const webhookId = String(receiver.received[0]?.headers['webhook-id']);
  expect(created).toMatchObject({ orderId: id });
  expect(attempt).toMatchObject({ outcome: 'acknowledged', webhookId, traceIds: [created['traceId']] });
  await move([movementTo(loggi_key)]);

  const results = [];
  for (const text of statementsFor(id, webhookId)) results.push((await sql.raw(text).execute(service.db)).rows);
  expect(results).toMatchObject([
    [{ loggi_key, status: expect.any(String) }],
    [
      { loggi_key, seq: 1 },
      { loggi_key, seq: 2 },
    ],
    [{ operation: 'createOrder', request_id: created['requestId'] }],
    [{ number: 1, outcome: 'acknowledged', status_code: 200 }],
  ]);
});
