import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalidField } from '../base/errors.js';
import { createGate } from '../base/turns/queue.js';
import { isText } from '../base/values.js';

const SHORTEST = 8;
const LONGEST = 128;

/** Argon2id, the library's default, as OWASP's password storage cheat sheet recommends: 19 MiB, two passes. */
const recommended = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
let parameters = recommended;

export type PasswordCost = typeof recommended;

/** Sets what every later hash of this process costs: no setting, only a test's override of `createApp` lowers it. */
export function usePasswordCost(cost: PasswordCost = recommended): void {
  parameters = cost;
}

// Hashing runs on libuv's threads; half of the cores stay free, and a queue of 64 is worth about half a second.
const atOnce = Math.max(1, Math.floor(availableParallelism() / 2));
const gate = createGate({ atOnce, atOnceOfOwner: atOnce, maxWaiting: 64 });
const inTurn = <T>(work: () => Promise<T>): Promise<T> => gate.pass('', undefined, work);

/**
 * A hash for `accounts.password_hash`; belongs outside any transaction. Throws `VALIDATION_ERROR` on `password` unless
 * it has 8 to 128 characters that PostgreSQL and argon2 take unaltered, `UNAVAILABLE` when too many are being hashed.
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

/** Throws `UNAVAILABLE` when too many are being hashed. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return inTurn(() => verify(passwordHash, password));
}

/** Throws `UNAVAILABLE` when too many passwords are being hashed, before a flood costs the database anything. */
export const demandRoomToVerify = (): void => gate.demandRoom('');
