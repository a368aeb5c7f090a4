import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { createServer, type HttpServerOptions, stop } from '../../src/http/server/http-server.js';
import { gateOf } from '../support/gate.js';
import { observeRaw } from '../support/jest/observed-answers.js';
import { waitFor } from '../support/receiver.js';
import { notesApp } from './http-notes-app.js';

let server: Server;
let answered: number;
const clients: Socket[] = [];
let logLines: (() => Record<string, unknown>[]) | undefined;

let pings: number;

/** Starts a server that answers pings, each when it is allowed. */
async function serve(
  options: HttpServerOptions = {},
  may: () => Promise<void> = async () => undefined,
): Promise<number> {
  pings = 0;
  const ping = async () => {
    pings += 1;
    await may();
    return { status: 200 as const, body: { ok: true } };
  };
  const { app, lines } = notesApp({ handlers: { ping } });
  logLines = lines;
  server = createServer(app, options);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object(server.address()).port;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await stop(server, 0);
});

/** Sends bytes, and reads until the server closes the connection. */
async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

async function ended(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  socket.resume();
  await once(socket, 'close');
}

async function fetchPing(port: number, agent: Agent) {
  const req = get({ port, host: '127.0.0.1', path: '/ping', agent });
  const [res]: IncomingMessage[] = await once(req, 'response');
  const body: Buffer[] = (await res?.toArray()) ?? [];
  const ok = Buffer.concat(body).toString() === '{"ok":true}';
  return { status: res?.statusCode, connection: res?.headers.connection, ok };
}

test('the application answers through the classes that Node was given', async () => {
  const port = await serve();
  const answer = await fetch(`http://127.0.0.1:${port}/ping`);
  expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
  const original = Object.setPrototypeOf;
  let changes = 0;
  Object.setPrototypeOf = (target: object, prototype: object | null) => {
    changes += Object.getPrototypeOf(target) === prototype ? 0 : 1;
    return original(target, prototype);
  };
  await fetch(`http://127.0.0.1:${port}/ping`).then((res) => res.text());
  Object.setPrototypeOf = original;
  expect(changes).toBe(0);
});

const CLOSE = 'Connection: close\r\n';
const large = `GET /ping HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n`;
test.each<[what: string, head: string, status?: number, code?: string]>([
  ['headers that are too large', large, 431, 'PAYLOAD_TOO_LARGE'],
  ['what is not HTTP', 'HELLO\r\n'],
  ['an unknown method', 'FETCH /ping HTTP/1.1\r\nHost: a\r\n'],
  ['two lengths', 'POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n'],
  ['no Host', `GET /ping HTTP/1.1\r\n${CLOSE}`],
  ['two Hosts', `GET /ping HTTP/1.1\r\nHost: a\r\nHost: b\r\n${CLOSE}`],
  ['a Host that is no host', `GET /ping HTTP/1.1\r\nHost: a/b@c\r\n${CLOSE}`],
  ['raw UTF-8 in the target', `GET /notes?search=\u00e9 HTTP/1.1\r\nHost: a\r\n${CLOSE}`],
])('%s is answered with the error envelope', async (_what, head, status = 400, code = 'MALFORMED_REQUEST') => {
  const answer = await exchange(await serve(), `${head}\r\n`);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/\r\nX-Request-Id: [\w-]{36}\r\n/);
  expect(answer).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/);
  const [, body = ''] = answer.split('\r\n\r\n');
  observeRaw(body);
  const error = { code, reason: expect.any(String), message: expect.any(String), details: [] };
  expect(JSON.parse(body)).toEqual({ error });
});

