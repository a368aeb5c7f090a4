import { sqlOf } from './migration.js';

/**
 * Marks stops whose coordinates came with their address. Their precision is stored as that of a building, which the
 * release before knows.
 */
export const up = sqlOf(`
  alter table pickups add column location_given boolean;
  alter table packages add column location_given boolean;
`);
