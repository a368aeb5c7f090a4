import { sqlOf } from './migration.js';

/** Takes away the indexes that those of 0034 replace. */
export const up = sqlOf(`
  drop index orders_newest;
  drop index orders_by_status;
  drop index orders_of_account;
  drop index orders_of_account_by_status;
  drop index packages_newest;
  drop index packages_of_account;
`);
