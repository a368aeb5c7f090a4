import { expect, test } from '@jest/globals';
import type { DetailCode } from '../../src/base/errors.js';
import { orderBody } from '../support/bodies.js';
import { timesTheCost } from '../support/cost.js';
import { type Answer, ask } from '../support/http.js';
import { sharedService } from '../support/services.js';

/** Input far beyond the bounds of the contract is refused at a bounded cost and with a bounded answer. */

const service = await sharedService();
const { token } = await service.customer();

const KIB = 1024;
const repeated = (part: string, length: number): string =>
  Array.from({ length: Math.floor(length / (part.length + 1)) }, () => part).join(',');
const listOf = (part: string, length: number): string => `[${repeated(part, length)}]`;
const fieldsOf = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(',');
const times = (count: number, part: string): string => Array.from({ length: count }, () => part).join(',');

const createOrder = (body: string) => ask(service.url, 'POST', '/api/v1/orders', { token, body });
const recordMovements = (body: string) =>
  ask(service.url, 'POST', '/operator/v1/movements', { token: service.operator.token, body });

interface Refusal {
  error: { reason: string; message: string; details: { field: string; code: DetailCode; message: string }[] };
}
const refusalOf = ({ text }: Answer): Refusal['error'] => {
  const { error }: Refusal = JSON.parse(text);
  return error;
};

type Send = (body: string) => Promise<Answer>;
const rightPackage = JSON.stringify(orderBody().packages[0]);
const packages = (text: string): string => `{"pickups":[],"packages":${text}}`;
const movements = (text: string): string => `{"movements":${text}}`;
const WRONG_MOVEMENT =
  '{"id":1,"loggi_key":2,"status_code":"x","happened_at":"y","location":{"city":1,"state":2},"z":3}';

const MANY = 'must have at most 100 items';
const longText = `{"external_id":"${'x'.repeat(500 * KIB)}"}`;

test.each<[what: string, send: Send, body: string, field: string, code: DetailCode, message: string]>([
  ['zeros', createOrder, packages(listOf('0', 40 * KIB)), 'packages', 'too_many', MANY],
  ['a mebibyte of zeros', createOrder, packages(listOf('0', 1000 * KIB)), 'packages', 'too_many', MANY],
  ['right packages', createOrder, packages(`[${times(101, rightPackage)}]`), 'packages', 'too_many', MANY],
  ['items of items', createOrder, packages(`[{"items":${listOf('{}', 9000)}}]`), 'packages.0.items', 'too_many', MANY],
  ['a long text', createOrder, longText, 'external_id', 'too_long', 'must have at most 255 characters'],
  [
    'movements',
    recordMovements,
    movements(listOf('{}', 7000 * KIB)),
    'movements',
    'too_many',
    'must have at most 500 items',
  ],
  ['unknown fields', createOrder, `{${fieldsOf(100_000)}}`, '1', 'unknown_field', 'is not a field of this object'],
])('%s beyond a bound is refused, and the error names the field', async (_what, send, body, field, code, message) => {
  const answer = await send(body);
  const { reason, details } = refusalOf(answer);
  expect([answer.status, reason]).toEqual([400, 'invalid_fields']);
  expect(details).toContainEqual({ field, code, message });
  expect(details.length).toBeLessThanOrEqual(100);
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(64 * KIB);
});

test.each<[what: string, send: Send, body: string]>([
  ['packages', createOrder, packages(`[${times(100, `{"items":${listOf('{"a":0,"b":0,"product_id":0}', 2800)}}`)}]`)],
  ['movements', recordMovements, movements(`[${times(500, WRONG_MOVEMENT)}]`)],
  ['movements full of unknown fields', recordMovements, movements(`[${times(500, `{${fieldsOf(14)}}`)}]`)],
  [
    'long names',
    createOrder,
    `{${Array.from({ length: 900 }, (_, index) => `"${index}${'\\u0001é'.repeat(120)}":0`).join(',')}}`,
  ],
])(
  '%s within the bounds, but all wrong, are answered with the first errors and a note about more',
  async (_what, send, body) => {
    const answer = await send(body);
    const { message, details } = refusalOf(answer);
    const listed = `The request is not valid. Only the first ${details.length} faults are listed.`;
    expect([answer.status, message]).toEqual([400, listed]);
    expect(details.length).toBeGreaterThan(10);
    expect(details.length).toBeLessThanOrEqual(100);
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(64 * KIB);
  },
);

test.each([
  Array.from({ length: 1500 }, (_, index) => `a${index}=1`).join('&'),
  'page=1&'.repeat(1500),
  `${'%01'.repeat(3000)}=1`,
])('a flood of parameters is refused with a short answer', async (query) => {
  const answer = await ask(service.url, 'GET', '/api/v1/orders', { token, query: `?${query}` });
  expect(answer.status).toBe(400);
  expect(refusalOf(answer).details.length).toBeLessThanOrEqual(100);
  expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(64 * KIB);
});

// With 30 times the input, linear work takes at most 30 times as long, and quadratic work 900 times.
test.each<[what: string, send: Send, make: (size: number) => string]>([
  ['zeros', createOrder, (size) => packages(listOf('0', size))],
  ['objects', createOrder, (size) => packages(listOf('{}', size))],
  ['arrays in arrays', createOrder, (size) => packages(listOf('[[[[[[[[]]]]]]]]', size))],
  ['unknown fields', createOrder, (size) => `{${fieldsOf(size / 8)}}`],
  ['unknown fields of every package', createOrder, (size) => packages(`[${times(100, `{${fieldsOf(size / 800)}}`)}]`)],
  ['movements', recordMovements, (size) => movements(listOf('0', size))],
])('the cost of refusing %s grows at most linearly', async (_what, send, make) => {
  const [small, large] = [make(8 * KIB), make(240 * KIB)];
  expect(await timesTheCost(send.bind(undefined, large), send.bind(undefined, small), 60)).toBeLessThanOrEqual(60);
});
