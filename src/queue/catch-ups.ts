/**
 * # The debt to an endpoint
 *
 * No notification is written for a disabled endpoint. A trigger (owe_movements, in schema.sql) notes that an endpoint
 * is disabled, whichever release does so and for whatever reason. Once the endpoint is enabled, workers look through
 * the packages of its account that changed since (packages/catch-up.ts). They notify it of the newest movement of each
 * package that moved while the endpoint was disabled.
 *
 * ## Promises
 *
 * - When the queue is empty and no catch-up is under way, a receiver that keeps the newest state of each package knows
 *   the newest state of every package that moved while its endpoint was registered.
 * - A package's notifications stay in order: its row is locked while its newest movement is read and notified.
 * - Nobody waits: each transaction looks at a hundred packages and records how far it came, so a killed worker loses
 *   nothing. Catch-ups take turns.
 *
 * Not promised: a notification for each movement. The history in the body has the earlier movements. Not promised
 * either: only one notification. A movement recorded at the moment of the enabling may be notified twice.
 *
 * ## Why nothing is missed
 *
 * A transaction that records a movement may have found the endpoint disabled, and be committed after the endpoint was
 * enabled. It holds a lock on the table of endpoints from before it looked. So a catch-up begins when every transaction
 * that held such a lock after the enabling has ended: from then on, each movement without a notification is visible.
 * Packages are checked in the order of the transactions that changed them. Only the last look goes beyond the oldest
 * open transaction (db/lists/changed-since.ts says why). A package that changes during the catch-up is checked again.
 */
import { sql } from 'kysely';
import type { Db } from '../db/connect.js';
import { numbering } from '../db/lists/change-numbers.js';
import type { Position } from '../db/lists/changed-since.js';
import type { Database } from '../db/tables/database.js';

/**
 * `moved`: packages moved while the endpoint was disabled. `open`: the endpoint was registered. `unsent`: a replay of a
 * range.
 */
type CatchUpKind = Database['webhook_catch_ups']['kind'];

export interface CatchUp extends Position {
  id: string;
  kind: CatchUpKind;
  endpointId: string;
  accountId: string;
  /** False while a transaction is open that may have found the endpoint disabled. */
  hasBegun: boolean;
}

/**
 * Locks the catch-up whose turn it is, and its active endpoint, so that an operator cannot disable it meanwhile. It
 * never waits: a change of the endpoint that is under way goes first. In a copied database that was not renumbered, no
 * catch-up has a turn.
 */
export async function takeCatchUp(trx: Db): Promise<CatchUp | undefined> {
  const { rows } = await sql<CatchUp>`
    select job.id, kind, job.endpoint_id as "endpointId", account_id as "accountId", until is not null as "hasBegun",
      timeline, after_changed::text as changed, after_key as key
    from webhook_catch_ups job join webhook_endpoints endpoint on endpoint.id = job.endpoint_id
    where ${numbering} is not null and ended_at is null and disabled_at is null and deleted_at is null and turn_at <= clock_timestamp()
    order by turn_at, job.id limit 1
    for update of job skip locked for key share of endpoint skip locked`.execute(trx);
  const [catchUp] = rows;
  if (!catchUp || catchUp.hasBegun) return catchUp;
  return { ...catchUp, hasBegun: await begin(trx, catchUp.id) };
}

const soon = sql`clock_timestamp() + interval '50 milliseconds'`;

/**
 * Begins the catch-up. The clock is read after the locks, so every movement recorded without a notification is older.
 * Model: Lanes!AwaitOpen, Lanes!BeginCatchUp (lab/models)
 */
async function begin(trx: Db, id: string): Promise<boolean> {
  const { rows } = await sql<{ hasBegun: boolean }>`
    with held as materialized (
      select coalesce(array_agg(virtualtransaction), '{}') as transactions from pg_locks
      where relation = 'webhook_endpoints'::regclass and mode = 'RowShareLock' and pid is distinct from pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
    ), still as materialized (
      select array(select unnest(transactions) intersect select unnest(coalesce(awaited, transactions))) as open
      from held cross join webhook_catch_ups where id = ${id}
    )
    update webhook_catch_ups set awaited = open, turn_at = ${soon},
      until = case cardinality(open) when 0 then clock_timestamp() end
    from still where id = ${id} returning until is not null as "hasBegun"`.execute(trx);
  return rows[0]?.hasBegun ?? false;
}

/** Records the position of a catch-up, and whether it is over. Without a new position it waits for a moment. */
export async function advanceCatchUp(
  trx: Db,
  { id, kind }: CatchUp,
  { last, isOver }: { last: Position | undefined; isOver: boolean },
): Promise<void> {
  if (isOver && kind !== 'moved') {
    await trx.deleteFrom('webhook_catch_ups').where('id', '=', id).execute();
    return;
  }
  // After a failover to another timeline, numbers of lost transactions may have been given out again.
  const moved = last
    ? sql`after_changed = ${last.changed}::xid8, after_key = ${last.key}::uuid, turn_at = clock_timestamp(),
        known = case timeline when ${last.timeline}::integer then known end,
        from_changed = case timeline when ${last.timeline}::integer then from_changed else '0' end,
        timeline = ${last.timeline}::integer`
    : sql`turn_at = ${soon}`;
  await sql`
    update webhook_catch_ups set ${moved}, ended_at = case when ${isOver} then clock_timestamp() end
    where id = ${id}`.execute(trx);
}

/** Postpones a failing catch-up, so that others get their turns. */
export async function postponeCatchUp(db: Db, { id }: Pick<CatchUp, 'id'>): Promise<void> {
  await sql`
    update webhook_catch_ups set turn_at = clock_timestamp() + interval '30 seconds' where id = ${id}`.execute(db);
}
