import { sql } from 'kysely';
import type { Db } from '../db/connect.js';

const tables = ['webhook_lanes', 'webhook_notifications', 'webhook_requests'] as const;

/** A table of fewer pages of 8 KiB is read quickly in whatever way. */
const FEW_PAGES = 64;

/**
 * A plan that was made while a table was small reads all of it, as that costs less than to look for its rows one by one, and PostgreSQL keeps
 * the plan until it has new statistics: by autovacuum, about once a minute, while a queue grows by thousands a second. The
 * function returned looks at the tables' sizes, and brings statistics of those that are twice as large as when they were known last. It
 * resolves to the number of these.
 */
export function createPlanRenewal(db: Db): () => Promise<number> {
  const known = new Map<string, number>();
  return async () => {
    let renewed = 0;
    for (const { name, pages } of await sizes(db)) {
      const before = Math.min(known.get(name) ?? FEW_PAGES / 2, pages);
      const isOutgrown = pages >= FEW_PAGES && pages >= 2 * before;
      if (isOutgrown) await sql`analyze (skip_locked) ${sql.table(name)}`.execute(db);
      known.set(name, isOutgrown ? pages : before);
      renewed += Number(isOutgrown);
    }
    return renewed;
  };
}

async function sizes(db: Db): Promise<{ name: (typeof tables)[number]; pages: number }[]> {
  const { rows } = await sql<{ name: (typeof tables)[number]; pages: number }>`
    select name, (pg_relation_size(name::regclass) / 8192)::integer as pages from unnest(${tables}::text[]) name`.execute(
    db,
  );
  return rows;
}
