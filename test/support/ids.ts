import { type RawBuilder, sql } from 'kysely';

/** SQL for a UUIDv7 of a time. Orders and packages are stored by the times of their ids. */
export const idAt = (time: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  overlay(replace(gen_random_uuid()::text, '-', '') placing
    lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7' from 1 for 13)::uuid`;
