import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { computedOnce } from '../values.js';
import type { Key, KeyRing } from './keys.js';

/** Thrown if the ring did not seal the bytes for this purpose, or if they were altered. */
export class SealError extends Error {
  override name = 'SealError';
}

// Sealed bytes: format (1), length of the key's id (1), key id, nonce (12), tag (16), ciphertext.
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with the ring's first key by AES-256-GCM. `aad` binds the bytes to their owner: they do not open for another
 * one.
 */
export function seal([key]: KeyRing, plain: string | Uint8Array, aad: string): Buffer {
  const head = headOf(key.id);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([head, Buffer.from(aad)]));
  const body = Buffer.concat([cipher.update(plain instanceof Uint8Array ? plain : Buffer.from(plain)), cipher.final()]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
}

/** The first bytes of everything that the key of this id sealed. */
export function headOf(keyId: string): Buffer {
  const id = Buffer.from(keyId);
  return Buffer.concat([Buffer.from([FORMAT, id.length]), id]);
}

/** Opens sealed bytes. Throws SealError if the key is not in the ring, or if anything does not match. */
export function open(ring: KeyRing, sealed: Uint8Array, aad: string): Buffer {
  const { head, nonce, tag, body } = split(sealed);
  const id = head.toString('utf8', 2);
  const key = ring.find((candidate) => candidate.id === id);
  if (!key) throw new SealError('sealed with a key that is not in the ring');
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([head, Buffer.from(aad)]));
  decipher.setAuthTag(tag);
  const opened = decipher.update(body);
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch (cause) {
    throw new SealError('altered, or sealed for another owner', { cause });
  }
}

/** The id of the key that sealed the bytes. The first 34 bytes suffice. Undefined for bytes that are not sealed. */
export function sealedBy(bytes: Uint8Array): string | undefined {
  const [first, length = 0] = bytes;
  return first === FORMAT ? Buffer.from(bytes.subarray(2, 2 + length)).toString('utf8') : undefined;
}

function split(sealed: Uint8Array) {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const nonceStart = 2 + (bytes[1] ?? 0);
  const tagStart = nonceStart + NONCE_BYTES;
  const bodyStart = tagStart + TAG_BYTES;
  if (bytes[0] !== FORMAT || bytes.length < bodyStart) throw new SealError('not sealed bytes');
  return {
    head: bytes.subarray(0, nonceStart),
    nonce: bytes.subarray(nonceStart, tagStart),
    tag: bytes.subarray(tagStart, bodyStart),
    body: bytes.subarray(bodyStart),
  };
}

/** Derives a separate key for sealing, so that another use of the secret reveals nothing (RFC 5869). */
const sealingKey = computedOnce(
  ({ secret }: Key): KeyObject => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'malote seal v1', 32))),
);

/** Tells whether work that opens sealed bytes succeeds. Rethrows errors other than SealError. */
export function opens(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}
