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

/** Milliseconds from the connection to the end of the headers, as of the other times. */
const defaults = {
  headersTimeout: 8_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  // Above the 60 s of usual load balancers, which lose a request on a connection that ends just then.
  keepAliveTimeout: 75_000,
  /** Applies while more than `crowd` connections are open. */
  crowdedKeepAliveTimeout: 5_000,
  crowd: 1_000,
  unreadTimeout: 30_000,
  maxUnread: 67_108_864,
};
const GRACE_MS = 500;
const MAX_HEADER_BYTES = 16_384;

/** Gives Node classes of Express's prototypes: Express sets them for every request, which costs more than its rest. */
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
  /** The name of the setting that the port is from. */
  setting: 'PORT' | 'INTERNAL_PORT';
}

/** Serves at a port, 0 for any free one. Throws an Error of one line when it is in use. */
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
    // It came behind a refused body, on a connection that ends.
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
  // The body is asked for when it is read, so that a refused request need not send it.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  // An expectation other than 100-continue may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  return server;
}

/** Ends idle connections sooner while many are open. Node reads the property at the end of each answer. */
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
 * Ends a server: running requests are answered with `Connection: close`, then idle connections are closed and, at the
 * deadline, all others. Idle ones get a moment first, as a request may be on its way.
 */
export async function stop(server: Server, deadlineMs: number): Promise<void> {
  if (!server.listening) return;
  stopping.add(server);
  for (const res of running.get(server) ?? []) closeAfter(res);
  const closed = new Promise<void>((resolve) => {
    // Node's own HTTP close() cuts idle connections at once and stops watching for slow ones.
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
