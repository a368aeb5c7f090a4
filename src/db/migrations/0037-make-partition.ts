import { sqlOf } from './migration.js';

/**
 * Lets a role that may not change the schema make partitions: the function works with the rights of its owner, and only
 * adds an empty partition to one of the owner's tables. Everybody may execute a new function, so it
 * looks whether the role may write rows there: a partition without an end would keep all later ones from being made.
 */
export const up = sqlOf(`
  create function make_partition(parent regclass, partition text, lower text, upper text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  declare
    place text := (
      select relnamespace::regnamespace::text from pg_class
      where oid = parent and relkind = 'p' and relowner = current_user::regrole
        and has_table_privilege(session_user, parent, 'insert'));
  begin
    if place is null or not starts_with(partition, (select relname from pg_class where oid = parent) || '_') then
      raise 'no partition % of % can be made', partition, parent using errcode = 'insufficient_privilege';
    end if;
    execute format('create table %s.%I (like %s including all excluding identity)', place, partition, parent);
    execute format(
      'alter table %s attach partition %s.%I for values from (%L) to (%L)', parent, place, partition, lower, upper);
  end $$;
`);
