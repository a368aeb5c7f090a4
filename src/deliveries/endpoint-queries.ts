import { sql } from 'kysely';
import { notFound } from '../base/errors.js';
import { isId } from '../base/ids.js';
import { type Listed, offsetOf, type Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { type Endpoint, toEndpoint } from './endpoint.js';
import { requestLane } from './lanes.js';

export interface EndpointFilters {
  accountId?: string;
  state?: 'active' | 'disabled';
}

const present = (db: Db) => db.selectFrom('webhook_endpoints').where('deleted_at', 'is', null);

const described = (db: Db) =>
  present(db).select([
    'id',
    'account_id',
    'url',
    'username',
    'lane_count',
    'failing_since',
    'disabled_at',
    'disabled_reason',
    'version',
    'created_at',
    'updated_at',
    // Lane by lane, so that it is counted on the primary key whatever the planner believes of the sizes.
    sql<string>`(select coalesce(sum(waiting.number), 0) from webhook_lanes lane cross join lateral (
      select count(*) as number from webhook_notifications where lane_id = lane.id offset 0
    ) waiting where lane.endpoint_id = webhook_endpoints.id)`.as('pending_count'),
    sql<string>`(select count(*) from webhook_lanes lane join webhook_requests request on request.lane_id = lane.id
      where lane.endpoint_id = webhook_endpoints.id and lane.number = ${requestLane})`.as('replay_count'),
    sql<string>`(select count(*) from webhook_deliveries letter
      where letter.endpoint_id = webhook_endpoints.id and dead_at is not null and kind = 'tracking')`.as(
      'dead_letter_count',
    ),
  ]);

/** Throws NOT_FOUND for an endpoint that does not exist or was deleted. */
export async function getEndpoint(db: Db, id: string): Promise<Endpoint> {
  const row = isId(id) ? await described(db).where('id', '=', id).executeTakeFirst() : undefined;
  if (!row) throw notFound('webhook endpoint');
  return toEndpoint(row);
}

/** Newest first. */
export async function listEndpoints(db: Db, filters: EndpointFilters, page: Page): Promise<Listed<Endpoint>> {
  const { accountId, state } = filters;
  const matching = sql<boolean>`
    (${accountId ?? null}::uuid is null or account_id = ${accountId ?? null}::uuid)
    and (${state ?? null}::text is null or (disabled_at is null) = (${state ?? null}::text = 'active'))`;
  const { total } = await present(db)
    .where(matching)
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await described(db)
    .where(matching)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.pageSize)
    .offset(offsetOf(page))
    .execute();
  return { rows: rows.map(toEndpoint), total: Number(total) };
}
