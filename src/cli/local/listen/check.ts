import { type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { type TrackingPayload, trackingSchema } from '../../../../generated/tracking-webhook.js';
import { parseJson } from '../../../base/values.js';
import { toPublicKey } from '../../../outbox/key-pairs.js';

/** Expectations of a delivery; those that are left out are not checked. */
export interface Expected {
  username?: string;
  password?: string | undefined;
  secret?: string | undefined;
  publicKey?: string | undefined;
  /** The published JSON Schema of the payload; this version's when left out. */
  schema?: object;
}

interface CheckedDelivery {
  /** Why the sender is not who it should be. */
  forged: string | undefined;
  /** Why the body is not a tracking payload. */
  invalid: string | undefined;
  payload: TrackingPayload | undefined;
}

export interface Check {
  (headers: IncomingHttpHeaders, body: string): CheckedDelivery;
  /** Checks signatures with this secret from now on. Throws Error when it is not a secret. */
  expectSignature(secret: string): void;
}

/** Checks deliveries as contracts/guides/webhook.md#a-receiver says. Throws Error for a wrong secret or key. */
export function createCheck({ username = '', password, secret, publicKey, schema = trackingSchema }: Expected): Check {
  const ajv = new Ajv({ allErrors: true });
  addFormats.default(ajv);
  const isPayload = ajv.compile<TrackingPayload>(schema);
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  let webhook = secret === undefined ? undefined : new Webhook(secret);
  const key = publicKey === undefined ? undefined : toPublicKey(publicKey);

  const forged = (headers: IncomingHttpHeaders, body: string): string | undefined => {
    if (password !== undefined && headers.authorization !== basic) return 'wrong Basic credentials';
    return (webhook && signatureFault(webhook, headers, body)) ?? (key && publicKeyFault(key, headers, body));
  };
  const check = (headers: IncomingHttpHeaders, body: string): CheckedDelivery => {
    const value = parseJson(body);
    const payload = isPayload(value) ? value : undefined;
    return { forged: forged(headers, body), payload, invalid: payload ? undefined : ajv.errorsText(isPayload.errors) };
  };
  const expectSignature = (other: string) => {
    webhook = new Webhook(other);
  };
  return Object.assign(check, { expectSignature });
}

const signedNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function signatureFault(webhook: Webhook, headers: IncomingHttpHeaders, body: string): string | undefined {
  const signed = Object.fromEntries(signedNames.map((name) => [name, String(headers[name] ?? '')]));
  try {
    webhook.verify(body, signed, { jsonParse: false });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'wrong signature';
  }
}

const TOLERATED_SECONDS = 300;

/** Checks the signature by a key pair, which the library does not know. */
function publicKeyFault(key: KeyObject, headers: IncomingHttpHeaders, body: string): string | undefined {
  const [id, sentAt, signatures = ''] = signedNames.map((name) => String(headers[name] ?? ''));
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= TOLERATED_SECONDS)) return 'Message timestamp too far off';
  const content = Buffer.from(`${id}.${sentAt}.${body}`);
  const own = signatures.split(' ').filter((each) => each.startsWith('v1a,'));
  const isRight = own.some((each) => verify(null, content, key, Buffer.from(each.slice('v1a,'.length), 'base64')));
  return isRight ? undefined : 'No signature matches the public key';
}
