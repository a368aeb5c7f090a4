/**
 * # The queue of notifications
 *
 * This room holds the statements of the sender; src/webhook/dispatcher.ts has the theory and the guarantees.
 *
 * ## Who takes part
 *
 * - enqueue.ts writes a notification in the transaction of its movement.
 * - claim.ts leases lanes, freeze.ts makes the next delivery of a lane, record.ts settles an attempt.
 * - floors.ts bounds the reads of a lane. upkeep.ts removes what retention ends.
 * - catch-ups.ts notifies an endpoint that missed movements while it was disabled. replay.ts repeats deliveries.
 *
 * ## Promises
 *
 * - Only the holder of a lane's claim id changes the lane's delivery.
 * - No statement waits for the lock of another worker: it skips locked lanes.
 *
 * Not promised: that a query plan stays good by itself. A plan made for an empty queue also serves a full one. So each
 * statement is written to read by an index, whatever sizes the planner believes in.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/connect.js';

const MAX_CHANGES = '9223372036854775807';

/**
 * Reads the present row of a lane, but not its former versions, which stay in the index while any snapshot is held.
 * With a comparison, the planner has only the index in its order. The caller must compare the id: if the lane is gone,
 * the row belongs to another lane.
 */
export const newestLane = (id: 'lease.lane_id' | 'delivery.lane_id' | 'result.lane_id') => sql`
  select id, ctid as at, number, state, claim_id from webhook_lanes
  where (id, changes) <= (${sql.ref(id)}, ${sql.raw(MAX_CHANGES)}) order by id desc, changes desc limit 1`;

/** Runs a statement and returns the number of changed rows. */
export const affectedRows = async (db: Db, statement: RawBuilder<unknown>): Promise<number> =>
  Number((await statement.execute(db)).numAffectedRows ?? 0);

// Model: Lanes!ReleaseHeld (lab/models)
const releasingHeldLanes = sql`
  with held as (
    select endpoint_id, min(generation) as generation from webhook_lanes where state = 'held' group by endpoint_id
  ), empty as (
    select held.* from held where not exists (
      select 1 from webhook_lanes older
      where older.endpoint_id = held.endpoint_id and older.generation < held.generation and older.number >= 0
        and (older.webhook_id is not null or older.state = 'leased'
          or (select true from webhook_notifications where lane_id = older.id order by lane_id, id limit 1))
    )
  ), dropped as (
    delete from webhook_lanes older using empty
    where older.endpoint_id = empty.endpoint_id and older.generation < empty.generation and older.number >= 0
  )
  update webhook_lanes lane set state = 'ready', due_at = clock_timestamp() from empty
  where lane.endpoint_id = empty.endpoint_id and lane.generation = empty.generation and lane.state = 'held'`;

/** Makes held lanes ready if the older lanes are empty, and deletes those. Returns the number of ready lanes. */
export const releaseHeldLanes = (db: Db): Promise<number> => affectedRows(db, releasingHeldLanes);

interface Lease {
  laneId: number;
  claimId: string;
}

const leased = (leases: readonly Lease[]) => sql`
  select lane.* from unnest(${leases.map(({ laneId }) => laneId)}::integer[], ${leases.map(({ claimId }) => claimId)}::uuid[])
    as lease (lane_id, claim_id) cross join lateral (${newestLane('lease.lane_id')}) lane
    where lane.id = lease.lane_id and lane.claim_id = lease.claim_id`;

/**
 * Gives lanes back before anything was sent: as `idle` if nothing waits, else as `ready`, at once or after a pause.
 * Model: Lanes!GiveBack (lab/models)
 */
export async function releaseLanes(
  db: Db,
  leases: readonly Lease[],
  state: 'idle' | 'ready',
  pauseMs = 0,
): Promise<void> {
  if (leases.length === 0) return;
  await sql`
    update webhook_lanes set state = ${state}, claim_id = null, changes = changes + 1,
      due_at = clock_timestamp() + ${pauseMs}::double precision * interval '1 millisecond'
    where ctid = any(array(select at from (${leased(leases)}) lane))
      and claim_id = any(${leases.map(({ claimId }) => claimId)}::uuid[])`.execute(db);
}

export async function stillLeased<L extends Lease>(db: Db, leases: readonly L[]): Promise<L[]> {
  if (leases.length === 0) return [];
  const { rows } = await sql<{ claim_id: string }>`select claim_id from (${leased(leases)}) lane`.execute(db);
  const validIds = new Set(rows.map(({ claim_id }) => claim_id));
  return leases.filter(({ claimId }) => validIds.has(claimId));
}

/**
 * Wakes idle lanes with waiting rows. A notification does not wake its lane if it was committed just after a worker
 * found the lane empty. `recent` checks only lanes that became idle within the last minute, so it can run each second.
 * Model: Lanes!WakeIdle, Replays!WakeRequests (lab/models)
 */
export const wakeIdleLanes = (db: Db, scope: 'recent' | 'all'): Promise<number> =>
  wake(
    db,
    sql`state = 'idle' and (${scope} = 'all' or due_at > now() - interval '1 minute') and coalesce(
      (select true from webhook_notifications where lane_id = lane.id order by lane_id, id limit 1),
      (select true from webhook_requests where lane_id = lane.id order by lane_id, id limit 1), false)`,
  );

/**
 * Wakes stopped lanes of active endpoints. An endpoint may have been enabled while its lane was being stopped.
 * Model: Lanes!WakeStopped (lab/models)
 */
export const wakeStoppedLanes = (db: Db): Promise<number> =>
  wake(
    db,
    sql`state = 'stopped' and exists (
      select 1 from webhook_endpoints where id = lane.endpoint_id and disabled_at is null and deleted_at is null)`,
  );

const wake = (db: Db, condition: RawBuilder<unknown>): Promise<number> =>
  affectedRows(
    db,
    sql`update webhook_lanes set state = 'ready', due_at = clock_timestamp(), changes = changes + 1
      where ctid = any(array(select ctid from webhook_lanes lane where ${condition} for update skip locked))`,
  );
