import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import type { OrderStatus } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { movePackages, type PackagesMoved } from '../packages/move-packages.js';
import type { NewMovement } from '../packages/movement.js';

/**
 * Records movements with their notifications and their effect on orders. Outcomes are in the order of the items; a
 * refused item does not stop the others. `lockTimeoutMs` has the meaning of `movePackages`.
 * Model: Movements!Commit (lab/models)
 */
export function recordMovements(db: Db, items: readonly NewMovement[], lockTimeoutMs?: number): Promise<PackagesMoved> {
  return transaction(db, async (trx) => {
    const result = await movePackages(trx, items, lockTimeoutMs);
    await refreshOrders(trx, result.orderIds);
    return result;
  });
}

/**
 * Derives the statuses of orders from their packages. If a lost package was found, its order is under way again, and
 * later data of its recipient is erased again. The stages are read after the locks, so they include the commits of
 * other transactions.
 * Model: Movements!LockOrder, Movements!Derive (lab/models)
 */
export async function refreshOrders(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    select id from orders where id = any(${ids}::uuid[]) and ${inPartitionsOf('id', ids)}
    order by id for no key update`.execute(trx);
  const { rows } = await sql<{ id: string; stages: OrderStatus[] }>`
    select p.order_id as id, array_agg(distinct s.stage) as stages
    from packages p join package_statuses s on s.code = p.status_code
    where p.order_id = any(${ids}::uuid[]) and ${inPartitionsOf('p.loggi_key', ids)}
    group by p.order_id`.execute(trx);
  const statuses = rows.map(({ id, stages }) => ({ id, status: deriveStatus(stages) }));
  await sql`
    update orders set status = derived.status, recipients_erased_at = null, version = version + 1, updated_at = clock_timestamp()
    from json_to_recordset(${JSON.stringify(statuses)}::json) as derived(id uuid, status text)
    where orders.id = any(${ids}::uuid[]) and orders.id = derived.id and ${inPartitionsOf('orders.id', ids)}`.execute(
    trx,
  );
}

/** Derives an order's status from the stages of its packages (contracts/guides/behaviour.md#orders-packages-states). */
export function deriveStatus(stages: readonly OrderStatus[]): OrderStatus {
  const countedStages = stages.filter((stage) => stage !== 'cancelled');
  if (countedStages.length === 0) return 'cancelled';
  if (countedStages.every((stage) => stage === 'completed')) return 'completed';
  if (countedStages.includes('out_for_delivery')) return 'out_for_delivery';
  return countedStages.every((stage) => stage === 'created') ? 'created' : 'processing';
}
