import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { OrderStatus } from '../db/tables.js';
import { deriveStatus } from './derive-status.js';

/**
 * Brings orders up to date with their packages, whose movements the transaction has just recorded: status, version and time of
 * change. Orders are locked in the order of their ids, after the packages. The stages are read by a statement after the
 * lock's, so that they hold what another transaction committed while this one waited.
 */
export async function refreshOrders(trx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`select id from orders where id = any(${ids}::uuid[]) order by id for no key update`.execute(trx);
  const { rows } = await sql<{ id: string; stages: OrderStatus[] }>`
    select p.order_id as id, array_agg(distinct s.stage) as stages
    from packages p join package_statuses s on s.code = p.status_code
    where p.order_id = any(${ids}::uuid[])
    group by p.order_id`.execute(trx);
  const statuses = rows.map(({ id, stages }) => ({ id, status: deriveStatus(stages) }));
  await sql`
    update orders set status = derived.status, version = version + 1, updated_at = clock_timestamp()
    from json_to_recordset(${JSON.stringify(statuses)}::json) as derived(id uuid, status text)
    where orders.id = derived.id`.execute(trx);
}
