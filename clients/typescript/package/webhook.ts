import type { TrackingPayload } from './contract.js';
import { isFields, WebhookVerificationError } from './errors.js';

/** Verifies bodies of the tracking webhook as https://www.standardwebhooks.com says. It needs only Web Crypto. */

/** Headers in the form of Node, of Express, or of a fetch handler (`request.headers`). */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookKeys {
  /** The endpoint's signing secret, `whsec_…`. Give both secrets during a rotation. */
  secret?: string | readonly string[] | undefined;
  /** The endpoint's public key, `whpk_…`. Give it instead of a secret, or in addition. */
  publicKey?: string | readonly string[] | undefined;
  /** User name and password of the endpoint. Give both logins during a change. Without it, they are not checked. */
  basic?: BasicLogin | readonly BasicLogin[] | undefined;
  /** Maximum difference of `webhook-timestamp` from now, in seconds. The default is 300. */
  toleranceSeconds?: number | undefined;
}

export interface BasicLogin {
  username: string;
  password: string;
}

/** A verified body of the webhook. */
export interface WebhookDelivery {
  /** The id of the delivery. It stays the same when the delivery is sent again: ignore a known id. */
  id: string;
  /** True if the body has a sample package without an order. */
  isTest: boolean;
  /** True if the carrier sends the delivery again on request. */
  isReplay: boolean;
  payload: TrackingPayload;
}

const TOLERANCE_SECONDS = 300;
/** No sender writes this many signatures. */
const MAX_SIGNATURES = 20;

type Bytes = Uint8Array<ArrayBuffer>;
type Check = (signature: Bytes, signed: Bytes) => Promise<boolean>;

/**
 * Verifies that the service sent the request, and returns the delivery. `body` is the raw body of the request, before
 * parsing. Throws `WebhookVerificationError`, and `TypeError` if a key is malformed or missing.
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  keys: WebhookKeys,
): Promise<WebhookDelivery> {
  const header = (name: string): string => headerIn(headers, name);
  const checks = await checksBy(keys);
  const id = header('webhook-id');
  const time = header('webhook-timestamp');
  if (keys.basic && !(await isLogin(header('authorization'), [keys.basic].flat()))) {
    throw new WebhookVerificationError('User name or password is wrong.');
  }
  const age = Math.abs(Date.now() / 1_000 - Number(time));
  if (time === '' || !(age <= (keys.toleranceSeconds ?? TOLERANCE_SECONDS))) {
    throw new WebhookVerificationError('The timestamp is missing or too far off.');
  }
  const content = typeof body === 'string' ? bytesOf(body) : new Uint8Array(body);
  if (!(await isSigned(header('webhook-signature'), joined(bytesOf(`${id}.${time}.`), content), checks))) {
    throw new WebhookVerificationError('No signature is right.');
  }
  const isMarked = (name: string): boolean => header(name) === 'true';
  return { id, isTest: isMarked('malote-test'), isReplay: isMarked('malote-replay'), payload: payloadOf(content) };
}

/** Finds a header by its name in lower case. Empty if it is missing. */
function headerIn(headers: WebhookHeaders, name: string): string {
  if (typeof headers['get'] === 'function') return headers['get'](name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value ?? '');
}

/** Makes the checks of a signature, by signature version. */
async function checksBy({ secret = [], publicKey = [] }: WebhookKeys): Promise<Map<string, Check[]>> {
  const secrets = await Promise.all([secret].flat().map(hmacCheck));
  const publicKeys = await Promise.all([publicKey].flat().map(ed25519Check));
  if (secrets.length + publicKeys.length === 0) throw new TypeError('Give the signing secret or the public key.');
  return new Map([
    ['v1', secrets],
    ['v1a', publicKeys],
  ]);
}

async function hmacCheck(secret: string): Promise<Check> {
  const key = await crypto.subtle.importKey('raw', keyOf('whsec_', secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  return (signature, signed) => crypto.subtle.verify('HMAC', key, signature, signed);
}

async function ed25519Check(publicKey: string): Promise<Check> {
  const key = await crypto.subtle.importKey('raw', keyOf('whpk_', publicKey), 'Ed25519', false, ['verify']);
  return (signature, signed) => crypto.subtle.verify('Ed25519', key, signature, signed);
}

function keyOf(prefix: string, text: string): Bytes {
  const bytes = fromBase64(text.replace(prefix, ''));
  if (!bytes || bytes.length === 0) throw new TypeError(`A key is not ${prefix} and base64.`);
  return bytes;
}

async function isSigned(
  header: string,
  signed: Bytes,
  checks: ReadonlyMap<string, readonly Check[]>,
): Promise<boolean> {
  for (const each of header.split(' ').slice(0, MAX_SIGNATURES)) {
    const [version = '', text = ''] = each.split(',');
    const signature = fromBase64(text);
    for (const check of checks.get(version) ?? []) if (signature && (await check(signature, signed))) return true;
  }
  return false;
}

async function isLogin(authorization: string, logins: readonly BasicLogin[]): Promise<boolean> {
  const matches = logins.map(({ username, password }) =>
    isSame(authorization, `Basic ${btoa(String.fromCharCode(...bytesOf(`${username}:${password}`)))}`),
  );
  return (await Promise.all(matches)).includes(true);
}

/** Compares digests, so that the time does not reveal anything about the texts. */
async function isSame(one: string, other: string): Promise<boolean> {
  const digests = [one, other].map((text) => crypto.subtle.digest('SHA-256', bytesOf(text)));
  const [a, b] = (await Promise.all(digests)).map((digest) => new Uint8Array(digest));
  return a?.reduce((difference, byte, at) => difference | (byte ^ (b?.[at] ?? 0)), 0) === 0;
}

function payloadOf(content: Bytes): TrackingPayload {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
    if (isTracking(value)) return value;
  } catch {}
  throw new WebhookVerificationError('The body is no tracking payload.');
}

/** True for a tracking payload, false for other JSON. The signed sender has already checked it against the contract. */
const isTracking = (value: unknown): value is TrackingPayload =>
  isFields(value) && Array.isArray(value['packages']) && value['packages'].every(isFields);

const bytesOf = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text));

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function joined(one: Bytes, other: Bytes): Bytes {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
