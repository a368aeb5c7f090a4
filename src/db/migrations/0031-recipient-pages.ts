import { sqlOf } from './migration.js';

/**
 * The contact that recipients see, erased also by a process of an earlier release; and whether a package's own link
 * shows all. Labels of earlier releases carry that link, so it shows what it always did until it is renewed.
 */
export const up = sqlOf(`
  alter table accounts add column support_contact text;
  create function erase_support_contact() returns trigger language plpgsql as $$
    begin
      new.support_contact := null;
      return new;
    end $$;
  create trigger erase_support_contact before update of erased_at on accounts
  for each row when (new.erased_at is not null) execute function erase_support_contact();
  alter table packages add column link_shows_all boolean not null default false;
  alter table packages alter column link_shows_all set default true;
`);
