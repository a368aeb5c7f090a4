import { partitionedIndexSteps, type Step, sqlOf } from './migration.js';

/** Few orders have a ready time: an index of these alone costs the others nothing. */
const READY = 'where ready_at is not null';

const indexes = [
  ['orders_by_ready', `(ready_at, id) ${READY}`],
  ['orders_of_account_by_ready', `(account_id, ready_at, id) ${READY}`],
] as const;

/** The time from which an order's packages can be collected, and the days between which a package is delivered. */
export const up = sqlOf(`
  alter table orders add column ready_at timestamp(3) with time zone;
  alter table packages add column deliver_from date, add column deliver_by date;
  ${indexes.map(([index, columns]) => `create index ${index} on only orders ${columns};`).join('\n  ')}
`);

export const steps: readonly Step[] = indexes.flatMap(([index, columns]) =>
  partitionedIndexSteps(index, 'orders', columns),
);
