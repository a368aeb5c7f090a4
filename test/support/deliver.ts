import { sign } from 'node:crypto';
import { request } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { toPrivateKey } from '../../src/endpoints/key-pairs.js';

/** A receiver on this machine, and the credentials that it expects. */
export interface Destination {
  port: number;
  /** PEM. */
  ca: string;
  username: string;
  password: string;
  secret: string;
  /** A private key `whsk_…`, which also signs. */
  privateKey?: string;
}

export interface Forgery {
  id?: string;
  /** A body that is sent in place of the signed one. */
  body?: string;
  /** The age of the delivery in seconds. */
  age?: number;
  method?: string;
}

/** Sends a delivery like the service, or a forged one. Resolves to the status, or 0 without an answer. */
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
    // A new receiver may get the port of a closed one, so connections are not reused.
    const agent = false;
    const sent = request({ host: 'localhost', port: to.port, method, headers, ca: to.ca, timeout: 5_000, agent });
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.on('timeout', () => resolve(0));
    sent.on('error', reject);
    sent.end(body);
  });
}
