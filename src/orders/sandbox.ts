import { sql } from 'kysely';
import { inBackground } from '../base/background.js';
import { DAY_MS, databaseTime } from '../base/clock.js';
import { firstIdAt } from '../base/ids.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { scalar } from '../db/one-row.js';
import { transaction } from '../db/transaction.js';
import { type Instant, instant } from '../packages/instant.js';
import { DELIVERED, type NewMovement } from '../packages/movement.js';
import { openPin } from '../packages/proof/pins.js';
import { courseOf, MIN_PAUSE, type SandboxPackage, stepIdIn } from '../packages/sandbox/course.js';
import { recordMovements } from './record-movements.js';

interface SandboxOptions {
  db: Db;
  log: Logger;
  keys: KeyRing;
  /** Mean pause between two movements of a package. 0 means no pause. */
  paceSeconds: number;
}

const ROUND_SIZE = 200;

/** Lets packages move without a courier (packages/sandbox/course.ts). Call the returned function to stop. */
export function startSandbox({ db, log, keys, paceSeconds }: SandboxOptions): () => Promise<void> {
  const pauseMs = Math.min(Math.max(paceSeconds * 100, 50), 500);
  log.info({ paceSeconds }, 'sandbox.started');
  return inBackground(async () => {
    const moved = await moveDuePackages(db, keys, paceSeconds).catch((err: unknown) => {
      log.warn({ err }, 'sandbox.failed');
      return 0;
    });
    if (moved > 0) log.debug({ moved }, 'sandbox.moved');
    return moved < ROUND_SIZE ? pauseMs : 0;
  });
}

/** Records the next step of each package whose pause is over, in one process at a time. Resolves to their number. */
export function moveDuePackages(db: Db, keys: KeyRing, paceSeconds: number): Promise<number> {
  return transaction(db, async (trx) => {
    const lock = sql<boolean>`pg_try_advisory_xact_lock(hashtextextended('malote sandbox', 0))`;
    if (!(await scalar(trx, lock))) return 0;
    const waiting = await waitingPackages(trx, paceSeconds, ROUND_SIZE);
    const movements = waiting.flatMap((each) => dueMovement(each, paceSeconds, keys) ?? []);
    if (movements.length === 0) return 0;
    const { outcomes } = await recordMovements(trx, movements);
    return outcomes.filter(({ result }) => result === 'recorded').length;
  });
}

interface WaitingPackage extends SandboxPackage {
  steps: number;
  waitedSeconds: number;
  now: Instant;
  recipient: string;
  pin: Buffer | null;
}

/** Age beyond which an order was ready more than a week ago. */
const OLDEST_DAYS = 38;

/**
 * Reads packages that may be due, longest waiting first. The wait begins when the order is ready. Leaves out packages
 * that were moved by other means, and those that were ready more than a week ago.
 */
async function waitingPackages(db: Db, paceSeconds: number, limit: number): Promise<WaitingPackage[]> {
  const first = firstIdAt(databaseTime() - OLDEST_DAYS * DAY_MS);
  const { rows } = await sql<WaitingPackage>`
    select
      p.loggi_key as "loggiKey", p.recipient_name as recipient, p.postal_code as "postalCode", p.seq - 1 as steps,
      json_build_object('city', u.city, 'state', u.state) as origin,
      json_build_object('city', p.city, 'state', p.state) as destination,
      extract(epoch from clock_timestamp() - waiting.since)::double precision as "waitedSeconds",
      ${instant(sql`clock_timestamp()`)} as now, pin.pin
    from packages p
    join package_statuses s on s.code = p.status_code and not s.final
    join pickups u on u.order_id = p.order_id and u.position = p.pickup_position
    join orders o on o.id = p.order_id
    cross join lateral (select greatest(p.status_since, o.ready_at) as since) waiting
    left join delivery_pins pin on pin.loggi_key = p.loggi_key
    where p.loggi_key > ${first}::uuid and o.id > ${first}::uuid
      and (p.created_at > now() - interval '7 days' or p.order_id = any(array(
        select id from orders where ready_at > now() - interval '7 days' and ready_at <= now() and id > ${first}::uuid)))
      and waiting.since <= clock_timestamp() - make_interval(secs => ${paceSeconds * MIN_PAUSE})
      and (p.seq = 1 or p.current_movement_id = ${stepIdIn(sql.raw('p.loggi_key'), sql.raw('(p.seq - 1)'))})
    order by waiting.since, p.loggi_key
    limit ${limit}`.execute(db);
  return rows;
}

/**
 * The step that a package takes now, if its pause is over. At the delivery the recipient receives it and tells the PIN.
 */
function dueMovement(waiting: WaitingPackage, paceSeconds: number, keys: KeyRing): NewMovement | undefined {
  const step = courseOf(waiting)[waiting.steps];
  if (!step || waiting.waitedSeconds < step.pause * paceSeconds) return undefined;
  const { pause: _, ...movement } = step;
  const { loggiKey, recipient: recipientName, now: happenedAt, pin } = waiting;
  if (step.statusCode !== DELIVERED) return { ...movement, happenedAt };
  const pinTold = pin && { pin: openPin(keys, loggiKey, pin) };
  return { ...movement, happenedAt, handover: { proof: { recipientName }, ...pinTold, keys } };
}
