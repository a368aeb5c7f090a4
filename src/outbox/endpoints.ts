import { sql } from 'kysely';
import { conflict, invalid, notFound, preconditionFailed, type ServiceError } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { KeyRing } from '../base/keys.js';
import { nextVersion } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { uniqueViolation } from '../db/errors.js';
import { transaction } from '../db/transaction.js';
import type { Destination } from './destination.js';
import { type Endpoint, getEndpoint } from './endpoint-queries.js';
import { newKeyPair } from './key-pairs.js';
import { createLanes, replaceLanes } from './lanes.js';
import { newSigningSecret, sealSecret } from './secrets.js';

interface NewEndpoint {
  accountId: string;
  /** From `checkDestination`, with a password. */
  destination: Destination;
  /** 1 to 16: how many deliveries may be under way at once. */
  lanes?: number;
}

/**
 * Registers an endpoint: from now on the account's movements are notified to it. The signing secret is shown here only.
 * Throws VALIDATION_ERROR (no such account, no password), CONFLICT (the account has an endpoint at this address).
 */
export async function createEndpoint(
  db: Db,
  ring: KeyRing,
  { accountId, destination, lanes = 1 }: NewEndpoint,
): Promise<{ endpoint: Endpoint; signingSecret: string }> {
  const { url, username, password } = destination;
  if (password === undefined) throw invalid([{ field: 'password', message: 'is required' }]);
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
    if (inserted.numAffectedRows === 0n) throw invalid([{ field: 'userId', message: 'is not a user' }]);
    await createLanes(trx, id, lanes);
    return { endpoint: await getEndpoint(trx, id), signingSecret };
  });
}

interface EndpointChange {
  /** From `checkDestination`; without a password, the endpoint keeps its own. */
  destination: Destination;
  /** Left out, they stay. A change takes effect once what waits now is delivered. */
  lanes?: number;
}

/** Replaces address and user name; deliveries that wait go to the new address. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT. */
export async function updateEndpoint(
  db: Db,
  ring: KeyRing,
  id: string,
  { destination, lanes }: EndpointChange,
  ifMatch?: readonly number[],
): Promise<Endpoint> {
  const { url, username, password } = destination;
  return transaction(db, async (trx) => {
    const { lane_count } = await lockEndpoint(trx, id, ifMatch);
    await trx
      .updateTable('webhook_endpoints')
      .set({ url: url.href, username, ...nextVersion })
      .$if(password !== undefined, (query) => query.set({ password_sealed: sealSecret(ring, id, password ?? '') }))
      .where('id', '=', id)
      .execute()
      .catch(rethrowDuplicate);
    if (lanes !== undefined && lanes !== lane_count) await replaceLanes(trx, id, lanes);
    return getEndpoint(trx, id);
  });
}

/** Sends again what waits: its lanes are due at once, on a fresh schedule. Changes nothing when it is active. Throws NOT_FOUND. */
export async function enableEndpoint(db: Db, id: string): Promise<Endpoint> {
  return transaction(db, async (trx) => {
    const { disabled_at } = await lockEndpoint(trx, id);
    if (disabled_at) {
      await trx
        .updateTable('webhook_endpoints')
        .set({ disabled_at: null, disabled_reason: null, failing_since: null, ...nextVersion })
        .where('id', '=', id)
        .execute();
      await restartLanes(trx, id);
    }
    return getEndpoint(trx, id);
  });
}

async function restartLanes(db: Db, endpointId: string): Promise<void> {
  await sql`
    with restarted as (
      update webhook_lanes lane set state = 'ready', due_at = clock_timestamp(), attempt = 0 from webhook_lanes before
      where lane.endpoint_id = ${endpointId} and lane.state in ('stopped', 'waiting') and before.id = lane.id
      returning lane.webhook_id, before.attempt
    )
    update webhook_deliveries delivery set attempts_before = attempts_before + attempt
    from restarted where delivery.webhook_id = restarted.webhook_id`.execute(db);
}

/**
 * Sends nothing more until it is enabled; what waits is kept, and movements recorded meanwhile are not notified. A request
 * under way is not interrupted. The lanes are stopped when they are next claimed. Changes nothing when it is disabled.
 * Throws NOT_FOUND.
 */
