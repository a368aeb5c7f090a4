import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';

/** A certificate authority of the tests' own. */
export interface Authority {
  cert: string;
  key: string;
}

export interface Received {
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Whether Basic carried the expected user name and password. */
  authenticated: boolean;
  /** Numbers the connections of the receiver, from 1. */
  connection: number;
}

/** What the receiver does with a request: answer, after a while if wanted, or something worse. */
export type Script =
  | { status: number; headers?: Record<string, string>; body?: string | Buffer; afterMs?: number }
  | ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>);

export interface Receiver {
  /** https://localhost:port/hook */
  url: string;
  port: number;
  received: Received[];
  /** Handshakes begun, whether or not a request came of them. */
  connections(): number;
  /** What the next requests are answered with, in turn; then the standing answer again. */
  next(...scripts: Script[]): void;
  /** The standing answer, at first 200. */
  always(script: Script): void;
  /** Resolves once `count` requests were received in all. */
  until(count: number, withinMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  authority: Authority;
  username?: string;
  password?: string;
  /** Host names and IP addresses of the certificate. */
  names?: string[];
  expired?: boolean;
  maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  port?: number;
  /** The address that it listens at; 127.0.0.1 unless given. */
  host?: string;
}

const day = 86_400_000;
const strength = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export async function createAuthority(): Promise<Authority> {
  const made = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...strength,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

export async function certificate({ authority, names = ['localhost', '127.0.0.1'], expired = false }: ReceiverOptions) {
  const altNames = names.map((name) =>
    /^[\d.:]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
  );
  return generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...strength,
    ca: authority,
    notBeforeDate: new Date(Date.now() - 2 * day),
    notAfterDate: new Date(Date.now() + (expired ? -day : day)),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames },
    ],
  });
}

/** A real HTTPS server that records what comes and answers as scripted. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { username = 'malote', password = 'p4ss', maxVersion = 'TLSv1.3', port = 0, host = '127.0.0.1' } = options;
  const { cert, private: key } = await certificate(options);
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const received: Received[] = [];
  const scripts: Script[] = [];
  const numbers = new Map<Socket, number>();
  let standing: Script = { status: 200 };

  const server = createServer({ cert, key, minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' });
  server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const number = numbers.get(request.socket) ?? numbers.size + 1;
    numbers.set(request.socket, number);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      at: Date.now(),
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
      authenticated: request.headers.authorization === expected,
      connection: number,
    });
    await play(scripts.shift() ?? standing, request, response);
  });
  let handshakes = 0;
  server.on('connection', () => {
    handshakes += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const { port: bound } = server.address() as AddressInfo;

  return {
    url: `https://localhost:${bound}/hook`,
    port: bound,
    received,
    connections: () => handshakes,
    next: (...more) => scripts.push(...more),
    always: (script) => {
      standing = script;
    },
    until: async (count, withinMs = 10_000) => {
      await waitFor(() => received.length >= count, `${count} requests`, withinMs);
      return received;
    },
    close: () => close(server),
  };
}

async function play(script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (typeof script === 'function') return script(request, response);
  const { status, headers = {}, body = '', afterMs = 0 } = script;
  if (afterMs > 0) await sleep(afterMs);
  response.writeHead(status, headers).end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Waits until something holds; fails when it does not within `withinMs`. */
export async function waitFor(holds: () => boolean | Promise<boolean>, what: string, withinMs = 10_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
    await sleep(10);
  }
}
