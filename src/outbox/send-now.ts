import { sql } from 'kysely';
import { invalid } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { endpointDisabled } from './endpoints.js';

export type SendNowSelection = { endpointId: string } | { accountId: string } | 'all';

interface SentNow {
  /** Deliveries that waited for their next attempt and are due now. */
  bodies: number;
  notifications: number;
  /** More wait than one call takes: call again. */
  more: boolean;
}

const MOST_AT_ONCE = 1_000;
const APART_MS = 10;

/**
 * Makes waiting deliveries due now, the soonest first and 10 ms apart; those of an account, or of all, that are due
 * within this time anyway are left. Attempts so far still count for the next pause. Leaves out disabled endpoints.
 * Throws VALIDATION_ERROR for an endpoint or account that does not exist, CONFLICT for a disabled endpoint.
 */
export async function sendNow(db: Db, selection: SendNowSelection): Promise<SentNow> {
  const condition = await conditionOf(db, selection);
  const { rows } = await sql<{ bodies: number; notifications: number }>`
    with waiting as (
      select lane.id, lane.webhook_id, lane.due_at from webhook_lanes lane
      where state = 'waiting' and attempt > 0 and ${condition} and exists (
        select 1 from webhook_endpoints where id = lane.endpoint_id and disabled_at is null and deleted_at is null)
      order by due_at limit ${MOST_AT_ONCE} for update of lane skip locked
    ), put_forward as (
      update webhook_lanes lane set due_at = least(lane.due_at,
        now() + place * ${APART_MS}::double precision * interval '1 millisecond')
      from (select id, row_number() over (order by due_at, id) - 1 as place from waiting) numbered
      where lane.id = numbered.id and lane.id = any(array(select id from waiting))
      returning lane.webhook_id
    )
    select count(*)::integer as bodies, coalesce(sum(package_count), 0)::integer as notifications
    from put_forward left join webhook_deliveries delivery on delivery.webhook_id = put_forward.webhook_id`.execute(db);
  const { bodies = 0, notifications = 0 } = rows[0] ?? {};
  return { bodies, notifications, more: bodies === MOST_AT_ONCE };
}

async function conditionOf(db: Db, selection: SendNowSelection) {
  const later = sql`due_at > now() + ${MOST_AT_ONCE * APART_MS}::double precision * interval '1 millisecond'`;
  if (selection === 'all') return later;
  if ('endpointId' in selection) {
    await demandActive(db, selection.endpointId);
    return sql`due_at > now() and lane.endpoint_id = ${selection.endpointId}`;
  }
  await demandAccount(db, selection.accountId);
  return sql`${later} and lane.endpoint_id = any(array(
    select id from webhook_endpoints where account_id = ${selection.accountId} and deleted_at is null))`;
}

async function demandActive(db: Db, id: string): Promise<void> {
  const { rows } = await sql<{ disabled_at: Date | null }>`
    select disabled_at from webhook_endpoints
    where id = ${isId(id) ? id : null}::uuid and deleted_at is null`.execute(db);
  if (!rows[0]) throw invalid([{ field: 'endpointId', message: 'is not a webhook endpoint' }]);
  if (rows[0].disabled_at) throw endpointDisabled();
}

async function demandAccount(db: Db, id: string): Promise<void> {
  const { rows } = await sql`
    select from accounts where id = ${isId(id) ? id : null}::uuid and deleted_at is null`.execute(db);
  if (!rows[0]) throw invalid([{ field: 'userId', message: 'is not a user' }]);
}
