import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { complaintsAbout, type Described, operations } from '../contract/oracle.js';
import { bodyFor, type Records } from '../support/bodies.js';
import { type Answer, type Ask, ask } from '../support/http.js';
import { newRecords, pathFor } from '../support/records.js';
import { ownService } from '../support/services.js';

const service = await ownService();
let records: Records;

beforeAll(async () => {
  records = await newRecords(service);
});

async function send(operation: Described, request: Ask): Promise<Answer> {
  const token = operation.isPublic ? undefined : service.operator.token;
  const answer = await ask(service.url, operation.method, pathFor(operation, records), { token, ...request });
  expect(complaintsAbout(operation, answer)).toEqual([]);
  return answer;
}

/** Status and the fields that are named. */
function refusalOf({ status, text }: Answer): [number, ...string[]] {
  const details: { field: string }[] = JSON.parse(text).error?.details ?? [];
  return [status, ...details.map(({ field }) => field)];
}

const named = (all: readonly Described[]): [string, Described][] => all.map((each) => [each.id, each]);
const withBody = operations.filter(({ example }) => example !== undefined);

describe.each(named(withBody))('%s', (_id, operation) => {
  test.each(['id', 'is_admin', 'constructor', 'prototype'])(
    'refuses a field that is not its own: %s',
    async (field) => {
      const body = { ...bodyFor(operation, records), [field]: 'x' };
      const [status, ...named] = refusalOf(await send(operation, { body }));
      expect([status, named.length > 0]).toEqual([400, true]);
    },
  );

  test('refuses __proto__, wherever it stands, a body that is cut, and a list', async () => {
    const text = JSON.stringify(bodyFor(operation, records));
    const [shallow, deep] = [
      text.replace('{', '{"__proto__":{"role":"operator"},'),
      `{"a":[${text.replace('{', '{"__proto__":{},')}]}`,
    ];
    for (const body of [shallow, deep, text.slice(0, -1), '[]'])
      expect((await send(operation, { body })).status).toBe(400);
    expect(Reflect.get({}, 'role')).toBeUndefined();
  });
});

const texts: [what: string, text: string][] = [
  ['SQL', "Robert'); drop table accounts; --"],
  ['more SQL', `\\' or 1=1 /* $1 %s {} "`],
  ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈 é é'],
  ['right to left', '\u202eمرحبا\u202c שלום'],
  ['white space', ' \t\r\n\u00a0\u2028\ufeff '],
  ['the edges of Unicode', '\u0001\u007f\ufffd\ufffe\u{10ffff}'],
  ['markup', '<script>alert(1)</script>&amp;'],
];

const product = (name: string) => ({
  sku: `SKU-${randomBytes(6).toString('hex')}`,
  name,
  description: name,
  price: '1.00',
  dimensions: { width: 1, height: 1, length: 1, weight: 1 },
});

const post = (body: unknown, headers = {}) =>
  ask(service.url, 'POST', '/api/v1/products', { token: records.token, body, headers });

test.each(texts)('text comes back to the byte: %s', async (_what, text) => {
  const created = await post(product(text));
  const { id, ...createdProduct } = JSON.parse(created.text);
  const stored = await ask(service.url, 'GET', `/api/v1/products/${id}`, { token: records.token });
  expect([created.status, createdProduct.name, JSON.parse(stored.text).description]).toEqual([201, text, text]);
  const { text: list } = await ask(service.url, 'GET', '/api/v1/products', {
    token: records.token,
    query: `?search=${encodeURIComponent([...text].slice(0, 10).join(''))}`,
  });
  expect(JSON.parse(list).data).toContainEqual(expect.objectContaining({ id, name: text }));
});

test.each([
  ['a byte that is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a sequence that is cut', Buffer.from([0x22, 0xf0, 0x9f, 0x22])],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
])('a body that is not UTF-8 is refused: %s', async (_what, body) => {
  const headers = { Authorization: `Bearer ${records.token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(`${service.url}/api/v1/products`, { method: 'POST', headers, body });
  expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'MALFORMED_REQUEST']);
});

/** Sends bytes until the service hangs up; resolves to its answer. */
async function speak(...parts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  for (const part of parts) {
    if (socket.destroyed || !socket.writable) break;
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
  if (!socket.destroyed) await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

test('a hundred megabytes in chunks are refused before they have arrived', async () => {
  const head = `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  expect(await speak(head, ...Array.from({ length: 100 }, () => chunk), '0\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /);
});

test('20 KB of headers are 431', async () => {
  const headers = Array.from({ length: 20 }, (_, index) => `X-${index}: ${'y'.repeat(1000)}\r\n`).join('');
  expect(await speak(`GET /health HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
});
