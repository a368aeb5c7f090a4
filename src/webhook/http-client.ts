import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createSecureContext, rootCertificates, type SecureContext, type SecureContextOptions } from 'node:tls';
import got, { type Delays, type Got, type Request, RequestError } from 'got';
import { LRUCache } from 'lru-cache';
import { computedOnce } from '../base/values.js';
import { type AddressRules, urlRefusal } from '../outbox/addresses.js';
import type { Outcome } from '../outbox/schedule.js';
import { createAgents } from './agents.js';
import { createNames } from './lookup.js';
import type { WithoutAnswer } from './own-failures.js';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** `reused`: the request went over a connection that an earlier one had opened. */
export interface SendResult {
  outcome: Outcome;
  reused: boolean;
  unanswered?: WithoutAnswer;
}

/** Sends one request to its end. Never rejects: every failure is an outcome. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<SendResult>;

interface HttpClientSettings {
  addresses: AddressRules;
  extraCa?: string | undefined;
  deadlineMs: number;
  connectMs: number;
  /** Idle connections over all receivers. */
  idleConnections: number;
  lookup?: LookupFunction;
  reached?: (address: string) => void;
}

/** The way to the network (contracts/guides/behaviour.md#webhook). `close` ends the idle connections. */
export function createHttpClient(settings: HttpClientSettings): { send: Send; close(): void } {
  const tls = { secureContext: trusting(settings.extraCa, { minVersion: 'TLSv1.2' }), rejectUnauthorized: true };
  const { reusingAgent, connectingAgent } = createAgents(tls, settings.idleConnections);
  // Merged once: each option of a request costs time.
  const client = got.extend(optionsOf(settings));
  const reusing = client.extend({ agent: { https: reusingAgent } });
  const connecting = client.extend({ agent: { https: connectingAgent } });
  const refusals = refusalsOf(settings.addresses);
  const send: Send = async (request, signal) => {
    const startedAt = performance.now();
    const { refusal } = refusals.memo(request.url);
    if (refusal !== undefined) return { outcome: notSent(`the URL ${refusal}`, 0), reused: false };
    const first = await attempt(reusing, request, signal, startedAt);
    if (first.address !== undefined) settings.reached?.(first.address);
    const leftMs = settings.deadlineMs - (performance.now() - startedAt);
    // The receiver closed an idle connection just as it was used again, which says nothing about the receiver.
    if (!first.stale || leftMs < 1) return first;
    return attempt(connecting, { ...request, timeout: timeoutOf(settings.connectMs, leftMs) }, signal, startedAt);
  };
  return { send, close: () => reusingAgent.destroy() };
}

const contexts = new LRUCache<string, SecureContext>({ max: 10 });

/** Trusts an authority beside those of Node. Made once: to read them all costs ten times as much as a handshake. */
export function trusting(extraCa: string | undefined, options: SecureContextOptions): SecureContext {
  const key = JSON.stringify([extraCa, options]);
  const ca = extraCa === undefined ? undefined : [...rootCertificates, extraCa];
  const context = contexts.get(key) ?? createSecureContext({ ...options, ca });
  contexts.set(key, context);
  return context;
}

const optionsOf = ({
  addresses,
  connectMs,
  deadlineMs,
  lookup = createNames(addresses).lookup,
}: HttpClientSettings) => ({
  method: 'POST' as const,
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
  maxHeaderSize: HEAD_BYTES,
  retry: { limit: 0 },
  timeout: timeoutOf(connectMs, deadlineMs),
  dnsLookup: lookup,
});

function timeoutOf(connectMs: number, leftMs: number): Delays {
  const phases = { lookup: connectMs, connect: connectMs, secureConnect: connectMs };
  return { ...phases, request: Math.ceil(leftMs) };
}

/** Refusals of URLs, computed once for each: the rules do not change. */
const refusalsOf = (rules: AddressRules) =>
  new LRUCache<string, { refusal: string | undefined }>({
    max: 10_000,
    memoMethod: (url) => ({ refusal: urlRefusal(rules, url) }),
  });

