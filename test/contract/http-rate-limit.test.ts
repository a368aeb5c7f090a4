import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { memoryStore } from '../../src/http/limits/memory-store.js';
import { WINDOW_MS } from '../../src/http/limits/rate-limit.js';
import { type NotesAppOptions, notesApp, serverOf } from './http-notes-app.js';

const apiOf = (options: NotesAppOptions) => request(notesApp(options).app);
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const refused = { error: { code: 'RATE_LIMITED', reason: 'hourly_budget', message: expect.any(String), details: [] } };

test('a public operation counts by address, with headers', async () => {
  const api = apiOf({ limits: { publicPerHour: 2 } });
  const [first, second, third] = [await api.get('/ping'), await api.get('/ping'), await api.get('/ping')];
  expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
  expect([first, second, third].map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0']);
  const reset = Number(third.headers['x-ratelimit-reset']) - Date.now() / 1000;
  expect(reset).toBeGreaterThan(WINDOW_MS / 1000 - 10);
  expect(reset).toBeLessThanOrEqual(WINDOW_MS / 1000 + 1);
  expect(third.headers['x-ratelimit-limit']).toBe('2');
  expect(Number(third.headers['retry-after'])).toBeGreaterThan(3590);
  expect(third.body).toEqual(refused);
});

test('an account has a budget of its own, at any address', async () => {
  const api = apiOf({ limits: { accountPerHour: 1, publicPerHour: 1 } });
  const get = (token: string) => api.get('/notes').set('Authorization', `Bearer ${token}`);
  const statuses = [];
  for (const token of ['customer', 'customer', 'operator']) statuses.push((await get(token)).status);
  expect(statuses).toEqual([200, 429, 200]);
  expect((await api.get('/ping')).status).toBe(200);
});

test('failed authentication counts against the address, and ends in 429', async () => {
  const api = apiOf({ limits: { publicPerHour: 2 } });
  const get = (token: string) => api.get('/notes').set('Authorization', `Bearer ${token}`);
  expect([(await get('x')).status, (await get('y')).status, (await get('z')).status]).toEqual([401, 401, 429]);
  expect((await api.get('/ping')).status).toBe(429);
  expect((await get('customer')).status).toBe(200);
});

test('exactly as many simultaneous requests pass as the limit allows, and Remaining falls with each', async () => {
  const api = apiOf({ limits: { publicPerHour: 60 } });
  const answers = await Promise.all(times(100).map(() => api.get('/ping')));
  const passed = answers.filter(({ status }) => status === 200);
  const remaining = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(remaining.sort((a, b) => b - a)).toEqual(times(60).map((index) => 59 - index));
});

const server = await serverOf(notesApp({ limits: { publicPerHour: 3 } }).app);

test('requests that arrive in one packet are counted one by one', async () => {
  const socket = connect(Object(server.address()).port);
  const ping = 'GET /ping HTTP/1.1\r\nHost: a\r\n';
  socket.write(`${`${ping}\r\n`.repeat(3)}${ping}Connection: close\r\n\r\n`);
  const text = Buffer.concat(await socket.toArray()).toString();
  const counts = [...text.matchAll(/HTTP\/1\.1 (\d+)|X-RateLimit-Remaining: (\d+)/g)];
  expect(counts.map(([, status, left]) => Number(status ?? left))).toEqual([200, 2, 200, 1, 200, 0, 429, 0]);
});

/** The statuses of requests that are forwarded from these addresses, one after the other. */
async function statuses(api: ReturnType<typeof request>, addresses: string[]): Promise<number[]> {
  const answers: number[] = [];
  for (const address of addresses) answers.push((await api.get('/ping').set('X-Forwarded-For', address)).status);
  return answers;
}

test('X-Forwarded-For is believed only from a trusted proxy, and IPv6 counts by /64', async () => {
  const limits = { publicPerHour: 1 };
  expect(await statuses(apiOf({ limits }), ['192.0.2.1', '192.0.2.2'])).toEqual([200, 429]);
  const behindProxy = apiOf({ limits, trustProxy: 1 });
  expect(await statuses(behindProxy, ['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.2'])).toEqual([200, 200, 429]);
  const networks = ['2001:db8:1:1::1', '2001:db8:1:1:ffff::2', '2001:db8:1:2::1'];
  expect(await statuses(behindProxy, networks)).toEqual([200, 429, 200]);
});

test('a forwarded request counts by its client’s address without the port; a wrong address is ignored', async () => {
  const api = apiOf({ limits: { publicPerHour: 1 }, trustProxy: 2 });
  expect(await statuses(api, ['192.0.2.1', '192.0.2.1:50001', '"192.0.2.1:50002"'])).toEqual([200, 429, 429]);
  expect(await statuses(api, ['2001:db8:1::1', '[2001:db8:1::1]', '[2001:db8:1::2]:443'])).toEqual([200, 429, 429]);
  // All count by the address from the nearest proxy, whatever comes before it.
  const forged = ['unknown, 192.0.2.9', '192.0.2.10, <script>, 192.0.2.9', '1, 192.0.2.9', '192.0.2.300, 192.0.2.9'];
  expect(await statuses(api, forged)).toEqual([200, 429, 429, 429]);
});

test('the log warns once about a proxy that forwards requests when no proxy is trusted', async () => {
  const { app, lines } = notesApp({ trustProxy: false });
  for (const address of ['192.0.2.1', '192.0.2.2']) await request(app).get('/ping').set('X-Forwarded-For', address);
  expect(lines().filter(({ msg }) => msg === 'http.proxy_not_trusted')).toHaveLength(1);
  const trusting = notesApp({ trustProxy: 1 });
  await request(trusting.app).get('/ping').set('X-Forwarded-For', '192.0.2.1');
  expect(trusting.lines().filter(({ msg }) => msg === 'http.proxy_not_trusted')).toEqual([]);
});

test('a request that is not counted has no headers', async () => {
  const api = apiOf({ limits: { publicPerHour: 1 } });
  for (const path of ['/nowhere', '/nowhere', '/page']) {
    const answer = await api.get(path);
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([404, undefined]);
  }
});

test('a window of the budget ends and is forgotten', async () => {
  const store = memoryStore(50);
  expect([await store.increment('a'), await store.increment('a')]).toMatchObject([{ totalHits: 1 }, { totalHits: 2 }]);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await store.increment('a')).toMatchObject({ totalHits: 1 });
});
