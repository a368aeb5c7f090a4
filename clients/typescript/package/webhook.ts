import type { TrackingPayload } from './contract.js';
import { isFields, WebhookVerificationError } from './errors.js';

/** Checks bodies of the tracking webhook as https://www.standardwebhooks.com says, by Web Crypto alone. */

/** As frameworks have them: `request.headers` of Node, of Express, of a fetch handler. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookKeys {
  /** The endpoint's signing secret, `whsec_…`; both while it is being changed. */
  secret?: string | readonly string[] | undefined;
  /** The endpoint's public key, `whpk_…`: instead of a secret, or beside it. */
  publicKey?: string | readonly string[] | undefined;
  /** User name and password of the endpoint; both logins while they are being changed. Not checked unless given. */
  basic?: BasicLogin | readonly BasicLogin[] | undefined;
  /** Seconds that `webhook-timestamp` may be off; 300 unless given. */
  toleranceSeconds?: number | undefined;
}

export interface BasicLogin {
  username: string;
  password: string;
}

/** A body of the webhook that is genuine. */
export interface WebhookDelivery {
  /** The same when it is sent again: do nothing the second time. */
  id: string;
  /** True when it holds a sample package that is in no order. */
  isTest: boolean;
  /** True when the carrier sends it again on request. */
  isReplay: boolean;
  payload: TrackingPayload;
}

const TOLERANCE_SECONDS = 300;
/** More than any sender writes. */
const MAX_SIGNATURES = 20;

type Bytes = Uint8Array<ArrayBuffer>;
type Check = (signature: Bytes, signed: Bytes) => Promise<boolean>;

/**
 * Resolves to the delivery once it is certain that the service sent it. `body` is the request's body as it came, not
 * parsed. Throws `WebhookVerificationError`; a `TypeError` when a key is malformed or there is none.
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

/** A header by its name in lower case; empty where it is missing. */
function headerIn(headers: WebhookHeaders, name: string): string {
  if (typeof headers['get'] === 'function') return headers['get'](name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value ?? '');
}

/** Checks of a signature, by its version. */
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

/** Compares digests, so that the time tells nothing of the texts. */
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

/** Tells a tracking payload from other JSON. The service that signed it checks it against the contract. */
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
