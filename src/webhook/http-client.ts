import type { ClientRequest, IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import {
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
  TLSSocket,
} from 'node:tls';
import { LRUCache } from 'lru-cache';
import { computedOnce } from '../base/values.js';
import { type AddressRules, dialledHost, urlRefusal } from '../endpoints/addresses.js';
import type { Outcome } from '../queue/schedule.js';
import { createAgents } from './agents.js';
import { createNames } from './lookup.js';
import type { WithoutAnswer } from './own-failures.js';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** The result of a request. `reused` is true if an earlier request had opened its connection. */
export interface SendResult {
  outcome: Outcome;
  reused: boolean;
  unanswered?: WithoutAnswer;
}

/** Sends one request to its end. It never rejects: every failure is an outcome. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<SendResult>;

interface HttpClientSettings {
  addresses: AddressRules;
  extraCa?: string | undefined;
  deadlineMs: number;
  connectMs: number;
  /** Maximum number of idle connections, over all receivers. */
  idleConnections: number;
  lookup?: LookupFunction;
  reached?: (address: string) => void;
}

/**
 * Makes the client that sends requests to receivers (contracts/guides/behaviour.md#webhook). `close` ends idle
 * connections.
 */
export function createHttpClient(settings: HttpClientSettings): { send: Send; close(): void } {
  const tls = { secureContext: trusting(settings.extraCa, { minVersion: 'TLSv1.2' }), rejectUnauthorized: true };
  const { reusingAgent, connectingAgent } = createAgents(tls, settings.idleConnections);
  const destinations = destinationsOf(settings);
  const send: Send = async ({ url, headers, body }, signal) => {
    const startedAt = performance.now();
    const { refusal, options } = destinations.memo(url);
    if (refusal !== undefined) return { outcome: notSent(`the URL ${refusal}`, 0), reused: false };
    const attemptBy = (agent: Agent) =>
      attempt(httpsRequest({ ...options, headers, agent }), body, { ...settings, signal, startedAt });
    const first = await attemptBy(reusingAgent);
    // The receiver closed the idle connection just when it was used again. This says nothing about the receiver.
    return first.isStale ? attemptBy(connectingAgent) : first;
  };
  return { send, close: () => reusingAgent.destroy() };
}

const contexts = new LRUCache<string, SecureContext>({ max: 10 });

/**
 * Makes a context that trusts `extraCa` besides Node's authorities. It is kept: reading all of them costs ten times a
 * handshake.
 */
export function trusting(extraCa: string | undefined, options: SecureContextOptions): SecureContext {
  const key = JSON.stringify([extraCa, options]);
  const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
  const context = contexts.get(key) ?? createSecureContext({ ...options, ca });
  contexts.set(key, context);
  return context;
}

/** Finds where a URL leads, or why it is refused. Results are kept per URL, because the rules do not change. */
function destinationsOf({ addresses, lookup = createNames(addresses).lookup }: HttpClientSettings) {
  const optionsOf = (url: URL): RequestOptions => {
    const path = `${url.pathname}${url.search}`;
    return { method: 'POST', host: dialledHost(url), port: url.port, path, lookup, maxHeaderSize: HEAD_BYTES };
  };
  return new LRUCache<string, { refusal?: string; options?: RequestOptions }>({
    max: 10_000,
    memoMethod: (url) => {
      const refusal = urlRefusal(addresses, url);
      return refusal === undefined ? { options: optionsOf(new URL(url)) } : { refusal };
    },
  });
}

interface Limits extends Pick<HttpClientSettings, 'deadlineMs' | 'connectMs' | 'reached'> {
  signal: AbortSignal;
  startedAt: number;
}

async function attempt(
  request: ClientRequest,
  body: Buffer,
  { signal, startedAt, deadlineMs, ...connecting }: Limits,
): Promise<SendResult & { isStale: boolean }> {
  const endDeadline = cutOff(request, 'request', startedAt + deadlineMs - performance.now());
  const underWay = endedBy(signal).add(request);
  let bytesBefore = 0;
  request.once('socket', (socket) => {
    bytesBefore = socket.bytesRead;
    if (socket.connecting) watchConnecting(request, socket, connecting);
  });
  const answer = await readAnswer(request.end(body));
  underWay.delete(request);
  endDeadline();
  const durationMs = performance.now() - startedAt;
  const { reusedSocket: reused, socket } = request;
  if ('status' in answer) return { outcome: { kind: 'answered', ...answer, durationMs }, reused, isStale: false };
  const { error } = answer;
  const isStale = reused && isReset(error) && socket?.bytesRead === bytesBefore;
  const unanswered = { host: request.host, error, startedAt };
  return { outcome: failure(socket, error, durationMs), reused, isStale, unanswered };
}

