import { createHmac, type KeyObject, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeyRing } from '../base/secrets/keys.js';
import { SealError, sealedBy } from '../base/secrets/seal.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import { openSecrets, type SealedSecrets, type Secrets, sealedValues } from '../endpoints/secrets.js';
import type { OutgoingRequest, Send, SendResult } from './http-client.js';
import type { ClaimedDelivery } from './next-deliveries.js';
import type { OwnFailure, WithoutAnswer } from './own-failures.js';

/**
 * The User-Agent of requests (contracts/guides/webhook.md#what-arrives). Firewalls of receivers let requests pass by
 * it.
 */
export const USER_AGENT = 'Malote-Webhook/1.0';

export type Sent = SendResult & { ownFailure?: OwnFailure | undefined };

interface Deps {
  keys: OpenKeys;
  send: Send;
  ownFailureOf(unanswered: WithoutAnswer, clockOffMs: number): Promise<OwnFailure | undefined>;
}

export async function sendDelivery(
  { keys, send, ownFailureOf }: Deps,
  delivery: ClaimedDelivery,
  sentAt: Date,
  signal: AbortSignal,
  traceparent?: TraceParent,
): Promise<Sent> {
  const secrets = keys.open(delivery.claim.endpoint);
  if ('kind' in secrets) {
    return { outcome: { kind: 'not_sent', error: secrets.detail, durationMs: 0 }, reused: false, ownFailure: secrets };
  }
  const clockOffMs = Date.now() - sentAt.getTime();
  const request = toRequest(delivery, secrets, sentAt, traceparent);
  const result = await send(request, signal);
  if (result.unanswered) return { ...result, ownFailure: await ownFailureOf(result.unanswered, clockOffMs) };
  return withoutCredentials(result, request, secrets);
}

export interface OpenKeys {
  open(endpoint: SealedSecrets): Secrets | OwnFailure;
}

// Maximum number of endpoints whose opened secrets are kept. Opening costs 100 µs of CPU, twice as much as both
// signatures of a body of 1 KB.
const MAX_OPEN = 1_000;

/**
 * Opens the secrets of endpoints and keeps them. Secrets that do not open are an own failure. If their key has opened
 * others, they are damaged. Otherwise the key itself may be a wrong one with the same id.
 */
export function createOpenKeys(ring: KeyRing): OpenKeys {
  const proven = new Set<string>();
  const opened = new LRUCache<string, Secrets>({ max: MAX_OPEN });
  return {
    open: (endpoint: SealedSecrets): Secrets | OwnFailure => {
      const sealed = sealedValues(endpoint);
      const name = [endpoint.id, ...sealed.map((bytes) => bytes?.toString('base64'))].join();
      const openedBefore = opened.get(name);
      if (openedBefore) return openedBefore;
      const ids = sealed.flatMap((bytes) => (bytes ? (sealedBy(bytes) ?? []) : []));
      try {
        const secrets = openSecrets(ring, endpoint);
        for (const id of ids) proven.add(id);
        opened.set(name, secrets);
        return secrets;
      } catch (error) {
        if (!(error instanceof SealError)) throw error;
        const missing = ids.find((id) => !ring.some((key) => key.id === id));
        if (missing !== undefined)
          return { kind: 'keys', detail: `endpoint ${endpoint.id}: key "${missing}" is missing` };
        const isDamaged = ids.every((id) => proven.has(id));
        return { kind: isDamaged ? 'secrets' : 'keys', detail: `endpoint ${endpoint.id}: ${error.message}` };
      }
    },
  };
}

interface SignedDelivery extends Pick<ClaimedDelivery, 'kind' | 'webhookId' | 'body'> {
  claim: { endpoint: Pick<ClaimedDelivery['claim']['endpoint'], 'url' | 'username'> };
}

/** Makes the request: HTTP Basic (RFC 7617), and a signature for each valid key (Standard Webhooks). */
export function toRequest(
  { claim, kind, webhookId, body }: SignedDelivery,
  secrets: Secrets,
  sentAt: Date,
  traceparent?: TraceParent,
): OutgoingRequest {
  const { url, username } = claim.endpoint;
  // Whole seconds, on the clock of the database.
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  const credentials = Buffer.from(`${username}:${secrets.password}`).toString('base64');
  const content = Buffer.concat([Buffer.from(`${webhookId}.${timestamp}.`), body]);
  const signatures = [
    ...secrets.signingSecrets.map((secret) => symmetric(secret, content)),
    ...secrets.privateKeys.map((key) => asymmetric(key, content)),
  ];
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': USER_AGENT,
    authorization: `Basic ${credentials}`,
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    ...(traceparent !== undefined && { traceparent }),
    ...(kind === 'replay' && { 'malote-replay': 'true' }),
    ...(kind === 'test' && { 'malote-test': 'true' }),
  };
  return { url, headers, body };
}

// Signs without the package standardwebhooks, whose SHA-256 is JavaScript. That costs 18 µs of CPU instead of 3 µs for
// a body of 1 KB, and 2800 µs instead of 130 µs for 230 KB. Tests verify the signatures with that package.
function symmetric(secret: string, content: Buffer): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

const asymmetric = (key: KeyObject, content: Buffer): string => `v1a,${sign(null, content, key).toString('base64')}`;

// A shorter secret appears in many answers by chance, and to hide it would reveal it.
const MIN_HIDDEN = 6;

/** Hides the credentials if the answer repeats its request, because answers are stored and shown. */
function withoutCredentials(result: SendResult, { headers }: OutgoingRequest, { password }: Secrets): SendResult {
  const { outcome } = result;
  if (outcome.kind !== 'answered') return result;
  const basic = headers['authorization']?.slice('Basic '.length) ?? '';
  const body = [basic, password]
    .filter(({ length }) => length >= MIN_HIDDEN)
    .reduce((text, secret) => text.replaceAll(secret, '***'), outcome.body);
  return { ...result, outcome: { ...outcome, body } };
}