test.each([
  ['an expectation that nobody knows is ignored', 'GET /ping HTTP/1.1\r\nHost: a\r\nExpect: a-miracle'],
  ['an absolute target is understood', 'GET http://a/ping HTTP/1.1\r\nHost: a'],
])('%s', async (_what, head) => {
  expect(await exchange(await serve(), `${head}\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
});

test('silent sockets, slow headers and slow bodies are dropped; others are served', async () => {
  const port = await serve({ headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 });
  const sockets = Array.from({ length: 60 }, () => connect(port, '127.0.0.1'));
  const drips = sockets.map((socket, index) => {
    if (index % 3 === 1) socket.write('GET /ping HTTP/1.1\r\nHost: a\r\nX: ');
    if (index % 3 === 2)
      socket.write(
        'POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      );
    return setInterval(() => index % 3 !== 0 && socket.writable && socket.write(' '), 100);
  });
  await Promise.all(sockets.map(ended));
  drips.forEach(clearInterval);
  // A busy machine may delay our own request for longer than that.
  const isServed = async () => (await fetch(`http://127.0.0.1:${port}/ping`)).status === 200;
  await waitFor(isServed, 'an answer');
  // The client cut off the upload, so it is no failure of the service.
  expect(logLines?.().filter((line) => line['level'] === 'error')).toEqual([]);
});

test('connections stay open longer than those of usual load balancers', async () => {
  const port = await serve();
  expect((await fetch(`http://127.0.0.1:${port}/ping`)).headers.get('keep-alive')).toBe('timeout=75');
});

test('when many connections are open, idle ones are closed soon', async () => {
  const port = await serve({ crowd: 2, crowdedKeepAliveTimeout: 100 });
  const agents = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of agents) await fetchPing(port, agent);
  const open = promisify(server.getConnections.bind(server));
  await waitFor(async () => (await open()) === 2, 'the end of the third');
  await sleep(300);
  expect(await open()).toBe(2);
  for (const agent of agents) agent.destroy();
});

test('a stop lets running requests finish, with silent and keep-alive connections open', async () => {
  const gate = gateOf();
  const port = await serve({}, async () => (pings > 5 ? gate.passed() : undefined));
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  await Promise.all(Array.from({ length: 5 }, () => fetchPing(port, agent)));
  const silent = ended(connect(port, '127.0.0.1'));
  const running = Array.from({ length: 10 }, () => fetchPing(port, agent));
  await waitFor(() => pings === 15, 'ten requests that run');
  const stopped = stop(server, 60_000);
  // Longer than idle connections stay open.
  await sleep(700);
  gate.open();
  for (const each of await Promise.all(running)) expect(each).toEqual({ status: 200, connection: 'close', ok: true });
  await Promise.all([stopped, silent]);
  await expect(fetchPing(port, agent)).rejects.toThrow(/ECONNREFUSED/);
});

test('a stop with only idle connections does not wait for the deadline', async () => {
  const port = await serve();
  const agent = new Agent({ keepAlive: true });
  await fetchPing(port, agent);
  await stop(server, 60_000);
});

test('a request that is on its way on an idle connection at the stop is answered', async () => {
  const port = await serve();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await fetchPing(port, agent);
  const stopped = stop(server, 60_000);
  expect(await fetchPing(port, agent)).toEqual({ status: 200, connection: 'close', ok: true });
  await stopped;
});

test('a request that never ends is cut at the deadline', async () => {
  const port = await serve({}, () => new Promise(() => undefined));
  const running = fetchPing(port, new Agent()).catch((error: Error) => error.message);
  await waitFor(() => pings === 1, 'a request that runs');
  await stop(server, 400);
  expect(await running).toMatch(/hang up|ECONNRESET/);
});

/** Clients that read their answers slowly or not at all, beside others. */

const MEBIBYTE = 1_048_576;

async function serveBodies(options: HttpServerOptions): Promise<number> {
  answered = 0;
  const app = express();
  app.get('/large/:size', (req, res) => {
    answered += 1;
    res.send(Buffer.alloc(Number(req.params.size) * MEBIBYTE));
  });
  app.get('/small', (_req, res) => void res.send('small'));
  server = createServer(app, { connectionsCheckingInterval: 50, ...options });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return Object(server.address()).port;
}

/** Sends requests without reading an answer. */
async function asks(port: number, path: string, count = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count));
  return socket;
}

/** Reads until it has `enough` or the connection ends, with a pause after each 4 MiB (more than system buffers). */
async function reads(socket: Socket, pauseMs: number, enough: number): Promise<number> {
  let [read, paused] = [0, 0];
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read < paused + 4 * MEBIBYTE) return;
    paused = read;
    socket.pause();
    setTimeout(() => socket.resume(), pauseMs);
  });
  socket.resume();
  while (read < enough && !socket.destroyed) await sleep(20);
  return read;
}

const connections = (): Promise<number> => promisify(server.getConnections.bind(server))();

test('a connection whose client stops reading is closed, even if the client sends more', async () => {
  const port = await serveBodies({ unreadTimeout: 400 });
  await asks(port, '/large/20');
  const talkative = await asks(port, '/large/20');
  const talk = setInterval(() => talkative.write('G'), 50);
  await waitFor(() => answered === 2, 'two answers');
  await waitFor(async () => (await connections()) === 0, 'both ended');
  clearInterval(talk);
});

test('a connection whose client reads slowly is not closed', async () => {
  const port = await serveBodies({ unreadTimeout: 2_000 });
  const slow = await asks(port, '/large/20');
  // Four pauses are longer than the limit.
  expect(await reads(slow, 600, 20 * MEBIBYTE)).toBeGreaterThanOrEqual(20 * MEBIBYTE);
});

test('a pipelined request waits until the answer before it has been sent', async () => {
  const port = await serveBodies({});
  const client = await asks(port, '/large/10', 5);
  await waitFor(() => answered === 1, 'the first answer');
  await sleep(200);
  expect(answered).toBe(1);
  await reads(client, 0, 50 * MEBIBYTE);
  expect(answered).toBe(5);
});

test('a client may pipeline requests at any time, but only up to a limit', async () => {
  const port = await serveBodies({});
  const steady = await asks(port, '/small');
  for (let sent = 1; sent < 400; sent += 1) {
    steady.write('GET /small HTTP/1.1\r\nHost: a\r\n\r\n');
    if (sent % 50 === 0) await sleep(20);
  }
  let text = '';
  steady.on('data', (chunk) => (text += String(chunk)));
  steady.resume();
  await waitFor(() => text.split('HTTP/1.1 200').length === 401, 'every answer');
  await asks(port, '/large/20', 150);
  await waitFor(async () => (await connections()) === 1, 'the end of the one that sent too much');
});

test('when all unread answers are too large, only the slowest connections are closed', async () => {
  const port = await serveBodies({ maxUnread: 130 * MEBIBYTE });
  const moving = await asks(port, '/large/80');
  let read = 0;
  moving.on('data', (chunk: Buffer) => (read += chunk.length));
  const reading = reads(moving, 200, 80 * MEBIBYTE);
  await waitFor(() => read > 15 * MEBIBYTE, 'an answer that moves');
  for (let index = 0; index < 6; index += 1) await asks(port, '/large/20');
  await waitFor(() => answered === 7, 'answers of 200 MiB');
  await waitFor(async () => (await connections()) <= 3, 'the end of those that do not read');
  expect(await reading).toBeGreaterThanOrEqual(80 * MEBIBYTE);
  expect(await connections()).toBe(3);
});
