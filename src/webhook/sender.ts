import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createSecureContext, rootCertificates } from 'node:tls';
import got, { type Delays, type Got, type Request, RequestError } from 'got';
import { LRUCache } from 'lru-cache';
import type { AddressRules } from '../deliveries/addresses.js';
import type { Outcome } from '../deliveries/outcome.js';
import { urlRefusal } from '../deliveries/url.js';
import { openConnections } from './connections.js';
import { cutBy } from './cut.js';
import { checkedLookup } from './lookup.js';
import { readAnswer } from './read-answer.js';
import type { OutgoingRequest } from './request.js';

/** What a request came to; `reused` tells whether it went over a connection that an earlier one had opened. */
export type Sent = { outcome: Outcome; reused: boolean };

/** Sends one request to its end. Never rejects: whatever happens is an outcome. */
export type Send = (request: OutgoingRequest, signal: AbortSignal) => Promise<Sent>;

export interface SenderSettings {
  addresses: AddressRules;
  /** PEM of authorities that are trusted besides the public ones. */
  extraCa?: string;
  /** For the whole attempt. */
  deadlineMs: number;
  connectMs: number;
  /** Idle connections kept open, in all. */
  idleConnections: number;
  lookup?: LookupFunction;
}

/** The port to the network (contracts/guides/behaviour.md#webhook). `close` ends the idle connections. */
export function createHttpSender(settings: SenderSettings): { send: Send; close(): void } {
  // Made once: made for each connection, reading the authorities costs ten times the handshake.
  const secureContext = createSecureContext({ ca: authorities(settings.extraCa), minVersion: 'TLSv1.2' });
  const tls = { secureContext, rejectUnauthorized: true };
  const agent = openConnections(tls, settings.idleConnections);
  // Each option of a request costs: what all of them share is merged once.
  const shared = got.extend(optionsOf(settings));
  const kept = shared.extend({ agent: { https: agent } });
  const fresh = shared.extend({ agent: { https: new Agent({ ...tls, keepAlive: false }) } });
  const known = refusals(settings.addresses);
  const send: Send = async (request, signal) => {
    const startedAt = performance.now();
    const { refusal } = known.memo(request.url);
    if (refusal !== undefined) return { outcome: notSent(`the URL ${refusal}`, 0), reused: false };
    const first = await attempt(kept, request, signal, startedAt);
    const leftMs = settings.deadlineMs - (performance.now() - startedAt);
    // The receiver closed an idle connection just as it was taken up again: that says nothing about the receiver.
    if (!first.stale || leftMs < 1) return first;
    return attempt(fresh, { ...request, timeout: timeoutOf(settings.connectMs, leftMs) }, signal, startedAt);
  };
  return { send, close: () => agent.destroy() };
}

const authorities = (extra: string | undefined): string[] | undefined =>
  extra === undefined ? undefined : [...rootCertificates, extra];

const optionsOf = ({ addresses, connectMs, deadlineMs, lookup = checkedLookup(addresses) }: SenderSettings) => ({
  method: 'POST' as const,
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
  retry: { limit: 0 },
  timeout: timeoutOf(connectMs, deadlineMs),
  dnsLookup: lookup,
});

function timeoutOf(connectMs: number, leftMs: number): Delays {
  const phases = { lookup: connectMs, connect: connectMs, secureConnect: connectMs };
  return { ...phases, request: Math.ceil(leftMs) };
}

/** Why a URL is refused, found once for each: the rules do not change. */
const refusals = (rules: AddressRules) =>
  new LRUCache<string, { refusal: string | undefined }>({
    max: 10_000,
    memoMethod: (url) => ({ refusal: urlRefusal(rules, url) }),
  });

interface Attempted extends OutgoingRequest {
  timeout?: Delays;
}

async function attempt(
  client: Got,
  { url, ...options }: Attempted,
  signal: AbortSignal,
  startedAt: number,
): Promise<Sent & { stale: boolean }> {
  const stream = client.stream(url, options);
  const cut = cutBy(signal).add(stream);
  const answer = await readAnswer(stream);
  cut.delete(stream);
  const durationMs = performance.now() - startedAt;
  const reused = stream.reusedSocket ?? false;
  if ('status' in answer) return { outcome: { kind: 'answered', ...answer, durationMs }, reused, stale: false };
  return { outcome: failure(stream, answer.error, durationMs), reused, stale: reused && isReset(answer.error) };
}

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
