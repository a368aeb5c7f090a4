import { sqlOf } from './migration.js';

/** A package's tracking link (src/packages/tracking-links.ts): null is the first one, below zero none is valid. */
export const up = sqlOf(`
  alter table packages add column tracking_link integer;
`);
