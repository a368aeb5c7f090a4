import { sqlOf } from './migration.js';

/** The working time until then (routing/calendar.ts), which is the first version. */
export const FIRST_CALENDAR = `
  insert into calendars (version, valid_from, hours, closed, closed_count) values (1, '2000-01-01T02:00:00Z',
    '{"collectionLeadMinutes": 30, "collectionCutoff": null, "opening": "08:00", "closing": "20:00",
      "saturdays": true, "sundays": false}', '[]', 0);
`;

/** Versions of the carrier's working time (carrier/calendars.ts). */
export const up = sqlOf(`
  create table calendars (
    version integer not null,
    valid_from timestamptz not null default now(),
    hours jsonb not null,
    closed jsonb not null,
    closed_count integer not null,
    created_at timestamptz not null default now(),
    constraint calendars_pkey primary key (version)
  );
  ${FIRST_CALENDAR}
`);
