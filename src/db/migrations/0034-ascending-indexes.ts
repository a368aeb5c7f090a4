import { type QueryExecutorProvider, sql } from 'kysely';
import { partitionedIndexSteps, type Step } from './migration.js';

const indexes = [
  ['orders_by_time', 'orders', '(created_at, id)'],
  ['orders_by_status_and_time', 'orders', '(status, created_at, id)'],
  ['orders_of_account_by_time', 'orders', '(account_id, created_at, id)'],
  ['orders_of_account_by_status_and_time', 'orders', '(account_id, status, created_at, id)'],
  ['packages_by_time', 'packages', '(created_at, loggi_key)'],
  ['packages_of_account_by_time', 'packages', '(account_id, created_at, loggi_key)'],
] as const;

/**
 * Lists are read backwards through ascending indexes: new rows then go to the end, where a full page stays full. In
 * descending ones each page that a new row fell into was split in the middle, copied to the log, and left half empty.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  // An index is valid once each partition has its own; those that are made from now on get one.
  for (const [index, table, columns] of indexes)
    await sql`create index ${sql.id(index)} on only ${sql.table(table)} ${sql.raw(columns)}`.execute(db);
}

/** Release 1.6 does not read the answers that are stored for idempotency keys from now on. */
export const serves = { from: '1.7.0' };

export const steps: readonly Step[] = indexes.flatMap(([index, table, columns]) =>
  partitionedIndexSteps(index, table, columns),
);
