import { sql } from 'kysely';
import { databaseTime } from '../../base/clock.js';
import { firstIdAt } from '../../base/ids.js';
import type { KeyRing } from '../../base/keys.js';
import type { Db } from '../../db/connect.js';
import { type Instant, instant } from '../instant.js';
import { DELIVERED, type NewMovement } from '../movement.js';
import { openPin } from '../proof/pins.js';
import { courseOf, LEAST_PAUSE, type SandboxPackage, stepIdIn } from './course.js';

const DAY_MS = 86_400_000;

/** A package that is somewhere on its way through the sandbox. */
export interface WaitingPackage extends SandboxPackage {
  /** How many steps it has made. */
  steps: number;
  /** Since the last one. */
  waitedSeconds: number;
  /** The database's time. */
  now: Instant;
  /** Name of who receives it. */
  recipient: string;
  /** Sealed; null when the package has none. */
  pin: Buffer | null;
}

/**
 * Packages that may be due, those that wait longest first. One whose current movement is neither its creation nor a step of
 * its own course is left to whoever moved it; one that is a week old rests.
 */
export async function waitingPackages(db: Db, paceSeconds: number, limit: number): Promise<WaitingPackage[]> {
  const { rows } = await sql<WaitingPackage>`
    select
      p.loggi_key as "loggiKey", p.recipient_name as recipient, p.postal_code as "postalCode", p.seq - 1 as steps,
      json_build_object('city', u.city, 'state', u.state) as origin,
      json_build_object('city', p.city, 'state', p.state) as destination,
      extract(epoch from clock_timestamp() - p.status_since)::double precision as "waitedSeconds",
      ${instant(sql`clock_timestamp()`)} as now, pin.pin
    from packages p
    join package_statuses s on s.code = p.status_code and not s.final
    join pickups u on u.order_id = p.order_id and u.position = p.pickup_position
    left join delivery_pins pin on pin.loggi_key = p.loggi_key
    where p.created_at > now() - interval '7 days' and p.loggi_key > ${firstIdAt(databaseTime() - 8 * DAY_MS)}::uuid
      and p.status_since <= clock_timestamp() - make_interval(secs => ${paceSeconds * LEAST_PAUSE})
      and (p.seq = 1 or p.current_movement_id = ${stepIdIn(sql.raw('p.loggi_key'), sql.raw('(p.seq - 1)'))})
    order by p.status_since, p.loggi_key
    limit ${limit}`.execute(db);
  return rows;
}

/** The step that a package takes now; undefined when its pause is not over. Its recipient receives it, and tells the PIN, which `keys` open. */
export function dueMovement(waiting: WaitingPackage, paceSeconds: number, keys: KeyRing): NewMovement | undefined {
  const step = courseOf(waiting)[waiting.steps];
  if (!step || waiting.waitedSeconds < step.pause * paceSeconds) return undefined;
  const { pause: _, ...movement } = step;
  const { loggiKey, recipient: recipientName, now: happenedAt, pin } = waiting;
  if (step.statusCode !== DELIVERED) return { ...movement, happenedAt };
  const told = pin && { pin: openPin(keys, loggiKey, pin) };
  return { ...movement, happenedAt, handover: { proof: { recipientName }, ...told, keys } };
}
