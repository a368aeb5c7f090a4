import { indexStep, type Step, sqlOf } from './migration.js';

/**
 * With a count of its changes in the keys, a lane's present version is found without passing the former ones, which
 * stay in the indexes while anybody holds a snapshot, such as pg_dump.
 */
export const up = sqlOf(`
  alter table webhook_lanes add column changes bigint not null default 0;
`);

export const steps: readonly Step[] = [
  indexStep('webhook_lanes_newest', 'on webhook_lanes (id, changes)', { unique: true }),
  indexStep('webhook_lanes_by_number', 'on webhook_lanes (endpoint_id, generation, number, changes)'),
];
