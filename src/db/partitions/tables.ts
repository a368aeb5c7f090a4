import type { Database } from '../tables.js';
import type { KeyKind, Width } from './periods.js';

/**
 * A table whose rows are stored by their time, so that old ones go by dropping a table and not one by one. In a database that
 * was made before 1.3 it is one plain table until `malote partition` has run.
 */
export interface PartitionedTable {
  name: keyof Database;
  /** The column that tells the time of a row; every unique constraint has it among its columns. */
  key: string;
  kind: KeyKind;
  width: Width;
  /** Partitions that exist beyond the present one: a process that is away for less long finds one when it comes back. */
  ahead: number;
  /** Columns of those unique constraints that the plain table has without the key, by their names. */
  unique?: Readonly<Record<string, readonly string[]>>;
}

export const webhookAttempts: PartitionedTable = {
  name: 'webhook_attempts',
  key: 'attempted_at',
  kind: 'timestamptz',
  width: 'week',
  ahead: 2,
  unique: { webhook_attempts_pkey: ['id', 'attempted_at'] },
};

export const webhookDeliveries: PartitionedTable = {
  name: 'webhook_deliveries',
  key: 'webhook_id',
  kind: 'uuidv7',
  width: 'week',
  ahead: 2,
};

export const idempotencyKeys: PartitionedTable = {
  name: 'idempotency_keys',
  key: 'created_at',
  kind: 'timestamptz',
  width: 'day',
  ahead: 3,
  unique: { idempotency_keys_pkey: ['account_id', 'operation', 'key', 'created_at'] },
};

export const partitionedTables: readonly PartitionedTable[] = [webhookAttempts, webhookDeliveries, idempotencyKeys];
