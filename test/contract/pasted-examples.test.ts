import { expect, test } from '@jest/globals';
import type { Records } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { newRecords, pathFor } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { bundles, fields, fileNames, fileText, resolve } from './contract-files.js';
import { type Described, operations } from './oracle.js';

/** Examples of requests work on a fresh service when a reader pastes them with real ids and passwords. */

const service = await ownService();
let records: Records;

/** Replaces the ids of examples by those that a reader would put in. */
const putIn = (text: string): string =>
  text
    .replaceAll('01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10', records.userId)
    .replaceAll('01930f60-1b2a-7c11-8f6e-3a9d5e7c2b41', records.productId)
    .replaceAll('01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29', records.endpointId)
    .replaceAll('correct operator battery', operatorLogin.password)
    .replaceAll('2026-11-18T13:10:00Z', new Date().toISOString())
    .replaceAll('"order_ids":["01930f61-4c1d-7b02-a7d1-6f3e2d1c0b52"]', `"order_ids":["${records.orderId}"]`)
    .replaceAll(/01930f61-4c1d-7b02-a7d1-[0-9a-f]{12}/g, records.loggiKey);

/** Not pasted: these need an existing address, an account with the example's name, a code or a second factor. */
const ownExamples = [
  ...['login', 'signIn', 'confirmSecondFactor', 'createWebhookEndpoint', 'updateWebhookEndpoint'],
  ...['useMemberLink', 'confirmOwnSecondFactor', 'removeOwnSecondFactor', 'setSecondFactorRule'],
];

/** Every example of the operation's body by name, including the file in contracts/examples. */
function examplesOf({ id, contract, node }: Described): [name: string, body: string][] {
  const content = fields(fields(resolve(bundles[contract], node['requestBody']))['content']);
  const inline = Object.entries(fields(fields(content['application/json'])['examples'])).map(
    ([name, example]): [string, string] => [name, JSON.stringify(fields(resolve(bundles[contract], example))['value'])],
  );
  const file = `${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
  const isFile = fileNames('contracts/examples').includes(file);
  return isFile ? [...inline, [file, fileText(`contracts/examples/${file}`)]] : inline;
}

const pasted = operations
  .filter(({ id }) => !ownExamples.includes(id))
  .flatMap((operation) =>
    examplesOf(operation).map(([name, body]) => ({ title: `${operation.id}: ${name}`, operation, body })),
  );

/** Confirms a change with the price that its preview shows. */
async function withShownTotal(text: string, send: (preview: string) => Promise<{ text: string }>): Promise<string> {
  const { total, ...change } = JSON.parse(text);
  if (total === undefined) return text;
  const shown = JSON.parse((await send(JSON.stringify(change))).text);
  return JSON.stringify({ ...change, total: shown.total ?? shown.order.pricing.total });
}

test('most operations that take a body have an example to paste', () => {
  expect(pasted.length).toBeGreaterThan(12);
});

test.each(pasted)('$title', async ({ operation, body }) => {
  records = await newRecords(service, operation);
  const { id, contract, roles } = operation;
  const isOperators = contract === 'operator' || !roles.includes('customer') || id === 'updateOrderStatus';
  const token = isOperators ? service.operator.token : records.token;
  // One example is for several records: an account of its own name, or the second of the name; the second product of
  // the code.
  const email = id === 'updateUser' ? records.email : `${records.userId}@example.com`;
  const text = putIn(body)
    .replace('ana@example.com', email)
    .replace('bia@example.com', `${id}@example.com`)
    .replace('"CAFE-500"', '"CAFE-501"');
  const send = (sent: string) => ask(service.url, operation.method, pathFor(operation, records), { token, body: sent });
  const answer = await send(id.startsWith('changeAddress') ? await withShownTotal(text, send) : text);
  expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([expect.any(Number), '']);
});
