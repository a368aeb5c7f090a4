import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { oneRow } from '../one-row.js';

/** Open transactions. A vacuum cannot remove rows that were deleted since the oldest one began. */
interface Transactions {
  /** Age of the oldest transaction. */
  seconds: number;
  /** A text that describes its session. */
  what: string | null;
  prepared: number;
  /** True if the role sees the transactions of other roles, like a member of pg_monitor. */
  sees: boolean;
  role: string;
}

export const readTransactions = (db: Db): Promise<Transactions> => oneRow(db, transactions);

const transactions = sql<Transactions>`
  select coalesce(extract(epoch from now() - oldest.since), 0)::double precision as seconds, oldest.what,
    (select count(*)::integer from pg_prepared_xacts) as prepared,
    pg_has_role('pg_read_all_stats', 'usage') as sees, current_user::text as role
  from (select 1) one left join lateral (
    select xact_start as since, concat_ws(' ', 'pid', pid, application_name, state) as what from pg_stat_activity
    where xact_start is not null and backend_type <> 'autovacuum worker' and pid <> pg_backend_pid()
    order by xact_start limit 1
  ) oldest on true`;
