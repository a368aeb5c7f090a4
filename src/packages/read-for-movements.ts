import { sql } from 'kysely';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { type CatalogueStatus, listStatuses } from './catalogue.js';
import { instant } from './instant.js';
import type { NewMovement } from './movement.js';
import type { Known, MovementContent, PackageState } from './movement-state.js';

export async function readCatalogue(db: Db): Promise<Map<number, CatalogueStatus>> {
  const statuses = await listStatuses(db);
  return new Map(statuses.map((status) => [status.code, status]));
}

/**
 * Locks the packages of a batch until the transaction ends and reads them as they are then. `now` is the database's own time,
 * which all replicas share, once the last lock was given; a clock may be five minutes off.
 */
export async function lockPackages(trx: Db, items: readonly NewMovement[]) {
  const keys = ids(items.map(({ loggiKey }) => loggiKey));
  const { rows } = await sql<PackageState & Clocks>`
    select
      loggi_key as "loggiKey", account_id as "accountId", order_id as "orderId", seq, status_code as "statusCode",
      ${instant(sql`status_since`)} as since, current_movement_id as "currentMovementId",
      ${instant(sql`created_at`)} as "createdAt", ${instant(sql`(created_at - interval '5 minutes')`)} as earliest,
      ${instant(sql`clock_timestamp()`)} as now, ${instant(sql`(clock_timestamp() + interval '5 minutes')`)} as latest
    from packages
    where loggi_key = any(${keys}::uuid[])
    order by loggi_key
    for no key update`.execute(trx);
  const packages = new Map(rows.map(({ now: _, latest: __, ...state }) => [state.loggiKey, state]));
  const { now, latest } = rows.reduce<Clocks>((last, row) => (row.now > last.now ? row : last), {
    now: '',
    latest: '',
  });
  return { packages, now, latest };
}

type Clocks = Pick<Known, 'now' | 'latest'>;

/** What has been recorded under the ids of a batch, by id. */
export async function recordedUnder(trx: Db, items: readonly NewMovement[]): Promise<Map<string, MovementContent>> {
  const { rows } = await sql<MovementContent & { id: string }>`
    select
      id, loggi_key as "loggiKey", status_code as "statusCode",
      ${instant(sql`coalesce(reported_at, happened_at)`)} as "reportedAt",
      city as moved_city, state as moved_state, reason_label, reason_description,
      agency_address, agency_city, agency_state, agency_postal_code
    from movements
    where id = any(${ids(items.map(({ id }) => id))}::uuid[])`.execute(trx);
  return new Map(rows.map(({ id, ...content }) => [id, content]));
}

/** Each UUID once, as the database spells it; what is none is not there. */
function ids(texts: readonly string[]): string[] {
  return [...new Set(texts.filter(isId).map((text) => text.toLowerCase()))];
}
