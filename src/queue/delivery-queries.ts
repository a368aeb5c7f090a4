import { type InferResult, type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import type { WebhookAttempts } from '../db/tables/deliveries.js';
import { getEndpoint, isDeadLetter } from '../endpoints/endpoint-queries.js';

const SHOWN_ATTEMPTS = 100;

type DeliveryState = 'waiting' | 'delivered' | 'dead_letter';

export type DeliverySummary = ReturnType<typeof toSummary>;

export interface Delivery extends DeliverySummary {
  nextAttemptAt: Date | null;
  /** A test delivery has null before its first attempt. */
  body: string | null;
  attempts: Selectable<WebhookAttempts>[];
}

const summaries = (db: Db) =>
  db
    .selectFrom('webhook_deliveries as delivery')
    .leftJoin('webhook_lanes as lane', (join) =>
      join.onRef('lane.id', '=', 'delivery.lane_id').onRef('lane.webhook_id', '=', 'delivery.webhook_id'),
    )
    .leftJoin('webhook_requests as request', 'request.webhook_id', 'delivery.webhook_id')
    .select([
      'delivery.webhook_id as webhookId',
      'delivery.endpoint_id as endpointId',
      'delivery.kind',
      'delivery.package_count as packageCount',
      'delivery.created_at as createdAt',
      'delivery.dead_at as deadAt',
      sql<string>`(select count(*) from webhook_attempts attempt where attempt.webhook_id = delivery.webhook_id)`.as(
        'attemptCount',
      ),
      sql<Date | null>`(select max(attempted_at + duration_ms * interval '1 millisecond') from webhook_attempts attempt
        where attempt.webhook_id = delivery.webhook_id and outcome = 'acknowledged')`.as('acknowledgedAt'),
      sql<boolean>`lane.id is not null or request.id is not null`.as('isWaiting'),
    ]);

type SummaryRow = InferResult<ReturnType<typeof summaries>>[number];

function toSummary({ deadAt, acknowledgedAt, isWaiting, attemptCount, ...row }: SummaryRow) {
  const state: DeliveryState = isWaiting ? 'waiting' : deadAt ? 'dead_letter' : 'delivered';
  return {
    ...row,
    state,
    attemptCount: Number(attemptCount),
    /** Time of the acknowledgement, or of becoming a dead letter. */
    endedAt: isWaiting ? null : (deadAt ?? acknowledgedAt),
  };
}

/** Reads a delivery. With an actor, it must be of the actor's account. Throws NOT_FOUND. */
export async function getDelivery(db: Db, webhookId: string, actor?: Actor): Promise<Delivery> {
  if (!isId(webhookId)) throw notFound('delivery');
  const row = await summaries(db)
    .select([
      'delivery.body',
      sql<Date | null>`coalesce(lane.due_at, (select due_at from webhook_lanes where id = request.lane_id))`.as(
        'nextAttemptAt',
      ),
    ])
    .where('delivery.webhook_id', '=', webhookId)
    .where(actor ? toOwnEndpoint(actor) : sql<boolean>`true`)
    .executeTakeFirst();
  if (!row) throw notFound('delivery');
  const { body, nextAttemptAt, ...summary } = row;
  const attempts = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(SHOWN_ATTEMPTS)
    .execute();
  return {
    ...toSummary(summary),
    nextAttemptAt: row.isWaiting ? nextAttemptAt : null,
    body: body?.toString('utf8') ?? null,
    attempts,
  };
}

/** Matches endpoints of the actor's account, including deleted ones. */
const toOwnEndpoint = (actor: Actor) => sql<boolean>`exists (
  select from webhook_endpoints endpoint
  where endpoint.id = delivery.endpoint_id and ${ownedBy(actor, 'endpoint.account_id')})`;

/** Lists the stored attempts of an endpoint, newest first. Throws like getEndpoint. */
export async function listAttempts(db: Db, endpointId: string, page: Page, actor?: Actor) {
  await getEndpoint(db, endpointId, actor);
  const attempts = db.selectFrom('webhook_attempts').selectAll().where('endpoint_id', '=', endpointId);
  return readPage(db, attempts.orderBy('id', 'desc'), page);
}

/** Lists the dead letters of an endpoint, newest first. Throws like getEndpoint. */
export async function listDeadLetters(db: Db, endpointId: string, page: Page, actor?: Actor) {
  await getEndpoint(db, endpointId, actor);
  const ofEndpoint = sql<boolean>`delivery.endpoint_id = ${endpointId} and ${isDeadLetter}`;
  const letters = summaries(db).where(ofEndpoint).orderBy('delivery.dead_at', 'desc').orderBy('webhookId', 'desc');
  const counted = db.selectFrom('webhook_deliveries as delivery').where(ofEndpoint);
  const { rows, total } = await readPage(db, letters, page, counted);
  return { rows: rows.map(toSummary), total };
}

export const attemptBody = (attempt: Selectable<WebhookAttempts>) => ({
  webhook_id: attempt.webhook_id,
  number: attempt.number,
  attempted_at: attempt.attempted_at.toISOString(),
  outcome: attempt.outcome,
  status_code: attempt.status_code ?? undefined,
  duration_ms: attempt.duration_ms,
  error: attempt.error ?? undefined,
  /** The first 4 KiB at most, read as UTF-8. */
  response_body: attempt.response_body ?? undefined,
});

export const summaryBody = (delivery: DeliverySummary) => ({
  webhook_id: delivery.webhookId,
  endpoint_id: delivery.endpointId,
  kind: delivery.kind,
  state: delivery.state,
  package_count: delivery.packageCount,
  attempt_count: delivery.attemptCount,
  created_at: delivery.createdAt.toISOString(),
  ended_at: delivery.endedAt?.toISOString(),
});

export const deliveryBody = (delivery: Delivery) => ({
  ...summaryBody(delivery),
  next_attempt_at: delivery.nextAttemptAt?.toISOString(),
  body: delivery.body ?? undefined,
  attempts: delivery.attempts.map(attemptBody),
});
