import { sign } from 'node:crypto';
import { request } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { toPrivateKey } from '../../src/endpoints/key-pairs.js';

/** A receiver of this machine, and what it expects. */
export interface Destination {
  port: number;
  /** PEM. */
  ca: string;
  username: string;
  password: string;
  secret: string;
  /** As `whsk_…`; signs too. */
  privateKey?: string;
}

export interface Forgery {
  id?: string;
  /** The body sent in the place of the signed one. */
  body?: string;
  /** Age in seconds. */
  age?: number;
  method?: string;
}

/** Sends what the service would, or something near it; resolves to the status, 0 when there is no answer. */
export function deliver(to: Destination, signed: string, forgery: Forgery = {}): Promise<number> {
  const { id = 'one', body = signed, age = 0, method = 'POST' } = forgery;
  const at = new Date(Date.now() - age * 1000);
  const timestamp = Math.floor(at.getTime() / 1000);
  const asymmetric = (privateKey: string) =>
    sign(null, Buffer.from(`${id}.${timestamp}.${signed}`), toPrivateKey(privateKey)).toString('base64');
  const signatures = [
    'v1,c29tZXRoaW5n',
    new Webhook(to.secret).sign(id, at, signed),
    ...(to.privateKey === undefined ? [] : [`v1a,${asymmetric(to.privateKey)}`]),
  ];
  const headers = {
    Authorization: `Basic ${Buffer.from(`${to.username}:${to.password}`).toString('base64')}`,
    'Content-Length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  return new Promise((resolve, reject) => {
    // A receiver may get the port of one that has just closed: no connection of that one is used again.
    const agent = false;
    const sent = request({ host: 'localhost', port: to.port, method, headers, ca: to.ca, timeout: 5_000, agent });
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('timeout', () => resolve(0));
    sent.on('error', reject);
    sent.end(body);
  });
}
