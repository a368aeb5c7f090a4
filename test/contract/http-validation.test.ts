import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import type { DetailCode } from '../../src/base/errors.js';
import { ID, notesApp } from './http-notes-app.js';

const { app } = notesApp();
const api = request(app);

const get = (path: string) => api.get(path).set('Authorization', 'Bearer customer');
const post = (body: unknown) => api.post('/notes').set('Authorization', 'Bearer customer').send(Object(body));
const raw = (body: string | Buffer, type = 'application/json') => {
  const sending = api.post('/sign-in').set('Content-Type', type);
  sending.write(body);
  return sending;
};
const note = { title: 'A', size: 1, repeats: 0 };

type Row = [field: string, code: DetailCode, message: string];
const details = (rows: Row[]) => ({
  error: {
    code: 'VALIDATION_ERROR',
    reason: 'invalid_fields',
    message: 'The request is not valid.',
    details: rows.map(([field, code, message]) => ({ field, code, message })),
  },
});

test('query values get the types and defaults of the contract', async () => {
  expect((await get('/notes?page=3')).body).toMatchObject({
    data: [{ received: { page: 3, page_size: 20 } }],
    pagination: { page: 3, page_size: 20, total_items: 41, total_pages: 3 },
  });
  const answer = await get('/notes?since=2026-11-01T00:00:00%2B03:00&search=a+b%26c/d:&kind=rich');
  const received = { since: '2026-11-01T00:00:00+03:00', search: 'a b&c/d:', kind: 'rich' };
  expect(answer.body.data[0]).toMatchObject({ received });
});

const UNKNOWN = 'is not a parameter of this operation';
test.each<[query: string, ...rows: Row[]]>([
  [
    'page=0&page_size=101',
    ['page', 'too_small', 'must be at least 1'],
    ['page_size', 'too_large', 'must be at most 100'],
  ],
  ['page=one', ['page', 'type', 'must be a whole number']],
  ['page=1.5', ['page', 'type', 'must be a whole number']],
  ['page=1&page=2', ['page', 'duplicate', 'is given more than once']],
  [
    'pages=1&search=&x[y]=1',
    ['pages', 'unknown_field', UNKNOWN],
    ['search', 'required', 'must not be empty'],
    ['x[y]', 'unknown_field', UNKNOWN],
  ],
  [
    'nope=1&__proto__=1&page=0',
    ['nope', 'unknown_field', UNKNOWN],
    ['__proto__', 'unknown_field', UNKNOWN],
    ['page', 'too_small', 'must be at least 1'],
  ],
  ['kind=odd', ['kind', 'unknown_value', 'must be one of: plain, rich']],
  ['since=2026-02-30T00:00:00Z', ['since', 'pattern', 'must be a time such as 2026-11-20T12:00:00Z']],
  ['since=2016-12-31T23:59:60Z', ['since', 'pattern', 'must be a time such as 2026-11-20T12:00:00Z']],
  ['search=a%00b', ['search', 'pattern', 'must be valid Unicode text without NUL']],
])('query %s', async (query, ...rows) => {
  const answer = await get(`/notes?${query}`);
  expect([answer.status, answer.body]).toEqual([400, details(rows)]);
});

test.each([
  ...['Infinity', '-Infinity', '+Infinity', '%20Infinity', 'NaN', '1e999', '-1e999', '1e2', '0x10', '0b1', '0o7'],
  ...['01', '+1', '%2B1', '%201', '1%20', '%091', '1.0', '1.', '-0', '1_0', '1%00', '%EF%BC%91', 'true'],
  '9'.repeat(400),
])('an integer in a query must be written as in the contract: %s', async (text) => {
  const answer = await get(`/notes?page=${text}&page_size=${text}`);
  const rows = ['page', 'page_size'].map((name): Row => [name, 'type', 'must be a whole number']);
  expect([answer.status, answer.body]).toEqual([400, details(rows)]);
});

test.each(['7', `urn:uuid:${ID}`, '100000000000000000000'])('an id that is no UUID is 400: %s', async (id) => {
  expect((await get(`/notes/${id}`)).body).toEqual(details([['id', 'pattern', 'must be a UUID']]));
});

test('every error of a body is listed, by its path', async () => {
  const answer = await post({
    title: '',
    size: 11,
    price: '1,50',
    extra: true,
    due_at: 'soon',
    lines: [{ text: 5 }, { text: 'a'.repeat(21), owner_id: 'me', ownerName: 'x' }, {}],
  });
  expect(answer.status).toBe(400);
  expect(answer.body.error.details).toEqual(
    expect.arrayContaining(
      details([
        ['extra', 'unknown_field', 'is not a field of this object'],
        ['title', 'too_short', 'must have at least 1 character'],
        ['size', 'too_large', 'must be at most 10'],
        ['price', 'pattern', 'must be in the documented form'],
        ['due_at', 'pattern', 'must be a time such as 2026-11-20T12:00:00Z'],
        ['lines.0.text', 'type', 'must be a string'],
        ['lines.1.ownerName', 'unknown_field', 'is not a field of this object'],
        ['lines.1.text', 'too_long', 'must have at most 20 characters'],
        ['lines.1.owner_id', 'pattern', 'must be a UUID'],
        ['lines.2.text', 'required', 'is required'],
      ]).error.details,
    ),
  );
  expect(answer.body.error.details).toHaveLength(10);
});

