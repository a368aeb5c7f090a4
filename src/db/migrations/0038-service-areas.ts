import { sqlOf } from './migration.js';

/** Versions of the service areas (carrier/areas.ts). Without a row every place is served, as before. */
export const up = sqlOf(`
  create table service_areas (
    version integer not null,
    valid_from timestamptz not null default now(),
    place_count integer not null,
    areas jsonb not null,
    created_at timestamptz not null default now(),
    constraint service_areas_pkey primary key (version)
  );
`);
