import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalid } from '../base/errors.js';
import { isText } from '../base/text.js';
import { createGate } from './gate.js';

const SHORTEST = 8;
const LONGEST = 128;

/** Argon2id, the library's default, as OWASP's password storage cheat sheet recommends: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Hashing runs on libuv's threads; half of the cores stay free for everything else, and a queue of 64 is worth about
// half a second.
const gate = createGate({ atOnce: Math.max(1, Math.floor(availableParallelism() / 2)), waiting: 64 });

/** Whether some account could have this password: 8 to 128 characters that PostgreSQL and argon2 take unaltered. */
export function isPassword(password: string): boolean {
  const characters = [...password].length;
  return isText(password) && characters >= SHORTEST && characters <= LONGEST;
}

/**
 * A hash for `accounts.password_hash`; belongs outside any transaction. Throws `VALIDATION_ERROR` on `field` for what is no
 * password, `UNAVAILABLE` when too many are being hashed.
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (!isText(password)) throw invalid([{ field, message: 'must be valid Unicode text without NUL' }]);
  if (!isPassword(password)) throw invalid([{ field, message: `must have ${SHORTEST} to ${LONGEST} characters` }]);
  return gate.run(() => hash(password, parameters));
}

/** Whether the hash was made of the password. Throws `UNAVAILABLE` when too many are being hashed. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return gate.run(() => verify(passwordHash, password));
}

/** Throws `UNAVAILABLE` when too many passwords are being hashed to begin with another: before a flood costs the database anything. */
export const demandRoomToVerify = (): void => gate.demandRoom();
