import { indexStep, type Step, sqlOf } from './migration.js';

/**
 * The audit log has what accounts do, too: `account_id` is the account whose log shows the entry. Entries by operators
 * are a small part of the table, so their lists have indexes of their own. All earlier entries are by operators.
 */
export const up = sqlOf(`
  alter table audit_log
    add column account_id uuid,
    add column by_operator boolean not null default true;
`);

export const steps: readonly Step[] = [
  indexStep('audit_log_by_operators', 'on audit_log (created_at, id) where by_operator'),
  indexStep('audit_log_by_operator', 'on audit_log (actor_id, created_at, id) where by_operator'),
  indexStep('audit_log_by_operators_operation', 'on audit_log (operation, created_at, id) where by_operator'),
  indexStep('audit_log_of_account', 'on audit_log (account_id, created_at, id) where account_id is not null'),
  indexStep(
    'audit_log_of_account_operation',
    'on audit_log (account_id, operation, created_at, id) where account_id is not null',
  ),
  indexStep('audit_log_of_person', 'on audit_log (actor_id, created_at, id) where not by_operator and key_id is null'),
];
