import { sql, type UpdateObject } from 'kysely';
import { conflict, invalidField, notFound, preconditionFailed, type ServiceError } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { uniqueViolation } from '../db/errors.js';
import { scalar } from '../db/one-row.js';
import type { Database } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { forgoCatchUps, oweOpenPackages } from './debts.js';
import type { Destination } from './destination.js';
import { type Endpoint, getEndpoint } from './endpoint-queries.js';
import { newKeyPair } from './key-pairs.js';
import { createLanes, replaceLanes, restartLanes } from './own-lanes.js';
import { newSigningSecret, sealSecret } from './secrets.js';

export interface NewEndpoint {
  accountId: string;
  /** Comes from `checkDestination`, with a password. */
  destination: Destination;
  /** Number of deliveries at the same time, 1 to 16. */
  lanes?: number;
  /** True to notify it of the newest movement of each open package, too. */
  catchUp?: boolean;
}

/**
 * Registers an endpoint. Only this answer shows the signing secret. Throws VALIDATION_ERROR, and CONFLICT if the
 * address is taken.
 */
export async function createEndpoint(
  db: Db,
  ring: KeyRing,
  { accountId, destination, lanes = 1, catchUp = false }: NewEndpoint,
): Promise<{ endpoint: Endpoint; signingSecret: string }> {
  const { url, username, password } = destination;
  if (password === undefined) throw invalidField('password', 'required', 'is required');
  const id = newId();
  const signingSecret = newSigningSecret();
  const { publicKey, privateKey } = newKeyPair();
  const sealed = [password, signingSecret, privateKey].map((secret) => sealSecret(ring, id, secret));
  return transaction(db, async (trx) => {
    const inserted = await sql`
      insert into webhook_endpoints
        (id, account_id, url, username, password_sealed, secret_sealed, private_key_sealed, public_key, lane_count)
      select ${id}, account.id, ${url.href}, ${username}, ${sql.join(sealed)}, ${publicKey}, ${lanes}::integer
      from accounts account where account.id = ${isId(accountId) ? accountId : null}::uuid and deleted_at is null
      for key share`
      .execute(trx)
      .catch(rethrowDuplicate);
    if (inserted.numAffectedRows === 0n) throw invalidField('userId', 'not_found', 'is not a user');
    await createLanes(trx, id, lanes);
    if (catchUp) await oweOpenPackages(trx, id);
    return { endpoint: await getEndpoint(trx, id), signingSecret };
  });
}

/**
 * Changes an endpoint. Waiting deliveries go to the new address. Without a password or lanes, it keeps its own. Other
 * lanes take effect after the waiting deliveries. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT.
 */
export function updateEndpoint(
  db: Db,
  ring: KeyRing,
  id: string,
  { destination, lanes }: { destination: Destination; lanes?: number },
  ifMatch?: readonly number[],
): Promise<Endpoint> {
  const { url, username, password } = destination;
  const sealed = password === undefined ? {} : { password_sealed: sealSecret(ring, id, password) };
  return underLock(db, id, ifMatch, async (trx, { lane_count }) => {
    await change(trx, id, { url: url.href, username, ...sealed }).catch(rethrowDuplicate);
    if (lanes !== undefined && lanes !== lane_count) await replaceLanes(trx, id, lanes);
    return getEndpoint(trx, id);
  });
}

export interface EnableOptions {
  /** True to notify it of packages that moved while it was disabled. */
  catchUp?: boolean;
  /** True if the account enables it. An endpoint that the operator disabled is then refused. */
  isOwners?: boolean;
}

/**
 * Enables an endpoint. Waiting lanes are due at once, with a fresh schedule. Unless `catchUp` is false, workers check
 * the packages that moved while it was disabled (src/queue/catch-ups.ts). Throws NOT_FOUND, CONFLICT.
 * Model: Lanes!Enable (lab/models)
 */
export function enableEndpoint(
  db: Db,
  id: string,
  { catchUp = true, isOwners = false }: EnableOptions = {},
): Promise<Endpoint> {
  return underLock(db, id, undefined, async (trx, { disabled_at, disabled_reason }) => {
    if (isOwners && disabled_reason === 'operator') throw endpointHeld();
    if (disabled_at) {
      await change(trx, id, { disabled_at: null, disabled_reason: null, failing_since: null });
      await restartLanes(trx, id);
      if (!catchUp) await forgoCatchUps(trx, id);
    }
    return getEndpoint(trx, id);
  });
}

