import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { complaintsAbout, type Described, operations } from '../contract/oracle.js';
import { bodyFor } from '../support/bodies.js';
import { type Answer, type Ask, ask } from '../support/http.js';
import { newRecords, pathFor } from '../support/records.js';
import { ownService } from '../support/services.js';

const service = await ownService();
const records = await newRecords(service);

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
    'refuses a field that its body does not have: %s',
    async (field) => {
      const body = { ...bodyFor(operation, records), [field]: 'x' };
      const [status, ...named] = refusalOf(await send(operation, { body }));
      expect([status, named.length > 0]).toEqual([400, true]);
    },
  );

  test('refuses __proto__ at any depth, a body that is cut off, and a list', async () => {
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

test.each(texts)('a text is answered with the same bytes: %s', async (_what, text) => {
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
