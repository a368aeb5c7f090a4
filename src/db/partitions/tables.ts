import type { Database } from '../tables/database.js';
import type { KeyKind, Width } from './periods.js';

/** A table stored by time, so that old rows go by dropping a table. */
export interface PartitionedTable {
  name: keyof Database;
  /** The column that tells the time of a row; every unique constraint has it among its columns. */
  key: string;
  kind: KeyKind;
  width: Width;
  /** Partitions beyond the present one: a process that is away for less long finds one when it comes back. */
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
  // More than a week, so that a person who is warned a week before has that week.
  ahead: 9,
};

const byOrder = { kind: 'uuidv7', width: 'month', ahead: 2 } as const;

/** Orders with all that belongs to them, stored by the order's time: what points at a table comes before it. */
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
