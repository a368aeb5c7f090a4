import { sqlOf } from './migration.js';

/** The logo and the colour of an account, which recipients see. */
export const up = sqlOf(`
  create table brands (
    account_id uuid not null,
    color text,
    logo_type text,
    logo bytea,
    constraint brands_pkey primary key (account_id),
    constraint brands_account_id_fkey foreign key (account_id) references accounts (id),
    constraint brands_color_check check (color ~ '^#[0-9a-f]{6}$'),
    constraint brands_logo_type_check check (logo_type in ('image/jpeg', 'image/png', 'image/webp'))
  );
`);
