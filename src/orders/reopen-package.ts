import { sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { conflict, notFound } from '../base/errors.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { transaction } from '../db/transaction.js';
import { getPackage } from '../packages/queries.js';
import { reopen } from '../packages/reopening.js';
import { retakeKey } from './fiscal-documents.js';
import { lockOrder } from './lock-order.js';
import { refreshOrders } from './record-movements.js';
import { isCancelledOrder } from './returns.js';

interface ReopeningInput {
  reason: string;
  traceparent?: TraceParent | undefined;
}

/**
 * Takes back a final status of a package that was recorded by mistake. The order's status follows; its price stays.
 * Throws NOT_FOUND. Throws CONFLICT if the status is not final or too old, or if the package is being returned. Also if
 * its recipient was erased, or another order has taken its fiscal key.
 * Model: Movements!Reopen (lab/models)
 */
export function reopenPackage(
  db: Db,
  actor: Actor,
  key: string,
  { reason, traceparent }: ReopeningInput,
): Promise<void> {
  return transaction(db, async (trx) => {
    const named = await getPackage(trx, actor, key);
    if (!named) throw notFound('package');
    const { loggiKey, orderId, accountId } = named;
    await lockOrder(trx, actor, orderId);
    await demandNotErased(trx, orderId);
    const current = await getPackage(trx, actor, loggiKey);
    const returnedBy = current?.returnedBy;
    if (returnedBy && !(await isCancelledOrder(trx, returnedBy)))
      throw conflict('return_exists', 'The package is being returned: cancel its return first.');
    await reopen(trx, actor, { loggiKey, orderId, accountId, reason, traceparent });
    await refreshOrders(trx, [orderId]);
    if (current?.fiscalDocument?.key) await retakeKey(trx, { accountId, orderId }, current.fiscalDocument.key);
  });
}

async function demandNotErased(trx: Db, orderId: string): Promise<void> {
  const { rows } = await sql<{ isErased: boolean }>`
    select recipients_erased_at is not null as "isErased" from orders
    where id = ${orderId} and ${inPartitionsOf('id', [orderId])}`.execute(trx);
  if (rows[0]?.isErased) throw conflict('package_erased', 'The data of the recipient was erased.');
}
