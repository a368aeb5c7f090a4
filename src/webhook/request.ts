import { createHmac } from 'node:crypto';
import type { SendKind } from '../deliveries/schedule.js';
import type { Secrets } from '../deliveries/secrets.js';

/** What the sender puts on the wire. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Parcel {
  kind: SendKind;
  isTest: boolean;
  webhookId: string;
  body: Buffer;
  url: string;
  username: string;
  secrets: Secrets;
  /** The database's time. */
  sentAt: Date;
}

/** Authenticates a body by HTTP Basic (RFC 7617) and signs it with each valid key (Standard Webhooks). */
export function toRequest({ kind, isTest, webhookId, body, url, username, secrets, sentAt }: Parcel): OutgoingRequest {
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  const credentials = Buffer.from(`${username}:${secrets.password}`).toString('base64');
  const signatures = secrets.signingSecrets.map((secret) => sign(secret, webhookId, timestamp, body));
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'Malote-Webhook/1.0',
    authorization: `Basic ${credentials}`,
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    ...(kind === 'replay' && { 'malote-replay': 'true' }),
    ...(isTest && { 'malote-test': 'true' }),
  };
  return { url, headers, body };
}

function sign(secret: string, webhookId: string, timestamp: number, body: Buffer): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${webhookId}.${timestamp}.`).update(body).digest('base64')}`;
}
