import { type RawBuilder, sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../db/connect.js';

const CHUNK = 5_000;

/** How the rows of a table follow each other, and the deletion of the keys of those in `chunk`. */
interface Keyed {
  order: readonly string[];
  deletion: RawBuilder<unknown>;
}

const keyed: Readonly<Record<string, Keyed>> = {
  orders: {
    order: ['id'],
    deletion: sql`
      delete from order_external_ids key using chunk
      where (key.account_id, key.external_id, key.order_id) = (chunk.account_id, chunk.external_id, chunk.id)`,
  },
  packages: {
    order: ['loggi_key'],
    deletion: sql`
      delete from package_codes key using chunk
      where (key.tracking_code, key.loggi_key) = (chunk.tracking_code, chunk.loggi_key)`,
  },
  movements: {
    order: ['loggi_key', 'id'],
    deletion: sql`
      delete from movement_keys key using chunk where (key.id, key.loggi_key) = (chunk.id, chunk.loggi_key)`,
  },
};

/** Deletes the keys of the rows of a detached table, a bounded number in each statement; false when it was stopped before the end. */
export async function deleteKeysOf(
  db: Db,
  { table, detached }: { table: string; detached: string },
  stopped: () => boolean,
): Promise<boolean> {
  const { order, deletion } = keyed[table] ?? {};
  if (!order || !deletion) return true;
  const columns = sql.join(order.map((column) => sql.ref(column)));
  let last: string[] | undefined = order.map(() => NIL);
  while (last) {
    if (stopped()) return false;
    const { rows }: { rows: { last: string[] }[] } = await sql<{ last: string[] }>`
      with chunk as materialized (
        select * from ${sql.table(detached)} where (${columns}) > (${sql.join(last.map((id) => sql`${id}::uuid`))})
        order by ${columns} limit ${CHUNK}
      ), deleted as (${deletion})
      select array[${columns}]::text[] as last from chunk order by 1 desc limit 1`.execute(db);
    last = rows[0]?.last;
  }
  return true;
}
