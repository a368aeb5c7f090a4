import { type RawBuilder, sql } from 'kysely';

/** A UUIDv7 of a time, in SQL, for rows of tests: orders and packages are stored by the times of their ids. */
export const idAt = (time: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  overlay(replace(gen_random_uuid()::text, '-', '') placing
    lpad(to_hex((extract(epoch from ${time}) * 1000)::bigint), 12, '0') || '7' from 1 for 13)::uuid`;
