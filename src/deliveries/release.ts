import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

interface Lease {
  laneId: number;
  claimId: string;
}

/** Gives lanes back of which nothing was sent: `idle` where nothing waits, `ready` for another sender at once or after a pause. */
export async function releaseLanes(
  db: Db,
  leases: readonly Lease[],
  state: 'idle' | 'ready',
  pauseMs = 0,
): Promise<void> {
  if (leases.length === 0) return;
  await sql`
    update webhook_lanes lane set state = ${state}, claim_id = null,
      due_at = clock_timestamp() + ${pauseMs}::double precision * interval '1 millisecond'
    from unnest(${leases.map(({ laneId }) => laneId)}::integer[], ${leases.map(({ claimId }) => claimId)}::uuid[])
      as lease (lane_id, claim_id)
    where lane.id = lease.lane_id and lane.claim_id = lease.claim_id
      and lane.id = any(${leases.map(({ laneId }) => laneId)}::integer[])`.execute(db);
}
