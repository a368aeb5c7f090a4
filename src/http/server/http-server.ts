import { once } from 'node:events';
import {
  createServer as createHttpServer,
  IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Express } from 'express';
import { malformed, type ServiceError, tooLarge } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { envelopeOf } from '../errors.js';
import { watchAnswers } from './unread-answers.js';

export type HttpServerOptions = Partial<typeof defaults>;

/** Milliseconds. `headersTimeout` runs from the connection to the end of the headers. */
const defaults = {
  headersTimeout: 8_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  // More than the 60 s of usual load balancers. Otherwise they lose a request on a connection that ends just then.
  keepAliveTimeout: 75_000,
  /** Used while more than `crowd` connections are open. */
  crowdedKeepAliveTimeout: 5_000,
  crowd: 1_000,
  unreadTimeout: 30_000,
  maxUnread: 67_108_864,
};
const GRACE_MS = 500;
const MAX_HEADER_BYTES = 16_384;

/**
 * Gives Node classes with Express's prototypes. Otherwise Express sets them on every request, which costs more than all
 * its other work.
 */
function classesFor(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

const BACKLOG = 4096;

interface Listener {
  port: number;
  host: string;
  shutdownSeconds: number;
  /** The name of the setting with the port. */
  setting: 'PORT' | 'INTERNAL_PORT';
}

/** Listens on a port; 0 means any free port. Throws an Error with a message of one line if the port is in use. */
export async function listen(app: Express, { port, host, shutdownSeconds, setting }: Listener) {
  const server = createServer(app);
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${cause.code})`;
    throw new Error(`${setting}: port ${port} on ${host} ${reason}`, { cause });
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  const url = `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${actual}`;
  return { url, stop: () => stop(server, shutdownSeconds * 1000) };
}

const stopping = new WeakSet<Server>();
const running = new WeakMap<Server, Set<ServerResponse>>();

function closeAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** Serves an application over HTTP with bounded headers, times and unread answers. */
export function createServer(app: Express, options: HttpServerOptions = {}): Server {
  const classes = classesFor(app);
  const settings = { ...defaults, ...options, maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };
  const active = new Set<ServerResponse>();
  const server = createHttpServer({ ...settings, ...classes }, (req, res) => {
    // This request followed a refused body, and its connection is ending.
    if (!req.socket.writable) return;
    inTurn(req, res, () => {
      active.add(res);
      res.once('close', () => active.delete(res));
      if (stopping.has(server)) closeAfter(res);
      app(req, res);
    });
  });
  const inTurn = watchAnswers(server, settings);
  shortenWhenCrowded(server, settings);
  running.set(server, active);
  server.on('clientError', answerClientError);
  // The body is asked for only when it is read. So the client of a refused request need not send it.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

/** Closes idle connections sooner while many are open. Node reads this property at the end of each answer. */
function shortenWhenCrowded(
  server: Server,
  { keepAliveTimeout, crowdedKeepAliveTimeout, crowd }: typeof defaults,
): void {
  let open = 0;
  const count = (change: number): void => {
    open += change;
    server.keepAliveTimeout = open > crowd ? crowdedKeepAliveTimeout : keepAliveTimeout;
  };
  server.on('connection', (socket: Socket) => {
    count(1);
    socket.once('close', () => count(-1));
  });
}

/**
 * Stops a server. Running requests are answered with `Connection: close`. Then idle connections are closed, after a
 * moment for requests that are on their way. At the deadline all others are closed.
 */
export async function stop(server: Server, deadlineMs: number): Promise<void> {
  if (!server.listening) return;
  stopping.add(server);
  for (const res of running.get(server) ?? []) closeAfter(res);
  const closed = new Promise<void>((resolve) => {
    // Node's HTTP close() would cut idle connections at once, and stop watching for slow ones.
    NetServer.prototype.close.call(server, () => resolve());
  });
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await Promise.race([closed, sleep(Math.min(GRACE_MS, deadlineMs / 2), undefined, { ref: false })]);
  server.closeIdleConnections();
  await closed;
  clearTimeout(deadline);
}

type ClientError = Error & { readonly code?: string };

function refusal({ code }: ClientError): [status: number, error: ServiceError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, tooLarge('headers_too_large', `The headers are larger than ${MAX_HEADER_BYTES} bytes.`)];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, tooLarge('headers_too_large', 'The chunk extensions are too large.')];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, malformed('request_malformed', 'The request did not arrive in time.')];
    default:
      return [400, malformed('request_malformed', 'The request is not valid HTTP.')];
  }
}

function answerClientError(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, publicError] = refusal(error);
  const body = JSON.stringify(envelopeOf(publicError));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${newId()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
