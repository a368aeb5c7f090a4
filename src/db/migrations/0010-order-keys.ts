import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { partitionFresh } from '../partitions/convert.js';
import { useKeys } from '../partitions/order-keys.js';
import { orderFamily } from '../partitions/tables.js';

/**
 * Keeps unique keys of orders and packages beside them, so that these can be partitioned. While orders are one plain
 * table, the tables of keys are empty: its own unique indexes hold, and the views read it.
 */
export async function up(db: Db): Promise<void> {
  await sql`
    create table order_external_ids (
      account_id uuid not null,
      external_id text not null,
      order_id uuid not null,
      primary key (account_id, external_id)
    )`.execute(db);
  await sql`
    create table package_codes (
      tracking_code text primary key,
      barcode text not null unique,
      loggi_key uuid not null
    )`.execute(db);
  await sql`create table movement_keys (id uuid primary key, loggi_key uuid not null)`.execute(db);
  // Immutable, so that plans are made for what it says; they are made anew when it is replaced.
  await sql`
    create function orders_are_partitioned() returns boolean language sql immutable as 'select false'`.execute(db);
  await sql`
    create view orders_by_external_id as
    select account_id, external_id, id as order_id from orders where external_id is not null`.execute(db);
  await sql`create view packages_by_code as select tracking_code, barcode, loggi_key from packages`.execute(db);
  await sql`create view movements_by_id as select id, loggi_key from movements`.execute(db);
  await sql`
    create table key_copies (
      source text primary key,
      last_id uuid not null
    )`.execute(db);
  await partitionFresh(db, orderFamily, useKeys);
}
