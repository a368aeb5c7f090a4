import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Outcome } from '../../src/queue/schedule.js';
import { createAgents } from '../../src/webhook/agents.js';
import { createHttpClient, type SendResult } from '../../src/webhook/http-client.js';
import { listening } from '../support/port.js';
import type { Receiver, ReceiverOptions, Script } from '../support/receiver.js';
import { certificate, createAuthority, startReceiver, waitFor } from '../support/receiver.js';
import { authority, rulesFor } from './support.js';

const stranger = await createAuthority();
const receivers: Receiver[] = [];
const clients: { close(): void }[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function start(script: Script, options: Partial<ReceiverOptions> = {}): Promise<Receiver> {
  const receiver = await startReceiver({ authority, ...options });
  receiver.always(script);
  receivers.push(receiver);
  return receiver;
}

const SECRET = 'Basic c2VjcmV0OnNlY3JldA==';
/** A deadline that is longer than any test, so that it cuts nothing off by chance. */
const NEVER_MS = 60_000;
/** A deadline that lets a busy machine connect. Tests wait for all endless receivers at the same time. */
const SOON_MS = 5_000;

interface Patience {
  deadlineMs?: number;
  connectMs?: number;
}

function clientFor(receiver: Pick<Receiver, 'port'>, patience: Patience = {}) {
  const client = createHttpClient({
    addresses: rulesFor([receiver]),
    extraCa: authority.cert,
    deadlineMs: NEVER_MS,
    connectMs: NEVER_MS,
    idleConnections: 10,
    ...patience,
  });
  clients.push(client);
  return (url: string, { body = Buffer.from('{}'), signal = new AbortController().signal } = {}): Promise<SendResult> =>
    client.send({ url, headers: { authorization: SECRET }, body }, signal);
}

async function outcomeOf(script: Script, deadlineMs = NEVER_MS): Promise<Outcome> {
  const receiver = await start(script);
  return (await clientFor(receiver, { deadlineMs })(receiver.url)).outcome;
}

describe('a receiver that', () => {
  test('never answers or sends headers too slowly is reset at the deadline; a slow body still acknowledges', async () => {
    const ends: string[] = [];
    const silent: Script = ({ socket }) => {
      for (const event of ['end', 'error'])
        socket.on(event, (error?: NodeJS.ErrnoException) => ends.push(error?.code ?? event));
    };
    const drippingHeaders: Script = (_, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket?.write('x-drip: 1\r\n'), 50);
      socket?.on('close', () => clearInterval(timer));
    };
    const drippingBody: Script = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    };
    const scripts = [silent, drippingHeaders, drippingBody];
    const outcomes = await Promise.all(scripts.map((script) => outcomeOf(script, SOON_MS)));
    expect(outcomes).toMatchObject([{ kind: 'no_answer' }, { kind: 'no_answer' }, { kind: 'answered', status: 200 }]);
    expect(outcomes[0]?.durationMs).toBeGreaterThanOrEqual(SOON_MS - 50);
    await waitFor(() => ends.length > 0, 'the end of the connection');
    // The receiver gets a reset, because the client no longer reads its bytes.
    expect(ends).toEqual(['ECONNRESET']);
  });

  test('sends an endless body is read up to 64 KiB, and 4 KiB of the body are stored', async () => {
    const outcome = await outcomeOf((_, response) => {
      response.writeHead(500);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    });
    expect(outcome).toMatchObject({ kind: 'answered', status: 500, body: 'x'.repeat(4096) });
    // The length ended it, not the deadline.
    expect(outcome.durationMs).toBeLessThan(NEVER_MS);
  });

  test.each<[string, Script]>([
    ['resets the connection', 'reset'],
    ['answers something other than HTTP', (_, { socket }) => void socket?.end('hello\r\n\r\n')],
    [
      'sends 100 KB of headers',
      (_, { socket }) => void socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    ],
  ])('%s counts as not answering', async (_, script) => {
    expect(await outcomeOf(script)).toMatchObject({ kind: 'no_answer' });
  });

  test('closes an idle connection as the client reuses it gets the request once more, on a new connection', async () => {
    const receiver = await start({ status: 200 });
    const send = clientFor(receiver);
    await send(receiver.url);
    receiver.next((request) => void request.socket.destroy());
    expect(await send(receiver.url)).toMatchObject({ outcome: { kind: 'answered', status: 200 }, reused: false });
    expect(receiver.received).toHaveLength(3);
    await send(receiver.url);
    receiver.always('reset');
    expect(await send(receiver.url)).toMatchObject({ outcome: { kind: 'no_answer' }, reused: false });
    expect(receiver.received).toHaveLength(6);
  });

  test('closes a connection after it has begun to answer does not get the request again', async () => {
    const receiver = await start({ status: 200 });
    const send = clientFor(receiver);
    await send(receiver.url);
    receiver.always((_, { socket }) => void socket?.end('HTTP/1.1 20'));
    expect(await send(receiver.url)).toMatchObject({ outcome: { kind: 'no_answer' }, reused: true });
    expect(receiver.received).toHaveLength(2);
  });

  test('answers before it has read the whole request counts as answering, and its connection is closed', async () => {
    const { cert, private: key } = await certificate({ authority });
    const sockets: TLSSocket[] = [];
    const server = createTlsServer({ cert, key }, (socket) => {
      sockets.push(socket);
      socket.once('data', () => socket.pause().write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
      socket.on('error', () => undefined);
    });
    clients.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    const port = await listening(server);
    const body = Buffer.alloc(32 * 1024 * 1024);
    const { outcome } = await clientFor({ port })(`https://localhost:${port}/`, { body });
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    for (const socket of sockets) socket.resume();
    await waitFor(() => sockets.every(({ destroyed }) => destroyed), 'the end of the connection');
  });
});

