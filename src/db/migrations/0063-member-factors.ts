import { sqlOf } from './migration.js';

/**
 * Second factors of members. Their rows have the member's id in the place of the account's, so that processes of the
 * last release find the factors of accounts only.
 */
export const up = sqlOf(`
  alter table second_factors drop constraint second_factors_account_id_fkey;
  alter table accounts add column factor_required boolean not null default false;
`);
