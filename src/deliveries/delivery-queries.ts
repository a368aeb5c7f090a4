import { sql } from 'kysely';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliverySummary,
  type SummaryRow,
  toAttempt,
  toSummary,
} from './delivery.js';
import { getEndpoint, isDeadLetter } from './endpoint-queries.js';

const SHOWN_ATTEMPTS = 100;

const summary = sql`
  delivery.webhook_id, delivery.endpoint_id, delivery.kind, delivery.package_count, delivery.created_at, delivery.dead_at,
  (select count(*) from webhook_attempts attempt where attempt.webhook_id = delivery.webhook_id) as attempt_count,
  (select max(attempted_at + duration_ms * interval '1 millisecond') from webhook_attempts attempt
    where attempt.webhook_id = delivery.webhook_id and outcome = 'acknowledged') as acknowledged_at,
  lane.id is not null or request.id is not null as waiting`;

const deliveries = sql`
  webhook_deliveries delivery
  left join webhook_lanes lane on lane.id = delivery.lane_id and lane.webhook_id = delivery.webhook_id
  left join webhook_requests request on request.webhook_id = delivery.webhook_id`;

/** A body with its attempts. Throws NOT_FOUND for an id that was never used, or whose time of retention is over. */
export async function getDelivery(db: Db, webhookId: string): Promise<Delivery> {
  if (!isId(webhookId)) throw notFound('delivery');
  const { rows } = await sql<SummaryRow & { body: Buffer | null; next_attempt_at: Date | null }>`
    select ${summary}, delivery.body, coalesce(lane.due_at, (
      select due_at from webhook_lanes where id = request.lane_id
    )) as next_attempt_at
    from ${deliveries} where delivery.webhook_id = ${webhookId}`.execute(db);
  const [row] = rows;
  if (!row) throw notFound('delivery');
  const attempts = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(SHOWN_ATTEMPTS)
    .execute();
  return {
    ...toSummary(row),
    nextAttemptAt: row.waiting ? row.next_attempt_at : null,
    body: row.body?.toString('utf8') ?? null,
    attempts: attempts.map(toAttempt),
  };
}

/** Every request to the endpoint that is still on record, newest first. Throws NOT_FOUND. */
export async function listAttempts(db: Db, endpointId: string, page: Page): Promise<Listed<DeliveryAttempt>> {
  await getEndpoint(db, endpointId);
  const ofEndpoint = db.selectFrom('webhook_attempts').where('endpoint_id', '=', endpointId);
  const { total } = await ofEndpoint.select(({ fn }) => fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await ofEndpoint.selectAll().orderBy('id', 'desc').limit(page.pageSize).offset(offsetOf(page)).execute();
  return { rows: rows.map(toAttempt), total: Number(total) };
}

/** Bodies given up after their last attempt, newest first. Throws NOT_FOUND. */
export async function listDeadLetters(db: Db, endpointId: string, page: Page): Promise<Listed<DeliverySummary>> {
  await getEndpoint(db, endpointId);
  const { total } = await db
    .selectFrom('webhook_deliveries')
    .where('endpoint_id', '=', endpointId)
    .where(isDeadLetter)
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  const { rows } = await sql<SummaryRow>`
    select ${summary} from ${deliveries}
    where delivery.endpoint_id = ${endpointId} and ${isDeadLetter}
    order by delivery.dead_at desc, delivery.webhook_id desc
    limit ${page.pageSize} offset ${offsetOf(page)}`.execute(db);
  return { rows: rows.map(toSummary), total: Number(total) };
}
