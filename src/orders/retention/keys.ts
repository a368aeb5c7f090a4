import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../db/connect.js';

/** The sort order of a table's rows, and the statements that delete rows elsewhere with the keys of a chunk. */
interface Keyed {
  order: readonly string[];
  chunk: number;
  deletions: readonly RawBuilder<unknown>[];
}

const keyed: Readonly<Record<string, Keyed>> = {
  orders: {
    order: ['id'],
    chunk: 5_000,
    deletions: [
      sql`
      delete from order_external_ids key using chunk
      where (key.account_id, key.external_id, key.order_id) = (chunk.account_id, chunk.external_id, chunk.id)`,
      // An order with a lost package still holds its fiscal keys.
      sql`
      delete from fiscal_keys key using chunk
      where chunk.status not in ('completed', 'cancelled') and key.order_ids @> array[chunk.id] and cardinality(key.order_ids) = 1`,
      sql`
      update fiscal_keys key set order_ids = array_remove(key.order_ids, chunk.id) from chunk
      where chunk.status not in ('completed', 'cancelled') and key.order_ids @> array[chunk.id] and cardinality(key.order_ids) > 1`,
      ...['package_answers', 'address_changes', 'package_returns', 'package_reopenings'].map(
        (table) => sql`delete from ${sql.table(table)} part using chunk where part.order_id = chunk.id`,
      ),
    ],
  },
  packages: {
    order: ['loggi_key'],
    // A package may have two pictures of a mebibyte each.
    chunk: 500,
    deletions: [
      sql`
      delete from package_codes key using chunk
      where (key.tracking_code, key.loggi_key) = (chunk.tracking_code, chunk.loggi_key)`,
      ...['delivery_proofs', 'delivery_pictures', 'delivery_pins', 'collection_packages'].map(
        (table) => sql`delete from ${sql.table(table)} part using chunk where part.loggi_key = chunk.loggi_key`,
      ),
    ],
  },
  movements: {
    order: ['loggi_key', 'id'],
    chunk: 5_000,
    deletions: [
      sql`
      delete from movement_keys key using chunk where (key.id, key.loggi_key) = (chunk.id, chunk.loggi_key)`,
    ],
  },
};

/** Deletes the keys of the rows of a detached table, chunk by chunk. Resolves to false if it was stopped early. */
export async function deleteKeysOf(
  db: Db,
  { table, detached }: { table: string; detached: string },
  stopped: () => boolean,
): Promise<boolean> {
  const keys = keyed[table];
  if (!keys) return true;
  const { order, chunk, deletions } = keys;
  const columns = sql.join(order.map((column) => sql.ref(column)));
  let last: string[] | undefined = order.map(() => NIL);
  while (last) {
    if (stopped()) return false;
    const { rows }: { rows: { last: string[] }[] } = await sql<{ last: string[] }>`
      with chunk as materialized (
        select * from ${sql.table(detached)} where (${columns}) > (${sql.join(last.map((id) => sql`${id}::uuid`))})
        order by ${columns} limit ${chunk}
      ), ${sql.join(deletions.map((deletion, at) => sql`${sql.ref(`deleted_${at}`)} as (${deletion})`))}
      select array[${columns}]::text[] as last from chunk order by 1 desc limit 1`.execute(db);
    last = rows[0]?.last;
  }
  return true;
}
