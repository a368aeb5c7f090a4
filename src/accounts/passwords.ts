import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalidField } from '../base/errors.js';
import { createGate } from '../base/turns/queue.js';
import { isText } from '../base/values.js';

const SHORTEST = 8;
const LONGEST = 128;

/**
 * The cost of Argon2id: the library's default, 19 MiB and two passes, as OWASP's password storage cheat sheet
 * recommends.
 */
const recommended = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let parameters = recommended;

export type PasswordCost = typeof recommended;

/** Sets the cost of later hashes in this process. Only tests lower it, by an override of `createApp`. */
export function usePasswordCost(cost: PasswordCost = recommended): void {
  parameters = cost;
}

// Hashing runs on libuv's threads. Half of the cores stay free. A queue of 64 takes about half a second.
const atOnce = Math.max(1, Math.floor(availableParallelism() / 2));
const gate = createGate({ atOnce, atOnceOfOwner: atOnce, maxWaiting: 64 });
const inTurn = <T>(work: () => Promise<T>): Promise<T> => gate.pass('', undefined, work);

/**
 * Hashes a password for `accounts.password_hash`. Call it outside transactions. Throws `VALIDATION_ERROR` on `password`
 * unless it has 8 to 128 characters that PostgreSQL and argon2 keep unchanged. Throws `UNAVAILABLE` when too many
 * passwords are being hashed.
 */
export async function hashPassword(password: string): Promise<string> {
  if (!isText(password)) throw invalidField('password', 'pattern', 'must be valid Unicode text without NUL');
  const characters = [...password].length;
  if (characters < SHORTEST || characters > LONGEST) {
    const code = characters < SHORTEST ? 'too_short' : 'too_long';
    throw invalidField('password', code, `must have ${SHORTEST} to ${LONGEST} characters`);
  }
  return inTurn(() => hash(password, parameters));
}

/** Compares a password with a hash. Throws `UNAVAILABLE` when too many are being hashed. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return inTurn(() => verify(passwordHash, password));
}

/**
 * Throws `UNAVAILABLE` when too many passwords are being hashed. Call it before any query, so that a flood of logins
 * does not reach the database.
 */
export const demandRoomToVerify = (): void => gate.demandRoom('');
