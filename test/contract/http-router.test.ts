import { expect, test } from '@jest/globals';
import request from 'supertest';
import { customer, ID, type NotesAppOptions, notesApp } from './http-notes-app.js';

const { app, lines } = notesApp();
const api = request(app);
const asCustomer = { Authorization: 'Bearer customer' };
const notePath = `/notes/${ID}`;
const get = (path: string, headers = {}) => api.get(path).set({ ...asCustomer, ...headers });

const errorBody = (code: string) => ({
  error: { code, reason: expect.any(String), message: expect.any(String), details: [] },
});

test('a handler gets typed parameters and its reply is sent', async () => {
  const answer = await get(notePath);
  expect(answer.status).toBe(200);
  expect(answer.body.received).toEqual({ id: ID });
  expect(answer.headers).toMatchObject({ etag: '"3"', 'content-type': 'application/json; charset=utf-8' });
  expect(answer.headers['x-powered-by']).toBeUndefined();
});

test('literal segments win over parameters', async () => {
  expect((await get('/notes/mine')).body.received).toMatchObject({ role: 'customer' });
});

test('HEAD is GET without a body', async () => {
  const answer = await api.head(notePath).set(asCustomer);
  expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, undefined, '"3"']);
  expect((await api.head('/nowhere')).status).toBe(404);
  expect((await api.head('/sign-in')).status).toBe(405);
});

const strangers = ['/nowhere', '/notes/', '/Notes', `/notes/${ID}/`, '/notes//copy', '/page', '/'];
test.each(strangers)('%s is unknown: 404', async (path) => {
  const answer = await get(path);
  expect([answer.status, answer.body]).toEqual([404, errorBody('NOT_FOUND')]);
});

test('a wrong method is 405 and OPTIONS lists the right ones', async () => {
  const patch = await api.patch(notePath);
  expect([patch.status, patch.body]).toEqual([405, errorBody('METHOD_NOT_ALLOWED')]);
  expect(patch.headers['allow']).toBe('GET, PUT, DELETE, HEAD, OPTIONS');
  const options = await api.options('/sign-in');
  expect([options.status, options.text, options.headers['allow']]).toEqual([204, '', 'POST, OPTIONS']);
});

const broken = ['/notes/%zz', '/notes/%ff', '/notes?search=%zz', '/notes?search=%c3%28'];
test.each(broken)('%s: a broken percent-encoding is 400', async (path) => {
  const answer = await get(path);
  expect([answer.status, answer.body]).toEqual([400, errorBody('MALFORMED_REQUEST')]);
});

test('a missing token, another scheme and a wrong token are 401', async () => {
  const { status, body, headers } = await api.get('/notes');
  expect([status, body, headers['www-authenticate']]).toEqual([401, errorBody('UNAUTHENTICATED'), 'Bearer']);
  for (const value of ['Bearer nobody', 'Bearer', 'Basic Y3VzdG9tZXI6', 'Bearer customer customer', 'customer']) {
    const answer = await api.get('/notes').set('Authorization', value);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
  }
  expect((await api.get('/notes').set('Authorization', 'bearer customer')).status).toBe(200);
});

test('authentication comes before the body is checked', async () => {
  expect((await api.post('/notes').set('Content-Type', 'application/json').send('{')).status).toBe(401);
});

test('x-roles refuses other roles', async () => {
  expect((await api.delete(notePath).set(asCustomer)).body).toEqual(errorBody('FORBIDDEN'));
  const answer = await api.delete(notePath).set('Authorization', 'Bearer operator');
  expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([204, '', undefined]);
});

test('an Accept header that excludes JSON is 406', async () => {
  const answer = await api.get('/ping').set('Accept', 'text/html');
  expect([answer.status, answer.body]).toEqual([406, errorBody('NOT_ACCEPTABLE')]);
  for (const accept of ['*/*', 'application/*;q=0.1', 'text/html, application/json'])
    expect((await api.get('/ping').set('Accept', accept)).status).toBe(200);
  const asOperator = { Authorization: 'Bearer operator', Accept: 'text/html' };
  expect((await api.delete(notePath).set(asOperator)).status).toBe(204);
});

