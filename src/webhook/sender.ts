import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createSecureContext, rootCertificates } from 'node:tls';
import got, { type OptionsInit, type Request, RequestError } from 'got';
import type { AddressRules } from '../deliveries/addresses.js';
import type { Outcome } from '../deliveries/outcome.js';
import { urlRefusal } from '../deliveries/url.js';
import { openConnections } from './connections.js';
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

/** The port to the network (contracts/decisions.md, the webhook). `close` ends the idle connections. */
export function createHttpSender(settings: SenderSettings): { send: Send; close(): void } {
  // Made once: made for each connection, reading the authorities costs ten times the handshake.
  const secureContext = createSecureContext({ ca: authorities(settings.extraCa), minVersion: 'TLSv1.2' });
  const tls = { secureContext, rejectUnauthorized: true };
  const agent = openConnections(tls, settings.idleConnections);
  const fresh = new Agent({ ...tls, keepAlive: false });
  const options = optionsOf(settings);
  const send: Send = async (request, signal) => {
    const startedAt = performance.now();
    const refusal = urlRefusal(settings.addresses, request.url);
    if (refusal !== undefined) return { outcome: notSent(`the URL ${refusal}`, 0), reused: false };
    const first = await attempt(request, { ...options(settings.deadlineMs), agent: { https: agent } }, signal);
    const leftMs = settings.deadlineMs - (performance.now() - startedAt);
    // The receiver closed an idle connection just as it was taken up again: that says nothing about the receiver.
    if (!first.stale || leftMs < 1) return first;
    return attempt(request, { ...options(leftMs), agent: { https: fresh } }, signal, startedAt);
  };
  return { send, close: () => agent.destroy() };
}

const authorities = (extra: string | undefined): string[] | undefined =>
  extra === undefined ? undefined : [...rootCertificates, extra];

const optionsOf = ({ addresses, connectMs, lookup = checkedLookup(addresses) }: SenderSettings) => {
  const phases = { lookup: connectMs, connect: connectMs, secureConnect: connectMs };
  return (leftMs: number): OptionsInit => ({
    method: 'POST',
    isStream: true,
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    retry: { limit: 0 },
    timeout: { ...phases, request: Math.ceil(leftMs) },
    dnsLookup: lookup,
  });
};

async function attempt(
  { url, headers, body }: OutgoingRequest,
  options: OptionsInit,
  cut: AbortSignal,
  startedAt = performance.now(),
): Promise<Sent & { stale: boolean }> {
  const stream = got.stream(url, { ...options, headers, body, isStream: true });
  const end = () => stream.destroy(new Error('the sender stops'));
  cut.addEventListener('abort', end);
  const answer = await readAnswer(stream);
  cut.removeEventListener('abort', end);
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

const longestError = 500;

function describe(error: Error): string {
  const code = error instanceof RequestError ? error.code : undefined;
  const text = code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
  return text.slice(0, longestError).toWellFormed().replaceAll('\0', '\uFFFD');
}

const isReset = (error: Error): boolean =>
  error instanceof RequestError && ['ECONNRESET', 'EPIPE'].includes(error.code);
