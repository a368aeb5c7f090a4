import { sqlOf } from './migration.js';

const CLAIMABLE = `state in ('ready', 'leased', 'waiting') and attempt = 0`;

/** Lanes to slow receivers are claimed apart, by account. `webhook_lanes_due` stays for processes from before. */
export const up = sqlOf(`
  alter table webhook_lanes add column slow_account_id uuid;
  -- The id makes this the only index that yields the lanes in the order in which they are claimed.
  create index webhook_lanes_due_prompt on webhook_lanes (due_at, id)
  where ${CLAIMABLE} and slow_account_id is null;
  create index webhook_lanes_due_slow on webhook_lanes (slow_account_id, due_at)
  where ${CLAIMABLE} and slow_account_id is not null;
`);