/** The requests that end when the signal aborts. They share one listener, because adding listeners is slow. */
const endedBy = computedOnce((signal: AbortSignal): Set<ClientRequest> => {
  const requests = new Set<ClientRequest>();
  signal.addEventListener('abort', () => {
    for (const request of requests) request.destroy(new Error('the worker stops'));
  });
  return requests;
});

type Step = 'lookup' | 'connect' | 'secureConnect' | 'request';

/** Ends the request after `ms`. Bytes that have already arrived are read first, because this process may be late. */
function cutOff(request: ClientRequest, event: Step, ms: number): () => void {
  let isOver = false;
  const end = () => {
    const error = new Error(`Timeout awaiting '${event}' for ${Math.ceil(ms)}ms`);
    if (!isOver) request.destroy(Object.assign(error, { code: 'ETIMEDOUT', event }));
  };
  const timer = setTimeout(() => setImmediate(end), ms);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Gives each step of connecting `connectMs`. */
function watchConnecting(
  request: ClientRequest,
  socket: Socket,
  { connectMs, reached }: Pick<Limits, 'connectMs' | 'reached'>,
): void {
  let endStep = cutOff(request, isIP(request.host) === 0 ? 'lookup' : 'connect', connectMs);
  const begin = (step: Step) => () => {
    endStep();
    endStep = cutOff(request, step, connectMs);
  };
  socket.once('lookup', begin('connect')).once('connect', begin('secureConnect'));
  for (const event of ['secureConnect', 'close']) socket.once(event, () => endStep());
  socket.once('secureConnect', () => socket.remoteAddress !== undefined && reached?.(socket.remoteAddress));
}

/** Maximum bytes of an answer's body: to read, and to store (contracts/guides/behaviour.md#webhook). */
const READ_BYTES = 64 * 1024;
const STORED_BYTES = 4 * 1024;
const HEAD_BYTES = 16 * 1024;
/** Bytes that Node reads from a connection at once, and bytes that TLS keeps: one record received and one to send. */
const SOCKET_BYTES = 64 * 1024;
const TLS_BYTES = 2 * 17 * 1024;

/** The maximum memory for an answer. Answers are not decompressed and not read ahead. */
export const MAX_ANSWER_BYTES = HEAD_BYTES + READ_BYTES + SOCKET_BYTES + TLS_BYTES;

type Answer = { status: number; retryAfter?: string; body: string } | { error: NodeJS.ErrnoException };

/** Reads an answer to its end, or 64 KiB. After the status has arrived, an error only shortens the body. */
function readAnswer(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    let length = 0;
    const chunks: Buffer[] = [];
    const finish = (error = withoutAnswer) => resolve(response ? toAnswer(response, chunks) : { error });
    const cut = () => {
      finish();
      request.destroy();
    };
    request.once('response', (incoming) => {
      response = incoming;
      response.on('data', (chunk: Buffer) => {
        if (length < STORED_BYTES) chunks.push(chunk.subarray(0, STORED_BYTES - length));
        length += chunk.length;
        if (length >= READ_BYTES) cut();
      });
      // The connection can serve another request only if the receiver has read this one.
      response.once('end', () => (request.writableFinished ? finish() : cut()));
    });
    request.once('close', () => finish());
    request.on('error', finish);
  });
}

const withoutAnswer = new Error('the connection was closed without an answer');

function toAnswer({ statusCode = 0, headers }: IncomingMessage, chunks: readonly Buffer[]): Answer {
  const { 'retry-after': retryAfter } = headers;
  // PostgreSQL cannot store NUL. Bytes that are not UTF-8 become U+FFFD.
  const body = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
  return { status: statusCode, ...(retryAfter !== undefined && { retryAfter }), body };
}

/**
 * Makes the outcome of a failure. Before TLS is established nothing was sent, because credentials and body follow it.
 */
function failure(socket: Socket | null, error: NodeJS.ErrnoException, durationMs: number): Outcome {
  if (!(socket instanceof TLSSocket && socket.authorized)) return notSent(describe(error), durationMs);
  return { kind: 'no_answer', error: describe(error), durationMs };
}

const notSent = (error: string, durationMs: number): Outcome => ({ kind: 'not_sent', error, durationMs });

const MAX_ERROR_LENGTH = 500;

function describe({ code, message }: NodeJS.ErrnoException): string {
  const text = code && !message.includes(code) ? `${code}: ${message}` : message;
  return text.slice(0, MAX_ERROR_LENGTH).toWellFormed().replaceAll('\0', '\uFFFD');
}

const isReset = ({ code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' || code === 'EPIPE';
