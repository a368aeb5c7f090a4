import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { parse } from 'yaml';
import { type Document, operationsOf, readContract } from '../../clients/operations.js';
import { errorOf, isRefusedFor, WebhookVerificationError } from '../../clients/typescript/package/errors.js';
import { pauseBefore } from '../../clients/typescript/package/retry.js';
import { verifyWebhook } from '../../clients/typescript/package/webhook.js';
import tracking from '../../contracts/examples/tracking-payload.json' with { type: 'json' };

/** Decisions of the TypeScript package itself, without the service. */

describe('methods', () => {
  const namesIn = (document: Document) =>
    Object.fromEntries(operationsOf(document).map(({ id, tag, words }) => [id, `${tag}.${words.join(' ')}`]));

  test.each([
    ['rest', 'openapi.yaml'],
    ['operator', 'operator.openapi.yaml'],
  ] as const)('of %s have names of their own, and keep those of the last release', async (name, file) => {
    const names = namesIn(await readContract(name));
    expect(new Set(Object.values(names)).size).toBe(Object.keys(names).length);
    expect(names).toMatchObject(namesIn(parse(readFileSync(`contracts/released/${file}`, 'utf8'))));
  });

  test('are named by tag and operationId', async () => {
    expect({ ...namesIn(await readContract('rest')), ...namesIn(await readContract('operator')) }).toMatchObject({
      createOrder: 'Orders.create',
      updateOrderStatus: 'Orders.update status',
      listOwnPackages: 'Packages.list',
      getCurrentUser: 'Users.get current',
      addPackageStatus: 'Package statuses.add',
      // Both would be `replay`.
      replayDelivery: 'Deliveries.replay delivery',
      replayDeliveries: 'Deliveries.replay deliveries',
    });
  });
});

test('a request that may have been carried out is repeated only if that changes nothing', () => {
  const limits = { maxRetries: 3, maxRetryMs: 60_000 };
  const first = { tries: 1, elapsedMs: 0, isRepeatable: true };
  const pause = (status: number | undefined, more: object = {}, retryAfterMs?: number, reason?: string) =>
    pauseBefore({ status, reason, retryAfterMs }, { ...first, ...more }, limits, 0.5);
  const once = { isRepeatable: false };
  expect([undefined, 502, 504].map((status) => pause(status, once))).toEqual([undefined, undefined, undefined]);
  expect([429, 503].map((status) => pause(status, once))).toEqual([375, 375]);
  expect([undefined, 502, 503].map((status) => pause(status, { tries: 3 }))).toEqual([1_500, 1_500, 1_500]);
  expect([400, 401, 404, 409, 422, 500].map((status) => pause(status))).toEqual(Array(6).fill(undefined));
  // Reasons of the service that come with Retry-After.
  expect(pause(409, once, 1_000, 'idempotency_in_progress')).toBe(1_000);
  expect([409, 429, 503].map((status) => pause(status, {}, undefined, 'x'))).toEqual(Array(3).fill(undefined));
  expect(pause(503, {}, 59_000)).toBe(59_000);
  const given = [pause(503, { tries: 4 }), pause(503, {}, 61_000), pause(503, { elapsedMs: 59_900 })];
  expect(given).toEqual([undefined, undefined, undefined]);
});

test('an error says its reason, as REST and as GraphQL write it', () => {
  const response = new Response(null, { status: 429, headers: { 'Retry-After': '7' } });
  const said = { code: 'RATE_LIMITED', reason: 'labels_in_flight' };
  const expected = { ...said, message: 'Wait.', status: 429, retryAfter: 7 };
  expect(errorOf(response, { error: { ...said, message: 'Wait.', details: [] } })).toMatchObject(expected);
  expect(errorOf(response, { errors: [{ message: 'Wait.', extensions: said }] })).toMatchObject(expected);
  const details = [{ field: 'packages.0.recipient.phone', code: 'pattern', message: 'must be a phone number' }];
  const { message } = errorOf(response, { error: { ...said, message: 'The request is not valid.', details } });
  expect(message).toBe('The request is not valid. packages.0.recipient.phone must be a phone number');
  const refused = errorOf(response, { error: said });
  expect(isRefusedFor(refused, 'sku_taken', 'labels_in_flight')).toBe(true);
  expect(isRefusedFor(refused, 'sku_taken')).toBe(false);
  expect(errorOf(response, 'Wait.')).toMatchObject({ code: 'UNKNOWN', reason: undefined });
});

describe('verifyWebhook', () => {
  const body = JSON.stringify(tracking);
  const whsec = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const headersOf = (signature: string, at = new Date()) => ({
    'Webhook-Id': 'one',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
    authorization: `Basic ${Buffer.from('malote:pässword').toString('base64')}`,
  });
  const signed = (key: string, at = new Date()) => headersOf(new Webhook(key).sign('one', at, body), at);
  const refused = (...given: Parameters<typeof verifyWebhook>) =>
    expect(verifyWebhook(...given)).rejects.toThrow(WebhookVerificationError);

  test('takes several secrets and logins, text and bytes', async () => {
    const secrets = [whsec(1), whsec(2)];
    const logins = ['before', 'pässword'].map((password) => ({ username: 'malote', password }));
    const keys = { secret: secrets, basic: logins };
    const expected = { id: 'one', isTest: false, isReplay: false, payload: tracking };
    for (const each of [body, Buffer.from(body)])
      expect(await verifyWebhook(signed(whsec(2)), each, keys)).toEqual(expected);
    const test = new Headers({ ...signed(whsec(1)), 'malote-test': 'true' });
    expect(await verifyWebhook(test, body, keys)).toEqual({ ...expected, isTest: true });
  });

  test('refuses another secret, login, time and body', async () => {
    const keys = { secret: whsec(1), basic: { username: 'malote', password: 'pässword' } };
    await refused(signed(whsec(2)), body, keys);
    await refused(signed(whsec(1)), `${body} `, keys);
    await refused(signed(whsec(1)), body, { ...keys, basic: { username: 'malote', password: 'other' } });
    for (const age of [-320_000, 320_000]) await refused(signed(whsec(1), new Date(Date.now() + age)), body, keys);
    for (const signature of ['', 'v1,', 'v1,%', 'v2,AAAA', 'v1a,AAAA']) await refused(headersOf(signature), body, keys);
    await expect(verifyWebhook(signed(whsec(1)), body, {})).rejects.toThrow(TypeError);
  });

  test('takes a public key instead of a secret', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const whpk = `whpk_${raw.toString('base64')}`;
    const at = new Date();
    const content = Buffer.from(`one.${Math.floor(at.getTime() / 1000)}.${body}`);
    const signature = `v1a,${sign(null, content, privateKey).toString('base64')}`;
    const headers = headersOf(`v1,AAAA ${signature}`, at);
    expect((await verifyWebhook(headers, body, { publicKey: whpk })).payload).toEqual(tracking);
    await refused(headers, `${body} `, { publicKey: whpk });
    await refused(signed(whsec(1)), body, { publicKey: whpk });
  });
});
