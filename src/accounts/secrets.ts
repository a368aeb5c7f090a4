import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BYTES = 32;

/** A secret of 256 random bits. Its prefix names its purpose, to people and to scanners for leaked secrets. */
export const newSecret = (prefix: string): string => prefix + randomBytes(BYTES).toString('base64url');

/** The stored form of a secret. Its 256 random bits cannot be guessed, so a fast hash without salt is right. */
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Replaces the hash of a missing record, so that a wrong name takes as long as a wrong secret. */
const noHash = Buffer.alloc(BYTES);

/** True if `stored` is the hash of the secret. It takes the same time for any secret. */
export const isHashOf = (stored: Buffer | null | undefined, secret: string): boolean =>
  timingSafeEqual(stored ?? noHash, hashOfSecret(secret));
