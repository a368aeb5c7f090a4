import { sqlOf } from './migration.js';

/**
 * Keeps the catch-ups of endpoints (queue/catch-ups.ts). A trigger notes when an endpoint is disabled or enabled, so
 * that release 1.7 owes it movements, too. An endpoint that was disabled before the migration gets its row when it is
 * enabled. Another time of an endpoint joins a catch-up that has not begun.
 */
export const up = sqlOf(`
  create table webhook_catch_ups (
    id bigint not null generated always as identity,
    endpoint_id uuid not null,
    kind text not null,
    since timestamptz not null,
    until timestamptz,
    known pg_snapshot,
    timeline integer not null,
    from_changed xid8 not null,
    after_changed xid8 not null,
    after_key uuid not null default '00000000-0000-0000-0000-000000000000',
    awaited text[],
    turn_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    constraint webhook_catch_ups_pkey primary key (id),
    constraint webhook_catch_ups_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints(id) on delete cascade,
    constraint webhook_catch_ups_kind_check check (kind in ('moved', 'open', 'unsent'))
  );
  create index webhook_catch_ups_of_endpoint on webhook_catch_ups (endpoint_id, id);
  create index webhook_catch_ups_under_way on webhook_catch_ups (turn_at, id) where ended_at is null;

  create function owe_movements() returns trigger language plpgsql as $$
    declare
      now_on integer := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
    begin
      update webhook_catch_ups set awaited = null
      where endpoint_id = new.id and kind = 'moved' and until is null and ended_at is null;
      if found then
        return null;
      end if;
      if old.disabled_at is null then
        insert into webhook_catch_ups (endpoint_id, kind, since, known, timeline, from_changed, after_changed)
        select new.id, 'moved', clock_timestamp(), seen, now_on, pg_snapshot_xmin(seen), pg_snapshot_xmin(seen)
        from pg_current_snapshot() seen;
      else
        insert into webhook_catch_ups (endpoint_id, kind, since, timeline, from_changed, after_changed)
        select new.id, 'moved', old.disabled_at, now_on, oldest, oldest
        from (select coalesce((
          select oldest from change_marks where marked_at <= old.disabled_at order by marked_at desc limit 1
        ), '0'::xid8) as oldest) mark;
      end if;
      return null;
    end $$;
  create trigger owe_movements after update of disabled_at on webhook_endpoints
    for each row when ((old.disabled_at is null) <> (new.disabled_at is null)) execute function owe_movements();
`);
