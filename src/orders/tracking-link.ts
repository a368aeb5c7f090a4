import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';

/** The number after those of the package's earlier links (migration 0015). */
const nextLink = sql<number>`coalesce(greatest(-tracking_link, tracking_link + 1), 1)`;

/** Gives a package a new tracking link and revokes the old one. Changes nothing if there is no such package. */
export const renewTrackingLink = (trx: Db, loggiKey: string): Promise<void> => setLink(trx, loggiKey, nextLink);

/** Revokes the tracking link of a package. Changes nothing if it has no link, or if there is no such package. */
export const revokeTrackingLink = (trx: Db, loggiKey: string): Promise<void> =>
  setLink(trx, loggiKey, sql`-${nextLink}`);

/** Sets the link. The order changes visibly, so its version grows; the time at which it was finished stays. */
async function setLink(trx: Db, loggiKey: string, link: RawBuilder<number>): Promise<void> {
  await sql`
    with changed as (
      update packages set tracking_link = ${link}, link_shows_all = true
      where loggi_key = ${loggiKey} and ${inPartitionsOf('loggi_key', [loggiKey])} and tracking_link is distinct from ${link}
      returning order_id
    )
    update orders set version = version + 1
    where id = (select order_id from changed) and ${inPartitionsOf('id', [loggiKey])}`.execute(trx);
}
