import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { timeline } from '../db/lists/replica.js';

// A debt is a catch-up that was not made yet. src/queue/catch-ups.ts makes it.

/** Cancels the debt to an endpoint. A replay can still find the movements of the time while it was disabled. */
export async function forgoCatchUps(trx: Db, endpointId: string): Promise<void> {
  await sql`
    update webhook_catch_ups set until = coalesce(until, clock_timestamp()), ended_at = clock_timestamp()
    where endpoint_id = ${endpointId} and kind = 'moved' and ended_at is null`.execute(trx);
}

/** Owes a new endpoint the newest movement of each open package. */
export async function oweOpenPackages(trx: Db, endpointId: string): Promise<void> {
  await sql`
    insert into webhook_catch_ups (endpoint_id, kind, since, timeline, from_changed, after_changed)
    values (${endpointId}, 'open', '-infinity', ${timeline}, '0', '0')`.execute(trx);
}

/** Adds a debt to the endpoint for a replay: each movement in the range that was recorded while it was disabled. */
export async function oweUnsent(trx: Db, endpointId: string, { from, to }: { from: Date; to: Date }): Promise<void> {
  await sql`
    insert into webhook_catch_ups (endpoint_id, kind, since, until, timeline, from_changed, after_changed)
    select endpoint_id, 'unsent', greatest(since, ${from}), least(until, ${to}), timeline, from_changed, from_changed
    from (
      select endpoint_id, since, coalesce(until, clock_timestamp()) as until, timeline, from_changed
      from webhook_catch_ups where endpoint_id = ${endpointId} and kind = 'moved'
    ) gap where since < ${to} and until > ${from}`.execute(trx);
}
