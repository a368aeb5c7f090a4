import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { partitionFresh } from '../partitions/convert.js';
import { idempotencyKeys, webhookAttempts, webhookDeliveries } from '../partitions/tables.js';

/** Partitions deliveries, attempts and answers of a new database; `malote partition` does so in others. */
export async function up(db: Db): Promise<void> {
  // Accounts stay for ever. With it, dropping a partition would lock them.
  await sql`alter table idempotency_keys drop constraint idempotency_keys_account_id_fkey`.execute(db);
  await partitionFresh(db, [webhookAttempts, webhookDeliveries, idempotencyKeys]);
}
