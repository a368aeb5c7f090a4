// Verifies tracking updates by the public keys of an endpoint: nothing has to be kept secret. Node ≥ 20, nothing to install.
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** From `…/.well-known/malote-webhook-keys/<endpoint>`. Fetch them anew every few minutes, so that you have the next one in time. */
export async function fetchKeys(url: string): Promise<KeyObject[]> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const { keys }: { keys: JsonWebKey[] } = await response.json();
  return keys.map((key) => createPublicKey({ key, format: 'jwk' }));
}

/** Over the bytes as they came, before they are parsed. */
export function isGenuine(keys: KeyObject[], headers: IncomingHttpHeaders, body: Buffer): boolean {
  const [id, time, given = ''] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]));
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const content = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
  const signatures = given.split(' ').filter((each) => each.startsWith('v1a,'));
  return signatures.some((each) =>
    keys.some((key) => verify(null, content, key, Buffer.from(each.slice('v1a,'.length), 'base64'))),
  );
}
