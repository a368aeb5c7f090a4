import { partitionedIndexSteps, type Step, sqlOf } from './migration.js';

const INDEX = 'packages_by_attempt';
/** Few packages have an attempt: an index of these alone costs the others nothing. */
const COLUMNS = '(account_id, attempt_outcome, created_at, loggi_key) where attempt_outcome is not null';

/**
 * A failed attempt to deliver, and the hours in which the carrier expects to come: facts of a movement. A package keeps
 * the number of its attempts and the last one, which lists filter by.
 */
export const up = sqlOf(`
  alter table movements
    add column attempt_outcome text,
    add column attempt_next_on date,
    add column expected_from timestamptz,
    add column expected_to timestamptz;
  alter table packages
    add column attempt_count smallint,
    add column attempt_outcome text,
    add column attempt_next_on date,
    add column attempted_at timestamptz;
  create index ${INDEX} on only packages ${COLUMNS};
`);

export const steps: readonly Step[] = partitionedIndexSteps(INDEX, 'packages', COLUMNS);
