import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../db/connect.js';

const CHUNK = 5_000;

/** How the rows of a table follow each other, and the deletions of what is kept beside those in `chunk`: keys, and what was changed. */
interface Keyed {
  order: readonly string[];
  deletions: readonly RawBuilder<unknown>[];
}

const ofOrders = (table: 'package_answers' | 'address_changes' | 'package_returns') =>
  sql`delete from ${sql.table(table)} own using chunk where own.order_id = chunk.id`;

const keyed: Readonly<Record<string, Keyed>> = {
  orders: {
    order: ['id'],
    deletions: [
      sql`
        delete from order_external_ids key using chunk
        where (key.account_id, key.external_id, key.order_id) = (chunk.account_id, chunk.external_id, chunk.id)`,
      ofOrders('package_answers'),
      ofOrders('address_changes'),
      ofOrders('package_returns'),
    ],
  },
  packages: {
    order: ['loggi_key'],
    deletions: [
      sql`
        delete from package_codes key using chunk
        where (key.tracking_code, key.loggi_key) = (chunk.tracking_code, chunk.loggi_key)`,
    ],
  },
  movements: {
    order: ['loggi_key', 'id'],
    deletions: [
      sql`delete from movement_keys key using chunk where (key.id, key.loggi_key) = (chunk.id, chunk.loggi_key)`,
    ],
  },
};

/** Deletes what is kept beside the rows of a detached table, a bounded number in each statement; false when it was stopped before the end. */
export async function deleteKeysOf(
  db: Db,
  { table, detached }: { table: string; detached: string },
  stopped: () => boolean,
): Promise<boolean> {
  const { order, deletions } = keyed[table] ?? {};
  if (!order || !deletions) return true;
  const deleted = deletions.map((deletion, at) => sql`${sql.ref(`deleted_${at}`)} as (${deletion})`);
  const columns = sql.join(order.map((column) => sql.ref(column)));
  let last: string[] | undefined = order.map(() => NIL);
  while (last) {
    if (stopped()) return false;
    const { rows }: { rows: { last: string[] }[] } = await sql<{ last: string[] }>`
      with chunk as materialized (
        select * from ${sql.table(detached)} where (${columns}) > (${sql.join(last.map((id) => sql`${id}::uuid`))})
        order by ${columns} limit ${CHUNK}
      ), ${sql.join(deleted)}
      select array[${columns}]::text[] as last from chunk order by 1 desc limit 1`.execute(db);
    last = rows[0]?.last;
  }
  return true;
}
