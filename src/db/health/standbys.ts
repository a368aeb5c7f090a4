import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { oneRow, scalar } from '../one-row.js';

/** State of a server's standbys, as far as the role of the connection may see it. */
export interface Replication {
  role: string;
  /** The role sees the state of others' connections, as members of pg_monitor do. */
  isSeen: boolean;
  /** The server is a standby itself: it knows nothing of its primary's others. */
  isStandby: boolean;
  /** Standbys in whatever state; of a role that does not see the state, backups under way are among them. */
  connected: number;
  /** Standbys that replay: a program that only stores the log does not. */
  streaming: number;
  /** Streaming standbys that a commit may wait for. */
  synchronous: number;
  demanded: string;
  /** Bytes of the log that the server has written, and those of them that each streaming standby has replayed. */
  written: number | null;
  replayed: number | null;
  /** Replication slots that nobody reads now. */
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

/** Takes a look at a time in milliseconds, and returns seconds. */
export type ReplayWatch = (replication: Pick<Replication, 'written' | 'replayed'>, at: number) => number;

/**
 * Follows for how long something written has not been replayed by each standby: the function returned takes looks, and
 * returns seconds, 0 where nothing can be seen. PostgreSQL's replay_lag does not grow while replay stands still.
 */
export function replayWatch(): ReplayWatch {
  let mark: { written: number; at: number } | undefined;
  return ({ written, replayed }, at) => {
    if (written === null || replayed === null) mark = undefined;
    else if (mark === undefined || replayed >= mark.written) mark = { written, at };
    return mark ? (at - mark.at) / 1000 : 0;
  };
}

/** True when the archive refused the last segment of the log; the log then stays on the disk of the server. */
export const readArchiveFails = (db: Db): Promise<boolean> =>
  scalar(
    db,
    sql`(select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) from pg_stat_archiver)`,
  );

/** Undefined when some standbys are connected and the role does not see their state. */
export const streamingStandbys = ({ isSeen, connected, streaming }: Replication): number | undefined =>
  isSeen || connected === 0 ? streaming : undefined;

/** True when commits wait for standbys that do not stream; false where that cannot be seen. */
export function commitsWait({ isSeen, demanded, synchronous }: Replication): boolean {
  // "2 (a, b)", "FIRST 2 (a, b)" and "ANY 2 (a, b)"; without a number it is one.
  const needed = Number(/^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(demanded)?.[1] ?? 1);
  return isSeen && demanded.trim() !== '' && synchronous < needed;
}
