import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { invalid, unavailable } from '../base/errors.js';
import { isText } from '../base/values.js';

const SHORTEST = 8;
const LONGEST = 128;

/** Argon2id, the library's default, as OWASP's password storage cheat sheet recommends: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Hashing runs on libuv's threads; half of the cores stay free for everything else, and a queue of 64 is worth about
// half a second.
const gate = createGate({ atOnce: Math.max(1, Math.floor(availableParallelism() / 2)), waiting: 64 });

/**
 * A hash for `accounts.password_hash`; belongs outside any transaction. Throws `VALIDATION_ERROR` on `password` unless it has 8 to
 * 128 characters that PostgreSQL and argon2 take unaltered, `UNAVAILABLE` when too many are being hashed.
 */
export async function hashPassword(password: string): Promise<string> {
  if (!isText(password)) throw invalid([{ field: 'password', message: 'must be valid Unicode text without NUL' }]);
  const characters = [...password].length;
  if (characters < SHORTEST || characters > LONGEST) {
    throw invalid([{ field: 'password', message: `must have ${SHORTEST} to ${LONGEST} characters` }]);
  }
  return gate.run(() => hash(password, parameters));
}

/** Whether the hash was made of the password. Throws `UNAVAILABLE` when too many are being hashed. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return gate.run(() => verify(passwordHash, password));
}

/** Throws `UNAVAILABLE` when too many passwords are being hashed to begin with another: before a flood costs the database anything. */
export const demandRoomToVerify = (): void => gate.demandRoom();

interface GateLimits {
  /** How many run at a time. */
  atOnce: number;
  /** How many may wait for their turn. */
  waiting: number;
}

/** Lets work run a few at a time, in order of arrival. */
interface Gate {
  /** Throws `UNAVAILABLE` at once when too many are waiting already. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Throws `UNAVAILABLE` when `run` would: for those who have other work to do before. */
  demandRoom(): void;
}

export function createGate({ atOnce, waiting }: GateLimits): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  const demandRoom = () => {
    if (running >= atOnce && queue.length >= waiting) throw unavailable();
  };
  const enter = () => {
    if (running >= atOnce) return new Promise<void>((resolve) => queue.push(resolve));
    running += 1;
    return undefined;
  };
  // A place that becomes free is handed on, so that nobody overtakes those who wait.
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  const run: Gate['run'] = async (work) => {
    demandRoom();
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { run, demandRoom };
}
