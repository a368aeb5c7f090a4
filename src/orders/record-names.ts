import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';

/** The name that people use for a record. */
export interface RecordName {
  id: string;
  kind: 'user' | 'order' | 'package' | 'webhook_endpoint' | 'operator_key';
  name: string;
  email: string | null;
}

/** Finds the names of the records with these ids, also of deleted ones. Leaves out an id without a record. */
export async function recordNames(db: Db, ids: readonly string[]): Promise<RecordName[]> {
  const isOne = sql`= any(${ids}::uuid[])`;
  const { rows } = await sql<RecordName>`
    select id, 'user' as kind, name, email from accounts where id ${isOne}
    union all select id, 'webhook_endpoint', url, null from webhook_endpoints where id ${isOne}
    union all select id, 'operator_key', name, null from operator_keys where id ${isOne}
    union all select loggi_key, 'package', tracking_code, null from packages
      where loggi_key ${isOne} and ${inPartitionsOf('loggi_key', ids)}
    union all select o.id, 'order', coalesce(o.external_id, (
        select p.tracking_code from packages p where p.order_id = o.id and ${inPartitionsOf('p.loggi_key', ids)}
        order by p.position limit 1), ''), null
      from orders o where o.id ${isOne} and ${inPartitionsOf('o.id', ids)}`.execute(db);
  return rows;
}
