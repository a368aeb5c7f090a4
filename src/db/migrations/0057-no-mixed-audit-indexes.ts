import { sqlOf } from './migration.js';

/** Takes away the indexes that those of 0056 replace. */
export const up = sqlOf(`
  drop index audit_log_by_actor;
  drop index audit_log_by_operation;
  drop index audit_log_newest;
`);
