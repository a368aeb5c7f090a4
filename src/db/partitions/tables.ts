import type { Database } from '../tables/database.js';
import type { KeyKind, Width } from './periods.js';

/** A table stored by time, so that old rows go by dropping a table; plain until `malote partition` in old databases. */
export interface PartitionedTable {
  name: keyof Database;
  /** The column that tells the time of a row; every unique constraint has it among its columns. */
  key: string;
  kind: KeyKind;
  width: Width;
  /** Partitions beyond the present one: a process that is away for less long finds one when it comes back. */
  ahead: number;
  /** Columns of those unique constraints that the plain table has without the key, by their names. */
  unique?: Readonly<Record<string, readonly string[]>>;
  /** Unique constraints and indexes that only the plain table has, as a table of keys stands for them. */
  keyed?: readonly string[];
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
  ahead: 2,
  unique: { idempotency_keys_pkey: ['account_id', 'operation', 'key', 'created_at'] },
};

const byOrder = { kind: 'uuidv7', width: 'month', ahead: 2 } as const;

/** Orders with all that belongs to them, stored by the order's time: what points at a table comes before it. */
export const orderFamily: readonly PartitionedTable[] = [
  { ...byOrder, name: 'movements', key: 'loggi_key', unique: { movements_pkey: ['loggi_key', 'id'] } },
  {
    ...byOrder,
    name: 'packages',
    key: 'loggi_key',
    unique: { packages_order_id_position_key: ['order_id', 'position', 'loggi_key'] },
    keyed: ['packages_tracking_code_key', 'packages_barcode_key'],
  },
  { ...byOrder, name: 'pickups', key: 'order_id' },
  { ...byOrder, name: 'orders', key: 'id', keyed: ['orders_external_id_key'] },
];

export const partitionedTables: readonly PartitionedTable[] = [
  webhookAttempts,
  webhookDeliveries,
  idempotencyKeys,
  ...orderFamily,
];
