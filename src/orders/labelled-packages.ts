import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { near } from '../db/near.js';
import type { Package } from '../packages/package.js';
import type { Address } from '../packages/stop.js';

export interface LabelledPackage {
  labelled: Package;
  sender: Address & { name: string };
}

interface LabelFacts {
  senderName: string;
  pickups: { address: string; complement: string | null }[];
  cancelled: string[];
  erased: boolean;
}

/** Leaves out cancelled packages. Throws CONFLICT when none is left, or the order's recipients were erased. */
export async function labelledPackages(db: Db, orderId: string, packages: readonly Package[]) {
  const { senderName, pickups, cancelled, erased } = await labelFactsOf(db, orderId);
  if (erased) throw conflict('The personal data of the recipients was erased: there is nothing to print on a label.');
  const labelled = packages.filter(({ loggiKey }) => !cancelled.includes(loggiKey));
  if (labelled.length === 0) throw conflict('What is cancelled gets no label.');
  return labelled.map((each): LabelledPackage => {
    const { address = '', complement } = pickups[each.pickupIndex] ?? {};
    return { labelled: each, sender: { name: senderName, address, ...(complement ? { complement } : {}) } };
  });
}

async function labelFactsOf(db: Db, orderId: string): Promise<LabelFacts> {
  const { rows } = await sql<LabelFacts>`
    select
      a.name as "senderName", o.recipients_erased_at is not null as erased,
      (select json_agg(json_build_object('address', u.address, 'complement', u.complement) order by u.position) from pickups u
        where u.order_id = o.id and ${near('u.order_id', [orderId])}) as pickups,
      (select coalesce(json_agg(p.loggi_key), '[]') from packages p join package_statuses s on s.code = p.status_code
        where p.order_id = o.id and ${near('p.loggi_key', [orderId])} and s.stage = 'cancelled') as cancelled
    from orders o join accounts a on a.id = o.account_id
    where o.id = ${orderId} and ${near('o.id', [orderId])}`.execute(db);
  const [facts] = rows;
  if (!facts) throw new Error('an order is gone while its packages are there');
  return facts;
}
