import { sqlOf } from './migration.js';

/** Keys of a lane without its count of changes: PostgreSQL would look at all former versions of its row. */
export const up = sqlOf(`
  alter table webhook_lanes drop constraint webhook_lanes_endpoint_id_generation_number_key,
    drop constraint webhook_lanes_pkey,
    add constraint webhook_lanes_pkey primary key using index webhook_lanes_newest;
`);
