import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { createLog } from '../../src/base/telemetry/log.js';
import { contractRouter } from '../../src/http/contract-router.js';
import { errorHandler } from '../../src/http/errors.js';
import type { Handler, Handlers } from '../../src/http/handler.js';
import { expressApp } from '../../src/http/server/express-app.js';
import { serverOf, surroundings } from './http-notes-app.js';

/** Bodies of bytes, with the media type that the contract declares. */

const binary = { schema: { type: 'string', format: 'binary', maxLength: 1000 } };
const answers = (...types: string[]) => ({
  '200': { description: 'Bytes.', content: Object.fromEntries(types.map((type) => [type, binary])) },
});
const json = (schema: object) => ({ description: 'JSON.', content: { 'application/json': { schema } } });
const jsonError = json({ type: 'object', properties: {} });

const spec = {
  openapi: '3.0.3',
  info: { title: 'Labels', version: '1.0.0' },
  servers: [{ url: '/' }],
  paths: {
    '/label': { get: { operationId: 'getLabel', responses: { ...answers('application/pdf'), '404': jsonError } } },
    '/export': { get: { operationId: 'getExport', responses: answers('text/csv', 'application/x-ndjson') } },
    '/broken': { get: { operationId: 'getBroken', responses: answers('application/x-ndjson') } },
    '/cut': { get: { operationId: 'getCut', responses: answers('application/x-ndjson') } },
    '/picture': {
      put: {
        operationId: 'putPicture',
        requestBody: { required: true, content: { 'image/png': binary, 'image/jpeg': binary } },
        responses: answers('application/octet-stream'),
      },
    },
    '/word': { get: { operationId: 'getWord', responses: { '200': json({ type: 'string', maxLength: 9 }) } } },
  },
};

const get = (path: string) => ({ method: 'get', path, security: 'none', idempotent: false }) as const;
const routes = {
  getLabel: get('/label'),
  getExport: get('/export'),
  getBroken: get('/broken'),
  getCut: get('/cut'),
  getWord: get('/word'),
  putPicture: { method: 'put', path: '/picture', security: 'none', idempotent: false, maxBody: 1000 },
} as const;

interface Answering<Content> {
  parameters: { query?: never; header?: never; path?: never; cookie?: never };
  requestBody?: never;
  responses: { 200: { headers: { [name: string]: unknown }; content: Content } };
}
// The types that openapi-typescript would make of the contract.
interface operations {
  getLabel: Answering<{ 'application/pdf': string }>;
  getExport: Answering<{ 'text/csv': string; 'application/x-ndjson': string }>;
  getBroken: Answering<{ 'application/x-ndjson': string }>;
  getCut: Answering<{ 'application/x-ndjson': string }>;
  getWord: Answering<{ 'application/json': string }>;
  putPicture: Omit<Answering<{ 'application/octet-stream': string }>, 'requestBody'> & {
    requestBody: { content: { 'image/png': string; 'image/jpeg': string } };
  };
}

const PDF = 'application/pdf';
const NDJSON = 'application/x-ndjson';
const pdf = Buffer.from('%PDF-1.7 \u0000\u00ff<script>alert(1)</script>', 'latin1');
const lines = Array.from({ length: 2_000 }, (_, number) => `{"number":${number}}\n`);
const streams: Readable[] = [];

function streamOf(parts: Iterable<string>): Readable {
  const stream = Readable.from(parts);
  streams.push(stream);
  return stream;
}

function* failingAfter(count: number): Generator<string> {
  yield* lines.slice(0, count);
  throw new Error('the source broke');
}

const handlers: Handlers<operations, typeof routes> = {
  getLabel: async () => ({ status: 200, type: PDF, body: pdf, headers: { ETag: '"7"' } }),
  getExport: async () => ({ status: 200, type: NDJSON, body: streamOf(lines), headers: { ETag: '"8"' } }),
  getBroken: async () => ({ status: 200, type: NDJSON, body: streamOf(failingAfter(0)) }),
  getCut: async () => ({ status: 200, type: NDJSON, body: streamOf(failingAfter(1_000)) }),
  getWord: async () => ({ status: 200, body: '<b>' }),
  putPicture: async ({ body: { type, bytes } }) => {
    const known: 'image/png' | 'image/jpeg' = type;
    return { status: 200, type: 'application/octet-stream', body: bytes, headers: { 'X-Type': known } };
  },
};

const log = createLog({ level: 'silent' });
const app = expressApp({ trustProxy: false, log });
app.use(contractRouter<operations, typeof routes>({ ...surroundings(log), spec, routes, handlers }));
app.use(errorHandler(log));

const server = await serverOf(app);
const api = request(server);
const urlOf = (path: string): string => `http://localhost:${Object(server.address()).port}${path}`;

test('bytes are answered unchanged, with the declared type', async () => {
  const answer = await api.get('/label').buffer(true);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(Buffer.from(answer.body).equals(pdf)).toBe(true);
});

test('a stream is answered completely, and is closed when its content is not needed', async () => {
  const answer = await fetch(urlOf('/export'));
  expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['application/x-ndjson', lines.join('')]);
  const { status, headers } = await api.head('/export');
  expect([status, headers['content-type'], streams.at(-1)?.destroyed]).toEqual([200, NDJSON, true]);
  const unchanged = await api.get('/export').set('If-None-Match', '"8"');
  expect([unchanged.status, streams.at(-1)?.destroyed]).toEqual([304, true]);
  expect((await api.get('/label').set('If-None-Match', '"7"')).status).toBe(304);
});