/**
 * Disables an endpoint. Nothing more is sent. When it is enabled again, it is notified of the movements meanwhile.
 * Throws NOT_FOUND. Model: Lanes!Disable (lab/models)
 */
export function disableEndpoint(db: Db, id: string): Promise<Endpoint> {
  return underLock(db, id, undefined, async (trx, { disabled_at }) => {
    if (!disabled_at) await change(trx, id, { disabled_at: sql`now()`, disabled_reason: 'operator' });
    return getEndpoint(trx, id);
  });
}

/** Hours for which the previous secret or key pair is still used after a rotation. */
export const OVERLAP_HOURS = 24;

const overlapEnd = sql<Date>`now() + make_interval(hours => ${OVERLAP_HOURS})`;

/**
 * Makes a new signing key, which only this answer shows. The previous one is used for OVERLAP_HOURS. Throws NOT_FOUND.
 */
export async function rotateSigningSecret(db: Db, ring: KeyRing, id: string) {
  const signingSecret = newSigningSecret();
  const previousValidUntil = await rotate(db, id, {
    previous_secret_sealed: sql<Buffer>`secret_sealed`,
    previous_secret_until: overlapEnd,
    secret_sealed: sealSecret(ring, id, signingSecret),
  });
  return { signingSecret, previousValidUntil };
}

/** Makes a new key pair; the previous one is used and published for OVERLAP_HOURS. Throws NOT_FOUND. */
export async function rotateKeyPair(db: Db, ring: KeyRing, id: string) {
  const { publicKey, privateKey } = newKeyPair();
  const previousValidUntil = await rotate(db, id, {
    previous_public_key: sql<string | null>`public_key`,
    previous_private_key_sealed: sql<Buffer | null>`private_key_sealed`,
    previous_key_until: overlapEnd,
    public_key: publicKey,
    private_key_sealed: sealSecret(ring, id, privateKey),
  });
  return { publicKey, previousValidUntil };
}

type Changes = UpdateObject<Database, 'webhook_endpoints'>;

const rotate = (db: Db, id: string, keys: Changes): Promise<Date> =>
  underLock(db, id, undefined, async (trx) => {
    await change(trx, id, keys);
    return scalar(trx, overlapEnd);
  });

/**
 * Deletes an endpoint and its secrets. Upkeep removes its waiting notifications. Throws NOT_FOUND, PRECONDITION_FAILED.
 */
export async function deleteEndpoint(db: Db, id: string, ifMatch?: readonly number[]): Promise<void> {
  await underLock(db, id, ifMatch, async (trx) => {
    await eraseRows(trx, 'webhook_endpoints', 'endpoint', sql`id = ${id}`);
    await trx.updateTable('webhook_endpoints').set({ deleted_at: sql`now()` }).where('id', '=', id).execute();
    await trx.deleteFrom('webhook_catch_ups').where('endpoint_id', '=', id).execute();
    await trx.deleteFrom('endpoint_budgets').where('endpoint_id', '=', id).execute();
  });
}

function underLock<T>(
  db: Db,
  id: string,
  ifMatch: readonly number[] | undefined,
  work: (trx: Db, endpoint: Awaited<ReturnType<typeof lockEndpoint>>) => Promise<T>,
): Promise<T> {
  return transaction(db, async (trx) => work(trx, await lockEndpoint(trx, id, ifMatch)));
}

async function change(trx: Db, id: string, changes: Changes): Promise<void> {
  const update = trx.updateTable('webhook_endpoints').set({ ...changes, ...nextVersion });
  await update.where('id', '=', id).execute();
}

/** Locks the endpoint's row. Throws NOT_FOUND, and PRECONDITION_FAILED if `ifMatch` does not contain its version. */
export async function lockEndpoint(db: Db, id: string, ifMatch?: readonly number[]) {
  if (!isId(id)) throw notFound('webhook endpoint');
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('webhook endpoint'));
  if (ifMatch && !ifMatch.includes(row.version)) throw preconditionFailed();
  return row;
}

const endpointHeld = (): ServiceError =>
  conflict('endpoint_held', 'The operator disabled the endpoint; ask the carrier to enable it.');

export const endpointDisabled = (): ServiceError =>
  conflict('endpoint_disabled', 'The endpoint is disabled; enable it first.');

function rethrowDuplicate(error: unknown): never {
  if (uniqueViolation(error) !== 'webhook_endpoints_url_key') throw error;
  throw conflict('url_taken', 'The user has an endpoint at this address already.', {
    details: [{ field: 'url', code: 'taken', message: 'is registered' }],
  });
}
