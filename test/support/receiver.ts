import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';

export interface Received {
  /** A time of performance.now(). */
  at: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** True if Basic had the expected user name and password. */
  authenticated: boolean;
  /** The number of the connection at this receiver, from 1. */
  connection: number;
}

/** `hang`: there is never an answer. `reset`: the connection ends without an answer. */
export type Reply =
  | { status: number; headers?: Record<string, string>; body?: string | Buffer; afterMs?: number }
  | 'hang'
  | 'reset';

/** The receiver's answer to a request: a reply, or a function that answers by itself. */
export type Script =
  | Reply
  | ((request: IncomingMessage, response: ServerResponse, received: Received) => void | Promise<void>);

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export interface ReceiverOptions {
  authority: Authority;
  username?: string;
  password?: string;
  /** Host names and IP addresses of the certificate. */
  names?: string[];
  expired?: boolean;
  maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  port?: number;
  /** The address to listen at, by default 127.0.0.1. */
  host?: string;
  /** Milliseconds for which an idle connection is kept. */
  keepAliveMs?: number;
}

const DAY_MS = 86_400_000;
const strength = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export type Authority = Awaited<ReturnType<typeof createAuthority>>;

export async function createAuthority() {
  const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
    ...strength,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: authority.cert, key: authority.private };
}

export async function certificate({ authority, names = ['localhost', '127.0.0.1'], expired = false }: ReceiverOptions) {
  const altNames = names.map((name) =>
    /^[\d.:]+$/.test(name) ? ({ type: 7, ip: name } as const) : ({ type: 2, value: name } as const),
  );
  return generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...strength,
    ca: authority,
    notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
    notAfterDate: new Date(Date.now() + (expired ? -DAY_MS : DAY_MS)),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames },
    ],
  });
}

/** A real HTTPS server that records requests and answers as scripted. */
export async function startReceiver(options: ReceiverOptions) {
  const { username = 'malote', password = 'p4ss', port = 0, host = '127.0.0.1' } = options;
  const { maxVersion = 'TLSv1.3', keepAliveMs = 5_000 } = options;
  const { cert, private: key } = await certificate(options);
  const renew = async (change: Pick<ReceiverOptions, 'expired'>): Promise<void> => {
    const { cert, private: key } = await certificate({ ...options, ...change });
    server.setSecureContext({ ...tls, cert, key });
    server.closeAllConnections();
  };
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const received: Received[] = [];
  const scripts: Script[] = [];
  const numbers = new Map<Socket, number>();
  const counts = { handshakes: 0, maxOpen: 0 };
  const open = new Set<ServerResponse>();
  let standing: Script = { status: 200 };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open.add(response);
    response.once('close', () => open.delete(response));
    // On a busy machine a client may send its next request before this process notices the end of its last answer.
    const unanswered = [...open].filter(({ writableEnded }) => !writableEnded);
    counts.maxOpen = Math.max(counts.maxOpen, unanswered.length);
    const connection = numbers.get(request.socket) ?? numbers.size + 1;
    numbers.set(request.socket, connection);
    const body = await buffer(request).catch(() => undefined);
    // The client has closed the connection in the middle of its request.
    if (body === undefined) return;
    const { method = '', url: path = '', headers } = request;
    const authenticated = headers.authorization === basic;
    const entry = { at: performance.now(), method, path, headers, body, authenticated, connection };
    received.push(entry);
    const script = scripts.shift() ?? standing;
    await (typeof script === 'function' ? script(request, response, entry) : play(script, request, response));
  };

  const tls = { cert, key, minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  const server = createServer({ ...tls, keepAliveTimeout: keepAliveMs }, (request, response) => {
    void serve(request, response);
  });
  server.on('connection', () => {
    counts.handshakes += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, host, 2_048, resolve));
  const { port: bound } = server.address() as AddressInfo;

  return {
    /** https://localhost:port/hook */
    url: `https://localhost:${bound}/hook`,
    port: bound,
    received,
    /** The number of begun handshakes, with or without a request. */
    connections: () => counts.handshakes,
    /** The number of requests without an answer, and below the maximum of it so far. */
    open: () => open.size,
    maxOpen: () => counts.maxOpen,
    /** Answers to the next requests, in turn; then the standing answer again. */
    next: (...more: Script[]) => void scripts.push(...more),
    /** Sets the standing answer, which is 200 at first. */
    always: (script: Script) => {
      standing = script;
    },
    /** Resolves once `count` requests were received in all. */
    until: async (count: number) => {
      await waitFor(() => received.length >= count, `${count} requests`);
      return received;
    },
    /** Changes the certificate, and ends open connections. */
    renew,
    close: () => close(server),
  };
}

export async function play(reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (reply === 'hang') return;
  if (reply === 'reset') return void request.socket.destroy();
  const { status, headers = {}, body = '', afterMs = 0 } = reply;
  if (afterMs > 0) await sleep(afterMs);
  response.writeHead(status, headers).end(body);
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Far longer than any wait of a test takes, on any machine. */
const PATIENCE_MS = 120_000;

/** Waits until a condition holds. Fails if it does not hold within `withinMs`. */
export async function waitFor(
  holds: () => boolean | Promise<boolean>,
  what: string,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms for ${what}`);
    await sleep(10);
  }
}
