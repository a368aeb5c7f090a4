import { type InferResult, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Actor } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import type { Listed, Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { readPage } from '../db/lists/read-page.js';
import { ownedBy } from '../db/owned-by.js';
import type { WebhookAttempts } from '../db/tables/deliveries.js';
import { REQUEST_LANE } from './own-lanes.js';

type EndpointState = 'active' | 'disabled';

export interface EndpointFilters {
  accountId?: string | undefined;
  state?: EndpointState | undefined;
  /** Selects only endpoints that fail, are disabled or have dead letters. */
  inTrouble?: boolean | undefined;
}

export type Endpoint = ReturnType<typeof toEndpoint>;

export type EndpointFailure = NonNullable<Endpoint['lastFailure']>;

export const isDeadLetter = sql<boolean>`dead_at is not null and kind = 'tracking'`;

/** Counting stops here, so that a busy endpoint is shown as fast as an idle one. */
const MAX_COUNTED = 10_000;

const present = (db: Db) => db.selectFrom('webhook_endpoints').where('deleted_at', 'is', null);

const ofEndpoint = sql`lane.endpoint_id = webhook_endpoints.id`;

const described = (db: Db) =>
  present(db)
    .leftJoinLateral(
      sql<LatestAttempt>`(
        select attempted_at, outcome, status_code, error from webhook_attempts
        where endpoint_id = webhook_endpoints.id and failing_since is not null order by endpoint_id desc, id desc limit 1)`.as(
        'latest',
      ),
      (join) => join.onTrue(),
    )
    .select([
      'webhook_endpoints.id',
      'account_id as accountId',
      'url',
      'username',
      'public_key as publicKey',
      'lane_count as lanes',
      // Time of the first failure since the last success.
      'failing_since as failingSince',
      'disabled_at as disabledAt',
      'disabled_reason as disabledReason',
      // Increases only when the settings change.
      'version',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'latest.attempted_at as attemptedAt',
      'latest.outcome',
      'latest.status_code as statusCode',
      'latest.error',
      // Counted lane by lane on the primary key, so that the plan does not depend on estimated sizes.
      counted(sql`webhook_lanes lane cross join lateral (
        select id from webhook_notifications where lane_id = lane.id order by lane_id, id limit ${MAX_COUNTED}
      ) waiting where ${ofEndpoint}`).as('pendingCount'),
      counted(sql`webhook_lanes lane join webhook_requests request on request.lane_id = lane.id
        where ${ofEndpoint} and lane.number = ${REQUEST_LANE}`).as('replayCount'),
      counted(sql`webhook_catch_ups job cross join lateral (
        select from packages where account_id = webhook_endpoints.account_id
          and (changed, loggi_key) > (job.after_changed, job.after_key) limit ${MAX_COUNTED}
      ) moved where job.endpoint_id = webhook_endpoints.id and job.ended_at is null`).as('catchUpCount'),
      counted(sql`webhook_deliveries letter where letter.endpoint_id = webhook_endpoints.id and ${isDeadLetter}`).as(
        'deadLetterCount',
      ),
    ]);

type LatestAttempt = Pick<Selectable<WebhookAttempts>, 'attempted_at' | 'outcome' | 'status_code' | 'error'>;

const counted = (rows: RawBuilder<unknown>) =>
  sql<string>`(select count(*) from (select 1 from ${rows} limit ${MAX_COUNTED}) counted)`;

type EndpointRow = InferResult<ReturnType<typeof described>>[number];

function toEndpoint({ disabledAt, attemptedAt, outcome, statusCode, error, ...row }: EndpointRow) {
  const state: EndpointState = disabledAt ? 'disabled' : 'active';
  // The attempt may have been removed, or it was acknowledged after its lease was lost.
  const isFailure = attemptedAt && outcome && outcome !== 'acknowledged';
  return {
    ...row,
    state,
    lastFailure: isFailure ? { attemptedAt, outcome, statusCode, error } : null,
    pendingCount: Number(row.pendingCount),
    replayCount: Number(row.replayCount),
    catchUpCount: Number(row.catchUpCount),
    deadLetterCount: Number(row.deadLetterCount),
  };
}

/** Reads an endpoint. With an actor, it must be of the actor's account. Throws NOT_FOUND. */
export async function getEndpoint(db: Db, id: string, actor?: Actor): Promise<Endpoint> {
  const query = described(db).where('webhook_endpoints.id', '=', id);
  const visible = actor ? query.where(ownedBy(actor, 'account_id')) : query;
  const row = isId(id) ? await visible.executeTakeFirst() : undefined;
  if (!row) throw notFound('webhook endpoint');
  return toEndpoint(row);
}

/** The public keys (`whpk_…`) that verify deliveries now, present key first. Throws NOT_FOUND. */
export async function publicKeysOf(db: Db, id: string): Promise<string[]> {
  const query = present(db)
    .where('id', '=', id)
    .select([
      'public_key',
      sql<string | null>`case when previous_key_until > now() then previous_public_key end`.as('previous'),
    ]);
  const row = isId(id) ? await query.executeTakeFirst() : undefined;
  if (!row) throw notFound('webhook endpoint');
  return [row.public_key, row.previous].flatMap((key) => key ?? []);
}

/** An endpoint in the form of the contracts (REST and operator's interface). */
export const endpointBody = (endpoint: Endpoint) => ({
  id: endpoint.id,
  user_id: endpoint.accountId,
  url: endpoint.url,
  username: endpoint.username,
  state: endpoint.state,
  disabled_reason: endpoint.disabledReason ?? undefined,
  failing_since: endpoint.failingSince?.toISOString(),
  last_failure: endpoint.lastFailure ? failureBody(endpoint.lastFailure) : undefined,
  public_key: endpoint.publicKey ?? undefined,
  lanes: endpoint.lanes,
  pending_count: endpoint.pendingCount,
  replay_count: endpoint.replayCount,
  catch_up_count: endpoint.catchUpCount,
  dead_letter_count: endpoint.deadLetterCount,
  created_at: endpoint.createdAt.toISOString(),
  updated_at: endpoint.updatedAt.toISOString(),
});

const failureBody = ({ attemptedAt, outcome, statusCode, error }: EndpointFailure) => ({
  attempted_at: attemptedAt.toISOString(),
  outcome,
  status_code: statusCode ?? undefined,
  error: error ?? undefined,
});

export async function listEndpoints(db: Db, filters: EndpointFilters, page: Page): Promise<Listed<Endpoint>> {
  const { accountId, state, inTrouble = false } = filters;
  const matching = sql<boolean>`
    (${accountId ?? null}::uuid is null or account_id = ${accountId ?? null}::uuid)
    and (${state ?? null}::text is null or (disabled_at is null) = (${state ?? null}::text = 'active'))
    and (not ${inTrouble}::boolean or failing_since is not null or disabled_at is not null or exists (
      select from webhook_deliveries letter where letter.endpoint_id = webhook_endpoints.id and ${isDeadLetter}))`;
  const endpoints = described(db).where(matching).orderBy('created_at', 'desc').orderBy('webhook_endpoints.id', 'desc');
  const { rows, total } = await readPage(db, endpoints, page, present(db).where(matching));
  return { rows: rows.map(toEndpoint), total };
}
