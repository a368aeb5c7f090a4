import type { Database } from '../tables/database.js';
import type { KeyKind, Width } from './periods.js';

/** A table that is partitioned by time, so that old rows are removed by dropping a table. */
export interface PartitionedTable {
  name: keyof Database;
  /** The column that tells a row's time. Every unique constraint must include it. */
  key: string;
  kind: KeyKind;
  width: Width;
  /** Count of partitions after the present one. A process that was away for less time finds one when it comes back. */
  ahead: number;
}

export const webhookAttempts: PartitionedTable = {
  name: 'webhook_attempts',
  key: 'attempted_at',
  kind: 'timestamptz',
  width: 'week',
  ahead: 2,
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
  // More than a week: a person who is warned a week ahead really has that week.
  ahead: 9,
};

const byOrder = { kind: 'uuidv7', width: 'month', ahead: 2 } as const;

/**
 * Orders and all that belongs to them, partitioned by the order's time. A table comes before the tables that it refers
 * to.
 */
export const orderFamily: readonly PartitionedTable[] = [
  { ...byOrder, name: 'movements', key: 'loggi_key' },
  { ...byOrder, name: 'packages', key: 'loggi_key' },
  { ...byOrder, name: 'pickups', key: 'order_id' },
  { ...byOrder, name: 'orders', key: 'id' },
];

export const partitionedTables: readonly PartitionedTable[] = [
  webhookAttempts,
  webhookDeliveries,
  idempotencyKeys,
  ...orderFamily,
];
