import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Makes key pairs of Ed25519 (RFC 8032), in the notation of Standard Webhooks. */

const KEY_BYTES = 32;

/**
 * Makes a key pair. Public: `whpk_` and base64 of 32 bytes. Private: `whsk_` and base64 of 64 bytes, the last 32 of
 * them public.
 */
export function newKeyPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const [seed, point] = [privateKey.subarray(-KEY_BYTES), publicKey.subarray(-KEY_BYTES)];
  return {
    publicKey: `whpk_${point.toString('base64')}`,
    privateKey: `whsk_${Buffer.concat([seed, point]).toString('base64')}`,
  };
}

const bytesOf = (key: string): Buffer => Buffer.from(key.slice('whpk_'.length), 'base64');

export const isPrivateKey = (key: string): boolean => key.startsWith('whsk_');

export const publicHalf = (privateKey: string): string =>
  `whpk_${bytesOf(privateKey).subarray(KEY_BYTES).toString('base64')}`;

export function toPrivateKey(privateKey: string): KeyObject {
  const d = bytesOf(privateKey).toString('base64url', 0, KEY_BYTES);
  return createPrivateKey({ key: { ...essenceOf(publicHalf(privateKey)), d }, format: 'jwk' });
}

export const toPublicKey = (publicKey: string): KeyObject =>
  createPublicKey({ key: essenceOf(publicKey), format: 'jwk' });

/** The key as a JWK (RFC 8037); its id is its thumbprint (RFC 7638). */
export function toJwk(publicKey: string) {
  const essence = essenceOf(publicKey);
  const kid = createHash('sha256').update(JSON.stringify(essence)).digest('base64url');
  return { ...essence, alg: 'EdDSA', use: 'sig', kid, public_key: publicKey } as const;
}

/** The members of a JWK in the order that its thumbprint needs. */
const essenceOf = (publicKey: string) =>
  ({ crv: 'Ed25519', kty: 'OKP', x: bytesOf(publicKey).toString('base64url') }) as const;