test('a worker that stops resets the connection of its request', async () => {
  const ends: (string | undefined)[] = [];
  const receiver = await start(({ socket }) => {
    socket.on('error', ({ code }: NodeJS.ErrnoException) => ends.push(code));
  });
  const stop = new AbortController();
  const sent = clientFor(receiver)(receiver.url, { signal: stop.signal });
  await receiver.until(1);
  stop.abort();
  expect(await sent).toMatchObject({ outcome: { kind: 'no_answer', error: 'the worker stops' } });
  await waitFor(() => ends.length > 0, 'the end of the connection');
  expect(ends).toEqual(['ECONNRESET']);
});

test('a request is a POST with exactly these headers, to the host that TLS names', async () => {
  const names: unknown[] = [];
  const receiver = await start(({ socket }, response) => {
    if (socket instanceof TLSSocket) names.push(Reflect.get(socket, 'servername'));
    response.end();
  });
  await clientFor(receiver)(`${receiver.url}/é?b=1&c=%20`);
  const [{ method, path, headers } = {}] = receiver.received;
  expect({ method, path, names }).toEqual({ method: 'POST', path: '/hook/%C3%A9?b=1&c=%20', names: ['localhost'] });
  const host = `localhost:${receiver.port}`;
  expect(headers).toEqual({ host, authorization: SECRET, 'content-length': '2', connection: 'keep-alive' });
});

test('a connection that is destroyed while it is ending is closed, too', async () => {
  const { port } = await start({ status: 200 });
  const ca = authority.cert;
  const { connectingAgent } = createAgents({}, 1);
  const socket = connectingAgent.createConnection({ host: 'localhost', servername: 'localhost', port, ca });
  if (!socket) throw new Error('no connection');
  await once(socket, 'secureConnect');
  const closed = once(socket, 'close');
  socket.end();
  socket.destroy();
  await closed;
});

describe('no secret is sent when', () => {
  test.each<[string, Partial<ReceiverOptions>, RegExp]>([
    ['the certificate has expired', { expired: true }, /expired/i],
    ['the certificate is of another host', { names: ['other.example'] }, /altnames/i],
    ['the authority is unknown', { authority: stranger }, /./],
    ['only TLS 1.1 is offered', { maxVersion: 'TLSv1.1' }, /./],
  ])('%s', async (_, options, error) => {
    const receiver = await start({ status: 200 }, options);
    const { outcome } = await clientFor(receiver)(receiver.url);
    expect(outcome).toMatchObject({ kind: 'not_sent', error: expect.stringMatching(error) });
    expect(receiver.received).toEqual([]);
  });

  test('the receiver refuses the connection, or accepts it and stays silent', async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => void sockets.push(socket));
    const port = await listening(silent);
    const send = clientFor({ port }, { connectMs: 300 });
    const error = "ETIMEDOUT: Timeout awaiting 'secureConnect' for 300ms";
    expect((await send(`https://127.0.0.1:${port}/`)).outcome).toMatchObject({ kind: 'not_sent', error });
    for (const socket of sockets) socket.destroy();
    await once(silent.close(), 'close');
    expect((await send(`https://127.0.0.1:${port}/`)).outcome).toMatchObject({ kind: 'not_sent' });
  });
});
