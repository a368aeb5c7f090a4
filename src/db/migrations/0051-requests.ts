import { indexStep, type Step, sqlOf } from './migration.js';

/**
 * Requests of shippers about packages are tasks, as answers are, which have been the only kind until now. A package has
 * one open request of a kind.
 */
export const up = sqlOf(`
  alter table package_answers
    add column kind text not null default 'answer',
    add column day date,
    add column recipient_name text,
    add column problem text,
    add column proof_facts bytea,
    add column delivered_at timestamptz(3),
    add column movement_id uuid;
`);

export const steps: readonly Step[] = [
  indexStep(
    'package_answers_one_open',
    `on package_answers (loggi_key, kind) where completed_at is null and kind <> 'answer'`,
    { unique: true },
  ),
];