test('If-None-Match answers 304 without a body', async () => {
  for (const tag of ['"3"', 'W/"3"', '"1", "3"', '*']) {
    const { status, text, headers } = await get(notePath, { 'If-None-Match': tag });
    expect([status, text, headers['etag'], headers['content-type']]).toEqual([304, '', '"3"', undefined]);
  }
  expect((await get(notePath, { 'If-None-Match': '"2"' })).status).toBe(200);
});

test('If-Match reaches the handler as versions', async () => {
  const put = (tag: string) =>
    api
      .put(notePath)
      .set({ ...asCustomer, 'If-Match': tag })
      .send({ title: 'x' });
  expect((await put('"3"')).status).toBe(200);
  expect((await put('"1", "3"')).status).toBe(200);
  // A proxy that compresses answers changes the tag.
  for (const tag of ['W/"3"', '"3-gzip"']) expect((await put(tag)).status).toBe(200);
  expect((await put('*')).status).toBe(200);
  for (const tag of ['"2"', 'W/"2"', '"three"', '"3-other"'])
    expect((await put(tag)).body).toEqual(errorBody('PRECONDITION_FAILED'));
  const details = [{ field: 'If-Match', code: 'pattern', message: expect.any(String) }];
  expect((await put('3')).body.error.details).toEqual(details);
});

test('a deprecated operation announces its end', async () => {
  const { headers } = await api.get('/ping');
  expect(headers).toMatchObject({
    deprecation: '@1767225600',
    sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
    link: '</docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html"',
  });
  expect((await get('/notes')).headers['deprecation']).toBeUndefined();
});

test('every answer has the id of its request; a simple id from the client is kept', async () => {
  for (const path of ['/ping', '/nowhere', '/notes'])
    expect((await api.get(path)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect((await api.get('/ping').set('X-Request-Id', 'order-42')).headers['x-request-id']).toBe('order-42');
  expect((await api.get('/ping').set('X-Request-Id', 'a b')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('the access log has one line per request, without query, headers or body', async () => {
  lines();
  const named = { 'X-Request-Id': 'one', Authorization: 'Bearer hush' };
  await api.post('/sign-in?secret=1').set(named).send({ password: 'hush' });
  await get('/notes/mine', { 'X-Request-Id': 'two' });
  // A line of an earlier request may come late.
  const written = lines().filter(({ requestId }) => requestId === 'one' || requestId === 'two');
  const signIn = { requestId: 'one', method: 'POST', path: '/sign-in', status: 400, ip: '127.0.0.1' };
  const read = { path: '/notes/mine', status: 200, accountId: customer.accountId };
  expect(written).toMatchObject([{ ...signIn, ms: expect.any(Number), msg: 'http.request' }, read]);
  expect(JSON.stringify(written)).not.toMatch(/hush|secret/);
});

test('an unknown error is 500, logged with its stack, and nothing leaks', async () => {
  const failing = notesApp({ handlers: { ping: () => Promise.reject(new TypeError('the safe code is 1234')) } });
  const answer = await request(failing.app).get('/ping');
  expect([answer.status, answer.body]).toEqual([500, errorBody('INTERNAL_ERROR')]);
  expect(answer.text).not.toContain('1234');
  const err = { message: 'the safe code is 1234', stack: expect.stringContaining('http-router.test') };
  expect(failing.lines()[0]).toMatchObject({ level: 'error', err });
});

test('an answer that breaks the contract is 500 when answers are validated', async () => {
  const handlers = {
    getMine: async () => {
      const body = { id: 'no id', title: 'x', received: undefined };
      return { status: 200 as const, body, headers: { ETag: '"1"' } };
    },
  };
  const send = (options: NotesAppOptions) => request(notesApp(options).app).get('/notes/mine').set(asCustomer);
  const { status, body, headers } = await send({ handlers });
  expect([status, body, headers['etag']]).toEqual([500, errorBody('INTERNAL_ERROR'), undefined]);
  expect((await send({ handlers, validateResponses: false })).status).toBe(200);
});
