import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/receiver.js';
import { changeByHand, notesApp, serverOf } from './http-notes-app.js';

/** Requests that are refused before their whole body is read, and the end of their connections. */

let pings = 0;
const { app } = notesApp({
  handlers: {
    ping: async () => {
      pings += 1;
      return { status: 200, body: { ok: true } };
    },
  },
});
const server = await serverOf(app);
const opened: Socket[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function send(token: string, headers: string, ...parts: (string | Buffer)[]) {
  const client = await changeByHand(server, token, headers, parts);
  opened.push(client.socket);
  return client;
}

type Client = Awaited<ReturnType<typeof send>>;
const answered = ({ answer }: Client) => waitFor(() => answer().includes('\r\n\r\n{'), 'an answer');

const LARGE = 800_000;
const AHEAD = 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a request without right credentials', () => {
  test('is refused before its large body comes; the connection ends without carrying out later requests', async () => {
    const client = await send('wrong', `Content-Length: ${LARGE}\r\n`);
    await answered(client);
    expect(client.answer()).toMatch(/^HTTP\/1\.1 401 /);
    expect(client.answer()).toMatch(/\r\nConnection: close\r\n/);
    await waitFor(() => client.socket.readableEnded, 'the end of the answers');
    client.socket.write(Buffer.alloc(LARGE, 0x20));
    client.socket.end(AHEAD);
    await once(client.socket, 'close');
    expect(pings).toBe(0);
  });

  test('can send its large body first and then read the refusal', async () => {
    const body = Buffer.alloc(LARGE, 0x20);
    const client = await send('wrong', `Content-Length: ${LARGE}\r\n`, body);
    await answered(client);
    expect(client.answer()).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('is refused in the same way when its body comes in chunks', async () => {
    const client = await send('wrong', 'Transfer-Encoding: chunked\r\n', '1\r\n{\r\n');
    await answered(client);
    expect(client.answer()).toMatch(/\r\nConnection: close\r\n/);
  });

  test('keeps its connection when the body is small', async () => {
    const client = await send('wrong', 'Content-Length: 2\r\n', '{}', AHEAD);
    await waitFor(() => client.answer().includes('{"ok":true}'), 'the next answer');
    expect(client.answer()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a body that exceeds its bounds', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `"n${at}":0`).join(',');

  test('is refused when its first 64 KiB have too many names, and the connection ends', async () => {
    const client = await send('customer', `Content-Length: ${LARGE}\r\n`, `{${names}`);
    await answered(client);
    expect(client.answer()).toMatch(/^HTTP\/1\.1 400 /);
    expect(client.answer()).toContain('"field":"body","code":"too_many"');
    expect(client.answer()).toMatch(/\r\nConnection: close\r\n/);
  });

  test('is refused when a later part exceeds them, too', async () => {
    const client = await send('customer', `Content-Length: ${LARGE}\r\n`, `{"text":"${'x'.repeat(200_000)}",${names}`);
    await answered(client);
    expect(client.answer()).toContain('"field":"body","code":"too_many"');
  });

  test('is read to its end as long as each arrived part keeps the bounds, wherever parts are cut', async () => {
    const client = await send('customer', `Content-Length: ${LARGE}\r\n`, `{"text":"${'é'.repeat(100_001)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(client.answer()).toBe('');
    client.socket.write('"}'.padEnd(LARGE - 200_011));
    await answered(client);
    expect(client.answer()).not.toContain('too_many');
  });
});

describe('a client that waits until it may send its body (Expect: 100-continue)', () => {
  const expecting = (length: number) => `Content-Length: ${length}\r\nExpect: 100-continue\r\n`;

  test('is told to send it when the request is accepted', async () => {
    const client = await send('customer', expecting(2));
    await waitFor(() => client.answer().startsWith('HTTP/1.1 100 Continue\r\n\r\n'), 'the word to send');
    client.socket.write('{}');
    await answered(client);
    expect(client.answer()).toMatch(/\r\n\r\nHTTP\/1\.1 200 /);
  });

  test('is refused when its credentials are wrong, and its connection ends', async () => {
    const client = await send('wrong', expecting(2));
    await answered(client);
    expect(client.answer()).toMatch(/^HTTP\/1\.1 401 /);
    expect(client.answer()).toMatch(/\r\nConnection: close\r\n/);
  });
});