async function attempt(
  client: Got,
  { url, ...options }: OutgoingRequest & { timeout?: Delays },
  signal: AbortSignal,
  startedAt: number,
): Promise<SendResult & { stale: boolean; address?: string | undefined }> {
  const stream = client.stream(url, options);
  const underWay = endedBy(signal).add(stream);
  const answer = await readAnswer(stream);
  underWay.delete(stream);
  const durationMs = performance.now() - startedAt;
  const reused = stream.reusedSocket ?? false;
  if ('status' in answer) {
    const address = reused ? undefined : stream.ip;
    return { outcome: { kind: 'answered', ...answer, durationMs }, reused, stale: false, address };
  }
  const { error } = answer;
  const outcome = failure(stream, error, durationMs);
  return {
    outcome,
    reused,
    stale: reused && isReset(error),
    unanswered: { host: new URL(url).hostname, error, startedAt },
  };
}

/** Requests that end when the signal is aborted; they share one listener, as adding one is slow. */
const endedBy = computedOnce((signal: AbortSignal): Set<Request> => {
  const requests = new Set<Request>();
  signal.addEventListener('abort', () => {
    for (const request of requests) request.destroy(new Error('the worker stops'));
  });
  return requests;
});

/** Bytes of an answer's body that are read, and that are stored (contracts/guides/behaviour.md#webhook). */
const READ_BYTES = 64 * 1024;
const STORED_BYTES = 4 * 1024;
const HEAD_BYTES = 16 * 1024;
/** Bytes that Node reads from a connection at once, and that TLS keeps of it: a record received and one to be sent. */
const SOCKET_BYTES = 64 * 1024;
const TLS_BYTES = 2 * 17 * 1024;

/** The most memory that an answer takes: nothing is decompressed, nothing read ahead. */
export const MOST_ANSWER_BYTES = HEAD_BYTES + READ_BYTES + SOCKET_BYTES + TLS_BYTES;

type Answer = { status: number; retryAfter?: string; body: string } | { error: Error };

/** Reads an answer to its end or 64 KiB. Once the status is there, an error only cuts the body short. */
function readAnswer(stream: Request): Promise<Answer> {
  return new Promise((resolve) => {
    let head: { status: number; retryAfter?: string } | undefined;
    let length = 0;
    const chunks: Buffer[] = [];
    const finish = (error: Error) => resolve(head ? { ...head, body: textOf(chunks) } : { error });
    stream.on('response', (response: IncomingMessage) => {
      const retryAfter = response.headers['retry-after'];
      head = { status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) };
    });
    stream.on('data', (chunk: Buffer) => {
      if (length < STORED_BYTES) chunks.push(chunk.subarray(0, STORED_BYTES - length));
      length += chunk.length;
      if (length < READ_BYTES) return;
      finish(new Error('unreachable: bytes come after the status'));
      stream.destroy();
    });
    stream.once('end', () => finish(new Error('the connection ended without an answer')));
    stream.once('close', () => finish(new Error('the connection was closed without an answer')));
    stream.on('error', finish);
  });
}

/** PostgreSQL cannot store NUL; bytes that are not UTF-8 become U+FFFD. */
const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');

/** Before TLS is established nothing has been sent: credentials and body follow it. */
function failure(stream: Request, error: Error, durationMs: number): Outcome {
  const connected = stream.reusedSocket === true || stream.timings?.secureConnect !== undefined;
  if (!connected) return notSent(describe(error), durationMs);
  return { kind: 'no_answer', error: describe(error), durationMs };
}

const notSent = (error: string, durationMs: number): Outcome => ({ kind: 'not_sent', error, durationMs });

const LONGEST_ERROR = 500;

function describe(error: Error): string {
  const code = error instanceof RequestError ? error.code : undefined;
  const text = code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
  return text.slice(0, LONGEST_ERROR).toWellFormed().replaceAll('\0', '\uFFFD');
}

const isReset = (error: Error): boolean =>
  error instanceof RequestError && ['ECONNRESET', 'EPIPE'].includes(error.code);