test('the error of a choice between forms lists the missing fields of each form', async () => {
  const choice: Row = ['body', 'contradiction', 'must have exactly one of the documented forms'];
  expect((await post({ title: 'A' })).body).toEqual(
    details([
      ['due_at', 'required', 'is required'],
      ['repeats', 'required', 'is required'],
      choice,
      ['size', 'required', 'is required'],
    ]),
  );
  expect((await post({ ...note, due_at: '2026-11-20T12:00:00Z' })).body).toEqual(details([choice]));
});

test('values in bodies are not converted', async () => {
  expect((await post({ ...note, size: '1' })).body).toEqual(details([['size', 'type', 'must be a whole number']]));
  expect((await post({ ...note, title: null })).body).toEqual(details([['title', 'type', 'must be a string']]));
});

test('text that the database cannot store is refused, even in keys', async () => {
  const wrong = (field: string) => details([[field, 'pattern', 'must be valid Unicode text without NUL']]);
  for (const text of ['a\\u0000b', 'a\\ud800b'])
    expect((await raw(`{"password":"${text}"}`)).body).toEqual(wrong('password'));
  expect((await post({ ...note, title: '\ud800' })).body).toEqual(wrong('title'));
  expect((await raw('{"password":"x","\\ud800":1}')).status).toBe(400);
});

test('a missing body is refused', async () => {
  const expected = details([['body', 'required', 'is required']]);
  const json = { 'Content-Type': 'application/json' };
  for (const headers of [{}, json, { ...json, 'Transfer-Encoding': 'chunked' }])
    expect((await api.post('/sign-in').set(headers)).body).toEqual(expected);
  const optional = await api.put(`/notes/${ID}`).set('Authorization', 'Bearer customer');
  expect([optional.status, optional.body.received]).toEqual([200, { body: null }]);
});

test('a body is refused when the operation takes none', async () => {
  const expected = details([['body', 'not_allowed', 'must be absent: this operation takes no body']]);
  for (const sending of [get('/notes/mine'), api.delete(`/notes/${ID}`), api.post(`/notes/${ID}/copy`)])
    expect((await sending.set('Authorization', 'Bearer operator').send({ a: 1 })).body).toEqual(expected);
});

const misshapen = ['{', '{"password":"x"}}', "{'password':1}", 'NaN'];
test.each([...misshapen, Buffer.from('{"password":"\xff"}', 'latin1')])('%s is malformed', async (body) => {
  const answer = await raw(body);
  expect([answer.status, answer.body.error.code]).toEqual([400, 'MALFORMED_REQUEST']);
});

test.each(['"text"', '42', 'null', '[]', 'true'])(
  'the JSON value %s is refused because it is not an object',
  async (body) => {
    expect((await raw(body)).body).toEqual(details([['body', 'type', 'must be an object']]));
  },
);

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonx',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  ' ',
])('the type %s is 415', async (type) => {
  const answer = await raw('{"password":"x"}', type);
  expect([answer.status, answer.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
});

test.each([
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;z=1',
  'application/json; charset="UTF-8"',
  'application/json; charset=utf8',
])('the type %s is read as JSON', async (type) => {
  expect((await raw('{"password":"x"}', type)).status).toBe(200);
});

test('bodies are bounded by operation, and after decompression', async () => {
  expect((await post({ ...note, title: 'a'.repeat(4096) })).body.error.code).toBe('PAYLOAD_TOO_LARGE');
  expect((await raw(`"${'a'.repeat(1_048_576)}"`)).status).toBe(413);
  const packed = async (bytes: string | Buffer, encoding = 'gzip') => {
    const sending = api.post('/sign-in').set({ 'Content-Type': 'application/json', 'Content-Encoding': encoding });
    sending.write(bytes);
    return (await sending).status;
  };
  expect(await packed(gzipSync(Buffer.alloc(50_000_000, 32)))).toBe(413);
  expect(await packed(gzipSync('{"password":"x"}'))).toBe(200);
  expect(await packed(gzipSync('{"password":"x"}'), 'x-gzip')).toBe(200);
  expect(await packed('{}', 'zip')).toBe(415);
  expect(await packed('{}')).toBe(400);
});

test('deep nesting is refused', async () => {
  for (const [opening, closing] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const answer = await raw(`${opening.repeat(10_000)}1${closing.repeat(10_000)}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'MALFORMED_REQUEST']);
  }
});

test('many spellings of Content-Type use no memory in the validator', async () => {
  setFlagsFromString('--expose-gc');
  const heap = (): number => {
    runInNewContext('gc')();
    return process.memoryUsage().heapUsed;
  };
  const vary = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1) await raw('{"password":"x"}', `application/json; z=${index}`);
  };
  await vary(0, 200);
  const before = heap();
  await vary(200, 1_000);
  // A compiled schema for each spelling would take more than 10 KB.
  expect(heap() - before).toBeLessThan(4_000_000);
});
