import { sql } from 'kysely';
import type { Db } from '../../db/connect.js';
import { type Instant, instant } from '../instant.js';
import type { NewMovement } from '../movement.js';
import { stepIdIn } from './chance.js';
import { journeyOf, LEAST_PAUSE, type Parcel } from './journey.js';

/** A package that is somewhere on its way through the sandbox. */
export interface WaitingParcel extends Parcel {
  /** Steps that it has taken. */
  taken: number;
  /** Since the last one. */
  waitedSeconds: number;
  /** The database's time. */
  now: Instant;
}

/**
 * Packages that may be due, those that wait longest first. One whose current movement is neither its creation nor a step of
 * its own journey is left to whoever moved it; one that is a week old rests.
 */
export async function waitingParcels(db: Db, paceSeconds: number, limit: number): Promise<WaitingParcel[]> {
  const { rows } = await sql<WaitingParcel>`
    select
      p.loggi_key as "loggiKey", p.postal_code as "postalCode", p.seq - 1 as taken,
      json_build_object('city', u.city, 'state', u.state) as origin,
      json_build_object('city', p.city, 'state', p.state) as destination,
      extract(epoch from clock_timestamp() - p.status_since)::double precision as "waitedSeconds",
      ${instant(sql`clock_timestamp()`)} as now
    from packages p
    join package_statuses s on s.code = p.status_code and not s.final
    join pickups u on u.order_id = p.order_id and u.position = p.pickup_position
    where p.created_at > now() - interval '7 days'
      and p.status_since <= clock_timestamp() - make_interval(secs => ${paceSeconds * LEAST_PAUSE})
      and (p.seq = 1 or p.current_movement_id = ${stepIdIn(sql.raw('p.loggi_key'), sql.raw('(p.seq - 1)'))})
    order by p.status_since, p.loggi_key
    limit ${limit}`.execute(db);
  return rows;
}

/** The step that a package takes now; undefined when its pause is not over. */
export function dueMovement(parcel: WaitingParcel, paceSeconds: number): NewMovement | undefined {
  const step = journeyOf(parcel)[parcel.taken];
  if (!step || parcel.waitedSeconds < step.pause * paceSeconds) return undefined;
  const { pause: _, ...movement } = step;
  return { ...movement, happenedAt: parcel.now };
}