test('a stream that fails before its first byte gives an error answer, and one that fails later is cut off', async () => {
  const broken = await api.get('/broken');
  expect([broken.status, broken.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
  const [answer]: IncomingMessage[] = await once(httpGet(urlOf('/cut')), 'response');
  await expect(text(answer ?? Readable.from([]))).rejects.toThrow('aborted');
});

test('a client that leaves in the middle ends the stream', async () => {
  const asking = httpGet(urlOf('/export'));
  const [answer]: IncomingMessage[] = await once(asking, 'response');
  answer?.destroy();
  const stream = streams.at(-1);
  if (!stream?.destroyed) await new Promise((resolve) => stream?.once('close', resolve));
  expect(stream?.destroyed).toBe(true);
});

test('a text as JSON is answered as JSON, never as a page', async () => {
  const answer = await api.get('/word');
  expect([answer.headers['content-type'], answer.text]).toEqual(['application/json; charset=utf-8', '"<b>"']);
});

test.each([
  ['/label', 'image/png', 406],
  ['/export', 'application/json', 406],
  ['/label', 'application/*', 200],
  ['/label', 'application/json', 200],
])('Accept decides between bytes and 406, and JSON of errors also allows bytes: %s, %s', async (path, accept, status) =>
  expect((await api.get(path).set('Accept', accept)).status).toBe(status),
);

// The compiler checks these: `npm run typecheck` fails if an expected error is missing.
type On<Id extends keyof operations> = Handler<operations, typeof routes, Id>;
// @ts-expect-error text is not bytes
const textBody: On<'getLabel'> = async () => ({ status: 200, type: 'application/pdf', body: '%PDF' });
// @ts-expect-error the type is missing
const untyped: On<'getLabel'> = async () => ({ status: 200, body: pdf });
// @ts-expect-error the contract declares another type
const otherType: On<'getExport'> = async () => ({ status: 200, type: 'application/pdf', body: pdf });
// @ts-expect-error JSON needs no type
const typedJson: On<'getWord'> = async () => ({ status: 200, type: 'text/html', body: '<b>' });
type Copying = { copyLabel: Answering<{ 'application/pdf': string }> };
type CopyingRoutes = { copyLabel: { method: 'post'; path: '/copy'; security: 'bearer'; idempotent: true } };
const label = { status: 200, type: PDF, body: pdf } as const;
// @ts-expect-error a stored answer for an Idempotency-Key is JSON
const stored: Handler<Copying, CopyingRoutes, 'copyLabel'> = async () => async () => label;

test('bytes are typed by the contract', () => {
  expect([textBody, untyped, otherType, typedJson, stored]).toHaveLength(5);
});

function put(body: Buffer, headers: Record<string, string>) {
  const sending = api.put('/picture');
  for (const [name, value] of Object.entries(headers)) sending.set(name, value);
  return sending.buffer(true).send(body);
}

describe('bytes that are sent', () => {
  const bytes = Buffer.from([0, 0xff, 0x7b, 0x22]);

  test.each(['image/png', 'image/jpeg', 'IMAGE/PNG', 'image/png; charset=x; a=b'])('as %s', async (type) => {
    const answer = await put(bytes, { 'Content-Type': type });
    expect([answer.status, Buffer.compare(answer.body, bytes)]).toEqual([200, 0]);
    expect(answer.headers['x-type']).toBe(type.toLowerCase().split(';')[0]);
  });

  test('may be compressed, and are bounded before they are read, with or without Content-Length', async () => {
    const type = { 'Content-Type': 'image/png' };
    const packed = await put(gzipSync(bytes), { ...type, 'Content-Encoding': 'gzip' });
    expect([packed.status, Buffer.compare(packed.body, bytes)]).toEqual([200, 0]);
    expect((await put(Buffer.alloc(1000), type)).status).toBe(200);
    for (const [body, headers] of [
      [Buffer.alloc(1001), {}],
      [gzipSync(Buffer.alloc(50_000_000)), { 'Content-Encoding': 'gzip' }],
    ] as const)
      expect((await put(body, { ...type, ...headers })).body.error.code).toBe('PAYLOAD_TOO_LARGE');
    const chunked = api.put('/picture').set(type);
    chunked.write(Buffer.alloc(600));
    chunked.write(Buffer.alloc(600));
    expect((await chunked).status).toBe(413);
  });

  const others = ['application/json', 'image/gif', 'multipart/form-data; boundary=a', ''];
  test.each(others)('as %s are refused', async (type) => {
    const { status, body } = await put(bytes, { 'Content-Type': type });
    const message = 'The body must be sent as image/png or image/jpeg.';
    const error = { code: 'UNSUPPORTED_MEDIA_TYPE', reason: 'media_type_unsupported', message, details: [] };
    expect([status, body]).toEqual([415, { error }]);
  });

  test('are required', async () => {
    const answer = await api.put('/picture').set('Content-Type', 'image/png');
    expect(answer.body.error.details).toEqual([{ field: 'body', code: 'required', message: 'is required' }]);
  });
});
