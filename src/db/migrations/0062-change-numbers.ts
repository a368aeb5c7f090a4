import { sqlOf } from './migration.js';

/** Until a copy is renumbered, the numbers are those of the server that made the database. */
export const FIRST_NUMBERING = `
  insert into change_numbers (server, numbering) select system_identifier::text, 1 from pg_control_system();
`;

/**
 * Names the server that gave the numbers of changes (db/lists/change-numbers.ts). A copy by pg_dump or logical
 * replication has the row of the server that it was copied from.
 */
export const up = sqlOf(`
  create table change_numbers (
    server text not null,
    numbering integer not null,
    constraint change_numbers_pkey primary key (server)
  );
  create unique index change_numbers_one on change_numbers ((true));
  ${FIRST_NUMBERING}
`);
