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

// Maximum time for which a revoked key still works.
const FRESH_MS = 500;
// Bounds the memory. Many unknown keys push known keys out, which are then read again.
const MAX_READS = 1_000;

/**
 * Authenticates a request to the operator's interface by a bearer token or an operator key. Tokens of named API keys
 * are refused, as they are for REST.
 */
export function operatorAuthentication({ identity, ...options }: OperatorKeyCheckOptions & { identity: Identity }) {
  const actorOfKey = createOperatorKeyCheck(options);
  return async (token: string): Promise<Actor | undefined> => {
    if (looksLikeOperatorKey(token)) return actorOfKey(token);
    const actor = await identity.actorOfToken(token);
    return actor?.apiKey ? undefined : actor;
  };
}

/** Checks operator keys. One read serves half a second, so a revoked key soon ends on every replica. */
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

  /** Finds the operator of this key. Undefined if the key is not valid now. */
  return async (secret: string): Promise<Actor | undefined> => {
    const key = await sharedRead(hashOfSecret(secret));
    if (!key || !isInForce(key)) return undefined;
    const { id, scope, withFactor } = key;
    return { accountId: key.createdBy, role: 'operator', key: { id, scope }, withFactor };
  };
}

/** True if the last use was noted over a minute ago, or never. */
const useIsDue = sql<boolean>`coalesce(last_used_at < now() - interval '1 minute', true)`;

const storedKey = (db: Db, hash: Buffer) =>
  db
    .selectFrom('operator_keys')
    .select(['id', 'scope', 'created_by as createdBy', 'expires_at as expiresAt', 'revoked_at as revokedAt'])
    .select('with_factor as withFactor')
    .select(useIsDue.as('isUseDue'))
    .where('hash', '=', hash)
    .executeTakeFirst();

/** Notes a use of the key: at most once a minute over all replicas. */
const noteUse = (db: Db, id: string) =>
  sql`update operator_keys set last_used_at = now() where id = ${id} and ${useIsDue}`.execute(db);
