import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { createServer, type HttpServerOptions, stop } from '../../src/http/server/http-server.js';
import { waitFor } from '../support/receiver.js';

/** Clients that do not read their answers, or slowly, beside others. */

const MEBIBYTE = 1_048_576;

let server: Server;
let answered: number;
const clients: Socket[] = [];

async function serve(options: HttpServerOptions): Promise<number> {
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

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await stop(server, 0);
});

/** Asks, without reading anything. */
async function asks(port: number, path: string, count = 1): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  clients.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count));
  return socket;
}

/** Reads, with a pause after each 4 MiB (more than the system holds), until it has enough or the connection ends. */
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

test('a connection whose answer stands still is ended, whatever else its client sends', async () => {
  const port = await serve({ unreadTimeout: 400 });
  await asks(port, '/large/20');
  const talkative = await asks(port, '/large/20');
  const talk = setInterval(() => talkative.write('G'), 50);
  await waitFor(() => answered === 2, 'two answers');
  await waitFor(async () => (await connections()) === 0, 'both ended');
  clearInterval(talk);
});

test('a connection whose answer moves slowly is not', async () => {
  const port = await serve({ unreadTimeout: 2_000 });
  const slow = await asks(port, '/large/20');
  // Four pauses are longer than the limit.
  expect(await reads(slow, 600, 20 * MEBIBYTE)).toBeGreaterThanOrEqual(20 * MEBIBYTE);
});

test('a request that is sent ahead waits until the answer before it has left', async () => {
  const port = await serve({});
  const client = await asks(port, '/large/10', 5);
  await waitFor(() => answered === 1, 'the first answer');
  await sleep(200);
  expect(answered).toBe(1);
  await reads(client, 0, 50 * MEBIBYTE);
  expect(answered).toBe(5);
});

test('a client may send ahead for as long as it likes, but only so much', async () => {
  const port = await serve({});
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

test('when all together hold too much, the slowest are ended, and no more than needed', async () => {
  const port = await serve({ maxUnread: 130 * MEBIBYTE });
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
