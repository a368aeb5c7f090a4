import { sql } from 'kysely';
import { rateLimited } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { oneRow } from '../db/one-row.js';

/** Maximum requests per hour of an account to one of its endpoints. Each costs the receiver or the queue work. */
const maxOfAction = { test: 20, replay: 10, enable: 10 } as const;

export type OwnAction = keyof typeof maxOfAction;

/**
 * Counts a request of an account to its endpoint, in windows of an hour. A request that is refused later does not
 * count, because its transaction is rolled back. Throws RATE_LIMITED.
 */
export async function spendBudget(trx: Db, endpointId: string, action: OwnAction): Promise<void> {
  const isOver = sql`budget.window_started_at <= now() - interval '1 hour'`;
  const spent = await oneRow(
    trx,
    sql<{ used: number; seconds: number }>`
      insert into endpoint_budgets as budget (endpoint_id, action, used) values (${endpointId}, ${action}, 1)
      on conflict (endpoint_id, action) do update set
        used = case when ${isOver} then 1 else budget.used + 1 end,
        window_started_at = case when ${isOver} then now() else budget.window_started_at end
      returning used, extract(epoch from window_started_at + interval '1 hour' - now())::double precision as seconds`,
  );
  if (spent.used <= maxOfAction[action]) return;
  const message = `An account may ${action} an endpoint ${maxOfAction[action]} times an hour.`;
  throw rateLimited('webhook_budget', message, { retryAfter: spent.seconds });
}
