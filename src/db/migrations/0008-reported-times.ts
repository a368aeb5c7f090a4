import { sqlOf } from './migration.js';

/** The time by the clock of a movement's sender, where another one counts: a repetition is recognised by it. */
export const up = sqlOf(`
  alter table movements add column reported_at timestamptz;
`);
