import { sql } from 'kysely';
import { type Step, sqlOf } from './migration.js';

/**
 * People who sign in for an account (accounts/members.ts). `sign_in_emails` holds the e-mail address of every sign-in
 * once, of accounts and members. Triggers keep it, so that a process of release 1.9 keeps it, too.
 */
export const up = sqlOf(`
  create table members (
    id uuid not null,
    account_id uuid not null,
    name text not null,
    email text not null,
    role text not null,
    password_hash text,
    epoch integer not null default 0,
    epoch_changed_at timestamptz not null default now(),
    link_hash bytea,
    link_expires_at timestamptz,
    invited_by uuid,
    created_at timestamptz not null default now(),
    removed_at timestamptz,
    constraint members_pkey primary key (id),
    constraint members_account_id_fkey foreign key (account_id) references accounts (id),
    constraint members_role_check check (role in ('owner', 'shipper', 'viewer'))
  );
  create index members_of_account on members (account_id, created_at, id) where removed_at is null;
  create index members_epoch_changed on members (epoch_changed_at);
  create index members_email on members (lower(email)) where removed_at is null;
  create unique index members_link on members (link_hash) where link_hash is not null;

  create table sign_in_emails (
    email text not null,
    holder uuid not null,
    constraint sign_in_emails_pkey primary key (email)
  );
  create index sign_in_emails_of_holder on sign_in_emails (holder);

  create function hold_account_email() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        delete from sign_in_emails where holder = old.id;
        return null;
      end if;
      delete from sign_in_emails where holder = new.id;
      if new.deleted_at is null then
        insert into sign_in_emails (email, holder) values (lower(new.email), new.id);
      end if;
      return null;
    end $$;
  create trigger hold_account_email after insert or delete or update of email, deleted_at on accounts
    for each row execute function hold_account_email();

  create function hold_member_email() returns trigger language plpgsql as $$
    begin
      delete from sign_in_emails where holder = new.id;
      if new.removed_at is null then
        insert into sign_in_emails (email, holder) values (lower(new.email), new.id);
      end if;
      return null;
    end $$;
  create trigger hold_member_email after insert or update of email, removed_at on members
    for each row execute function hold_member_email();

  alter table api_keys add column made_by uuid;
  alter table operator_sessions add column member_id uuid, add column member_epoch integer;
`);

export const steps: readonly Step[] = [
  {
    name: 'hold the e-mail addresses of the accounts that are there',
    run: async (db) => {
      await sql`
        insert into sign_in_emails (email, holder)
        select lower(email), id from accounts where deleted_at is null
        on conflict do nothing`.execute(db);
    },
  },
];
