import { sql } from 'kysely';
import { conflict, invalid, notFound, preconditionFailed } from '../base/errors.js';
import { isId, newId } from '../base/ids.js';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { uniqueViolation } from '../db/errors.js';
import { transaction } from '../db/transaction.js';
import type { Destination } from './destination.js';
import type { Endpoint } from './endpoint.js';
import { getEndpoint } from './endpoint-queries.js';
import { createLanes, replaceLanes } from './lanes.js';
import { newSigningSecret, sealSecret } from './secrets.js';

export interface NewEndpoint {
  accountId: string;
  /** From `checkDestination`, with a password. */
  destination: Destination;
  /** 1 to 16; how many bodies may be on their way at once. */
  lanes?: number;
}

/**
 * Registers an endpoint: the account's movements are notified to it from now on. The signing secret is shown here only.
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
  const sealed = [sealSecret(ring, id, password), sealSecret(ring, id, signingSecret)];
  return transaction(db, async (trx) => {
    const inserted = await sql`
      insert into webhook_endpoints (id, account_id, url, username, password_sealed, secret_sealed, lane_count)
      select ${id}, account.id, ${url.href}, ${username}, ${sealed[0]}, ${sealed[1]}, ${lanes}::integer
      from accounts account where account.id = ${isId(accountId) ? accountId : null}::uuid and deleted_at is null
      for key share`
      .execute(trx)
      .catch(refuseTwin);
    if (inserted.numAffectedRows === 0n) throw invalid([{ field: 'userId', message: 'is not a user' }]);
    await createLanes(trx, id, lanes);
    return { endpoint: await getEndpoint(trx, id), signingSecret };
  });
}

export interface EndpointChange {
  /** From `checkDestination`; without a password, the endpoint keeps its own. */
  destination: Destination;
  /** Left out, they stay. A change takes effect once what waits now is delivered. */
  lanes?: number;
}

/** Replaces address and user name; bodies that wait go to the new address. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT. */
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
      .set({ url: url.href, username, version: sql`version + 1`, updated_at: sql`now()` })
      .$if(password !== undefined, (query) => query.set({ password_sealed: sealSecret(ring, id, password ?? '') }))
      .where('id', '=', id)
      .execute()
      .catch(refuseTwin);
    if (lanes !== undefined && lanes !== lane_count) await replaceLanes(trx, id, lanes);
    return getEndpoint(trx, id);
  });
}

/** Deletes an endpoint and its secrets; the sweep removes what waits for it. Throws NOT_FOUND, PRECONDITION_FAILED. */
export async function deleteEndpoint(db: Db, id: string, ifMatch?: readonly number[]): Promise<void> {
  const erased = Buffer.alloc(0);
  await transaction(db, async (trx) => {
    await lockEndpoint(trx, id, ifMatch);
    await trx
      .updateTable('webhook_endpoints')
      .set({ password_sealed: erased, secret_sealed: erased, previous_secret_sealed: null, deleted_at: sql`now()` })
      .where('id', '=', id)
      .execute();
  });
}

/**
 * Holds the endpoint's row against other changes and against enqueuers. Throws NOT_FOUND; PRECONDITION_FAILED when
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

function refuseTwin(error: unknown): never {
  if (uniqueViolation(error) !== 'webhook_endpoints_url_key') throw error;
  throw conflict('The user has an endpoint at this address already.', [{ field: 'url', message: 'is registered' }]);
}
