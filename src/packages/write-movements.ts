import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import type { Moved, PackageState } from './movement-state.js';

/**
 * Inserts what no other transaction has inserted under the same id; resolves to the ids that went in. One parameter carries
 * all rows, so that the statement's text, and its plan, is the same for any number. Sorted by id: two batches that share
 * ids wait for each other in one order. `recorded_at` grows with each movement of a package, within a batch too.
 */
export async function insertMovements(trx: Db, moved: readonly Moved[]): Promise<string[]> {
  if (moved.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    insert into movements (
      id, loggi_key, seq, status_code, happened_at, reported_at, recorded_at, city, state,
      reason_label, reason_description, agency_address, agency_city, agency_state, agency_postal_code)
    select
      id, "loggiKey", seq, "statusCode", "happenedAt", nullif("reportedAt", "happenedAt"),
      (select clock_timestamp()) + interval '1 microsecond' * row_number() over (partition by "loggiKey" order by seq),
      moved_city, moved_state, reason_label, reason_description, agency_address, agency_city, agency_state, agency_postal_code
    from json_to_recordset(${JSON.stringify(moved)}::json) as moved(
      id uuid, "loggiKey" uuid, seq integer, "statusCode" smallint, "happenedAt" timestamptz, "reportedAt" timestamptz,
      moved_city text, moved_state text,
      reason_label text, reason_description text,
      agency_address text, agency_city text, agency_state text, agency_postal_code text)
    order by id
    on conflict (id) do nothing
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}

export async function removeMovements(trx: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from movements where id = any(${ids}::uuid[])`.execute(trx);
}

/** Writes the states that a batch led to; the packages are locked. */
export async function updatePackages(trx: Db, packages: readonly PackageState[]): Promise<void> {
  await sql`
    with after as materialized (
      select * from json_to_recordset(${JSON.stringify(packages)}::json) as after(
        "loggiKey" uuid, seq integer, "statusCode" smallint, since timestamptz, "currentMovementId" uuid)
    )
    update packages set
      seq = after.seq, status_code = after."statusCode", status_since = after.since,
      current_movement_id = after."currentMovementId"
    from after
    where packages.loggi_key = after."loggiKey" and packages.loggi_key = any(array(select "loggiKey" from after))`.execute(
    trx,
  );
}
