import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import type { Identity } from './identity.js';
import { looksLikeOperatorKey } from './operator-keys.js';
import { hashOfSecret } from './secrets.js';

interface OperatorKeyCheckOptions {
  db: Db;
  log: Logger;
  clock: Clock;
}

type StoredKey = NonNullable<Awaited<ReturnType<typeof storedKey>>>;

/** A read that began at `startedAt` (monotonic milliseconds). */
interface Read {
  startedAt: number;
  key: Promise<StoredKey | undefined>;
}

// A key that was revoked is let in for no longer than this.
const FRESH_MS = 500;
// Bounds the memory: a client that sends unknown keys pushes others out, which are then read again.
const MAX_READS = 1_000;

/**
 * Authenticates requests to the operator's interface, by a bearer token or an operator key in its place. The tokens of
 * API keys are for another audience.
 */
export function operatorAuthentication({ identity, ...options }: OperatorKeyCheckOptions & { identity: Identity }) {
  const actorOfKey = createOperatorKeyCheck(options);
  return async (token: string): Promise<Actor | undefined> => {
    if (looksLikeOperatorKey(token)) return actorOfKey(token);
    const actor = await identity.actorOfToken(token);
    return actor?.apiKey ? undefined : actor;
  };
}

/** Judges operator keys by one read each half second, so that a revoked key ends on every replica without a poll. */
function createOperatorKeyCheck({ db, log, clock }: OperatorKeyCheckOptions) {
  const reads = new LRUCache<string, Read>({ max: MAX_READS });

  const read = async (hash: Buffer): Promise<StoredKey | undefined> => {
    const key = await storedKey(db, hash);
    if (key?.isUseDue && isInForce(key)) {
      noteUse(db, key.id).catch((err: unknown) => log.warn({ err }, 'operator_keys.use_not_noted'));
    }
    return key;
  };

  const sharedRead = (hash: Buffer): Promise<StoredKey | undefined> => {
    const name = hash.toString('base64');
    const startedAt = performance.now();
    const recent = reads.get(name);
    if (recent && startedAt - recent.startedAt < FRESH_MS) return recent.key;
    const key = read(hash);
    reads.set(name, { startedAt, key });
    return key;
  };

  const isInForce = ({ expiresAt, revokedAt }: StoredKey): boolean =>
    revokedAt === null && (expiresAt === null || expiresAt > clock());

  /** The operator whose key this is; undefined when it is not valid now. */
  return async (secret: string): Promise<Actor | undefined> => {
    const key = await sharedRead(hashOfSecret(secret));
    if (!key || !isInForce(key)) return undefined;
    const { id, scope, withFactor } = key;
    return { accountId: key.createdBy, role: 'operator', key: { id, scope }, withFactor };
  };
}

/** The last use was noted over a minute ago, or never. */
const useIsDue = sql<boolean>`coalesce(last_used_at < now() - interval '1 minute', true)`;

const storedKey = (db: Db, hash: Buffer) =>
  db
    .selectFrom('operator_keys')
    .select(['id', 'scope', 'created_by as createdBy', 'expires_at as expiresAt', 'revoked_at as revokedAt'])
    .select('with_factor as withFactor')
    .select(useIsDue.as('isUseDue'))
    .where('hash', '=', hash)
    .executeTakeFirst();

/** Writes at most once a minute, whichever replica gets there first. */
const noteUse = (db: Db, id: string) =>
  sql`update operator_keys set last_used_at = now() where id = ${id} and ${useIsDue}`.execute(db);
