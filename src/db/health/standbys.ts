import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { oneRow, scalar } from '../one-row.js';

/** State of a server's standbys, as far as the role of the connection can see it. */
export interface Replication {
  role: string;
  /** True if the role sees the connections of other roles, like a member of pg_monitor. */
  isSeen: boolean;
  /** True if the server is itself a standby. Then it does not know the other standbys of its primary. */
  isStandby: boolean;
  /** Count of connected standbys in any state. It includes running backups if the role does not see the state. */
  connected: number;
  /** Count of standbys that replay the log. A program that only stores the log does not count. */
  streaming: number;
  /** Count of streaming standbys for which a commit may wait. */
  synchronous: number;
  demanded: string;
  /** Bytes of the log that the server has written, and bytes that every streaming standby has replayed. */
  written: number | null;
  replayed: number | null;
  /** Replication slots without a reader. */
  idleSlots: { name: string; kept: number; isLost: boolean }[];
}

const replication = sql<Replication>`
  select current_user::text as role, pg_has_role('pg_read_all_stats', 'usage') as "isSeen", pg_is_in_recovery() as "isStandby",
    current_setting('synchronous_standby_names') as demanded, senders.*,
    pg_wal_lsn_diff(case when not pg_is_in_recovery() then pg_current_wal_lsn() end, '0/0')::double precision as written,
    (select coalesce(json_agg(json_build_object(
        'name', slot_name, 'isLost', coalesce(wal_status = 'lost', false),
        'kept', coalesce(pg_wal_lsn_diff(case when not pg_is_in_recovery() then pg_current_wal_lsn() end, restart_lsn), 0)) order by slot_name), '[]')
      from pg_replication_slots where not active) as "idleSlots"
  from (
    select count(*)::integer as connected,
      count(*) filter (where state = 'streaming' and replay_lsn is not null)::integer as streaming,
      count(*) filter (where state = 'streaming' and sync_state in ('sync', 'quorum'))::integer as synchronous,
      pg_wal_lsn_diff(min(replay_lsn) filter (where state = 'streaming'), '0/0')::double precision as replayed
    from pg_stat_replication sender
    where state is distinct from 'backup' and not exists (
      select from pg_replication_slots where active_pid = sender.pid and slot_type = 'logical')
  ) senders`;

export const readReplication = (db: Db): Promise<Replication> => oneRow(db, replication);

/** Takes the state at a time in milliseconds, and returns seconds. */
export type ReplayWatch = (replication: Pick<Replication, 'written' | 'replayed'>, at: number) => number;

/**
 * Measures how long the standbys have not replayed a part of the log. Call the returned function regularly: it returns
 * seconds, 0 if nothing can be seen. PostgreSQL's replay_lag does not grow while replay stands still.
 */
export function replayWatch(): ReplayWatch {
  let mark: { written: number; at: number } | undefined;
  return ({ written, replayed }, at) => {
    if (written === null || replayed === null) mark = undefined;
    else if (mark === undefined || replayed >= mark.written) mark = { written, at };
    return mark ? (at - mark.at) / 1000 : 0;
  };
}

/** Tells whether archiving failed for the last segment of the log. The log then stays on the server's disk. */
export const readArchiveFails = (db: Db): Promise<boolean> =>
  scalar(
    db,
    sql`(select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) from pg_stat_archiver)`,
  );

/** Count of streaming standbys. Undefined if standbys are connected but the role does not see their state. */
export const streamingStandbys = ({ isSeen, connected, streaming }: Replication): number | undefined =>
  isSeen || connected === 0 ? streaming : undefined;

/** Tells whether commits wait for standbys that do not stream. False if that cannot be seen. */
export function commitsWait({ isSeen, demanded, synchronous }: Replication): boolean {
  // Forms: "2 (a, b)", "FIRST 2 (a, b)" and "ANY 2 (a, b)". Without a number it is one.
  const needed = Number(/^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(demanded)?.[1] ?? 1);
  return isSeen && demanded.trim() !== '' && synchronous < needed;
}
