import { sqlOf } from './migration.js';

/** The hash of a picture as it was sent, by which a repetition is known: what is stored is made anew from it. */
export const up = sqlOf(`
  alter table delivery_pictures add column sent_hash bytea;
`);
