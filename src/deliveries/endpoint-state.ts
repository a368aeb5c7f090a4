import { sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import type { Endpoint } from './endpoint.js';
import { getEndpoint } from './endpoint-queries.js';
import { lockEndpoint } from './endpoints.js';
import { newSigningSecret, sealSecret } from './secrets.js';

/** Sends again what waits: its lanes are due at once, on a fresh schedule. Changes nothing when it is active. Throws NOT_FOUND. */
export async function enableEndpoint(db: Db, id: string): Promise<Endpoint> {
  return transaction(db, async (trx) => {
    const { disabled_at } = await lockEndpoint(trx, id);
    if (disabled_at) {
      await trx
        .updateTable('webhook_endpoints')
        .set({ disabled_at: null, disabled_reason: null, failing_since: null, ...changed })
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
 * Sends nothing more until it is enabled; what waits is kept, movements recorded meanwhile are not notified. A request
 * under way ends by itself. The lanes are stopped when they are next claimed. Changes nothing when it is disabled.
 * Throws NOT_FOUND.
 */
export async function disableEndpoint(db: Db, id: string): Promise<Endpoint> {
  return transaction(db, async (trx) => {
    const { disabled_at } = await lockEndpoint(trx, id);
    if (!disabled_at) {
      await trx
        .updateTable('webhook_endpoints')
        .set({ disabled_at: sql`now()`, disabled_reason: 'operator', ...changed })
        .where('id', '=', id)
        .execute();
    }
    return getEndpoint(trx, id);
  });
}

export interface RotatedSecret {
  signingSecret: string;
  /** Until then each body is signed by the key before it too. */
  previousValidUntil: Date;
}

/** A new signing key, shown here only; the one before it goes on being used beside it for a day. Throws NOT_FOUND. */
export async function rotateSigningSecret(db: Db, ring: KeyRing, id: string): Promise<RotatedSecret> {
  const signingSecret = newSigningSecret();
  return transaction(db, async (trx) => {
    await lockEndpoint(trx, id);
    const { previous_secret_until } = await trx
      .updateTable('webhook_endpoints')
      .set(({ ref }) => ({
        previous_secret_sealed: ref('secret_sealed'),
        previous_secret_until: sql<Date>`now() + interval '24 hours'`,
        secret_sealed: sealSecret(ring, id, signingSecret),
        ...changed,
      }))
      .where('id', '=', id)
      .returning(sql<Date>`previous_secret_until`.as('previous_secret_until'))
      .executeTakeFirstOrThrow();
    return { signingSecret, previousValidUntil: previous_secret_until };
  });
}

const changed = { version: sql<number>`version + 1`, updated_at: sql<Date>`now()` };
