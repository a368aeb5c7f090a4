import { sqlOf } from './migration.js';

/** Metres within which an address lies of where it was placed; null where an earlier release placed it. */
export const up = sqlOf(`
  alter table pickups add column accuracy_metres integer;
  alter table packages add column accuracy_metres integer;
`);
