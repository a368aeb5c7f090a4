import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { oneRow } from '../db/one-row.js';
import type { Package } from '../packages/package.js';
import type { Address } from '../packages/stop.js';

/**
 * The number of a package among those with the same fiscal document. Without a document: with the same recipient and
 * address. Cancelled packages do not count.
 */
interface Volume {
  number: number;
  of: number;
}

export interface LabelledPackage {
  labelled: Package;
  volume: Volume;
  sender: Address & { name: string };
  /** The shipper's own name of the package or, without one, of its order. */
  orderName: string | null;
}

interface LabelFacts {
  senderName: string;
  externalId: string | null;
  pickups: { address: string; complement: string | null }[];
  /** By the keys of the packages. Cancelled packages have no entry. */
  volumes: Record<string, Volume> | null;
  erased: boolean;
}

/** Reads the facts for labels of packages, without cancelled ones. Throws CONFLICT if the recipients were erased. */
export async function labelledPackages(db: Db, orderId: string, packages: readonly Package[]) {
  const { senderName, externalId, pickups, volumes, erased } = await labelFactsOf(db, orderId);
  if (erased)
    throw conflict(
      'package_erased',
      'The personal data of the recipients was erased: there is nothing to print on a label.',
    );
  return packages.flatMap((each): LabelledPackage[] => {
    const volume = volumes?.[each.loggiKey];
    if (!volume) return [];
    const { address = '', complement } = pickups[each.pickupIndex] ?? {};
    const sender = { name: each.sender?.name ?? senderName, address, ...(complement ? { complement } : {}) };
    return [{ labelled: each, volume, sender, orderName: each.reference ?? externalId }];
  });
}

const labelFactsOf = (db: Db, orderId: string): Promise<LabelFacts> =>
  oneRow(
    db,
    sql<LabelFacts>`
    select
      a.name as "senderName", o.external_id as "externalId", o.recipients_erased_at is not null as erased,
      (select json_agg(json_build_object('address', u.address, 'complement', u.complement) order by u.position) from pickups u
        where u.order_id = o.id and ${inPartitionsOf('u.order_id', [orderId])}) as pickups,
      (select json_object_agg(v.loggi_key, json_build_object('number', v.number, 'of', v.of)) from (
        select p.loggi_key, row_number() over (parcels order by p.position) as number, count(*) over parcels as of
        from packages p join package_statuses s on s.code = p.status_code
        where p.order_id = o.id and ${inPartitionsOf('p.loggi_key', [orderId])} and s.stage <> 'cancelled'
        window parcels as (partition by p.fiscal_key, p.recipient_name, p.recipient_tax_id,
          case when p.fiscal_key is null then p.address end)) v) as volumes
    from orders o join accounts a on a.id = o.account_id
    where o.id = ${orderId} and ${inPartitionsOf('o.id', [orderId])}`,
  );