export async function disableEndpoint(db: Db, id: string): Promise<Endpoint> {
  return transaction(db, async (trx) => {
    const { disabled_at } = await lockEndpoint(trx, id);
    if (!disabled_at) {
      await trx
        .updateTable('webhook_endpoints')
        .set({ disabled_at: sql`now()`, disabled_reason: 'operator', ...nextVersion })
        .where('id', '=', id)
        .execute();
    }
    return getEndpoint(trx, id);
  });
}

const overlapEnd = sql<Date>`now() + interval '24 hours'`;

interface RotatedSecret {
  signingSecret: string;
  /** Until then each delivery is signed with the previous key too. */
  previousValidUntil: Date;
}

/** A new signing key, shown here only; the previous one is used beside it for another day. Throws NOT_FOUND. */
export async function rotateSigningSecret(db: Db, ring: KeyRing, id: string): Promise<RotatedSecret> {
  const signingSecret = newSigningSecret();
  return transaction(db, async (trx) => {
    await lockEndpoint(trx, id);
    const { previous_secret_until } = await trx
      .updateTable('webhook_endpoints')
      .set(({ ref }) => ({
        previous_secret_sealed: ref('secret_sealed'),
        previous_secret_until: overlapEnd,
        secret_sealed: sealSecret(ring, id, signingSecret),
        ...nextVersion,
      }))
      .where('id', '=', id)
      .returning(sql<Date>`previous_secret_until`.as('previous_secret_until'))
      .executeTakeFirstOrThrow();
    return { signingSecret, previousValidUntil: previous_secret_until };
  });
}

interface RotatedKeyPair {
  publicKey: string;
  /** Until then each delivery is signed with the previous private key too, and its public key is published. */
  previousValidUntil: Date;
}

/** A new key pair; the previous one is used beside it for another day. Throws NOT_FOUND. */
export async function rotateKeyPair(db: Db, ring: KeyRing, id: string): Promise<RotatedKeyPair> {
  const { publicKey, privateKey } = newKeyPair();
  return transaction(db, async (trx) => {
    await lockEndpoint(trx, id);
    const { previous_key_until } = await trx
      .updateTable('webhook_endpoints')
      .set(({ ref }) => ({
        previous_public_key: ref('public_key'),
        previous_private_key_sealed: ref('private_key_sealed'),
        previous_key_until: overlapEnd,
        public_key: publicKey,
        private_key_sealed: sealSecret(ring, id, privateKey),
        ...nextVersion,
      }))
      .where('id', '=', id)
      .returning(sql<Date>`previous_key_until`.as('previous_key_until'))
      .executeTakeFirstOrThrow();
    return { publicKey, previousValidUntil: previous_key_until };
  });
}

/** Deletes an endpoint and its secrets; the workers' upkeep removes what waits for it. Throws NOT_FOUND, PRECONDITION_FAILED. */
export async function deleteEndpoint(db: Db, id: string, ifMatch?: readonly number[]): Promise<void> {
  await transaction(db, async (trx) => {
    await lockEndpoint(trx, id, ifMatch);
    await eraseRows(trx, 'webhook_endpoints', 'endpoint', sql`id = ${id}`);
    await trx.updateTable('webhook_endpoints').set({ deleted_at: sql`now()` }).where('id', '=', id).execute();
  });
}

/**
 * Locks the endpoint's row against other changes and against enqueuers. Throws NOT_FOUND; PRECONDITION_FAILED when
 * `ifMatch` is given and does not name its version.
 */
export async function lockEndpoint(db: Db, id: string, ifMatch?: readonly number[]) {
  if (!isId(id)) throw notFound('webhook endpoint');
  const row = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw notFound('webhook endpoint');
  if (ifMatch && !ifMatch.includes(row.version)) throw preconditionFailed();
  return row;
}

/** The CONFLICT of whatever sends to an endpoint that is disabled. */
export const endpointDisabled = (): ServiceError => conflict('The endpoint is disabled; enable it first.');

function rethrowDuplicate(error: unknown): never {
  if (uniqueViolation(error) !== 'webhook_endpoints_url_key') throw error;
  throw conflict('The user has an endpoint at this address already.', [{ field: 'url', message: 'is registered' }]);
}
