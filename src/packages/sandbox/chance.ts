import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';

// What happens to a package in the sandbox follows from its key alone: nothing has to be remembered, a restart goes on where
// it was, and several processes agree.

const SCOPE = 'malote sandbox';

const digest = (loggiKey: string, purpose: string): string =>
  createHash('sha256').update(`${SCOPE}/${loggiKey.toLowerCase()}/${purpose}`).digest('hex');

/** A number from 0 to below 1, evenly spread over packages and purposes. */
export const chance = (loggiKey: string, purpose: string): number =>
  Number.parseInt(digest(loggiKey, purpose).slice(0, 13), 16) / 2 ** 52;

/** The movement id of a package's step, counted from 1: a UUIDv8 (RFC 9562, 5.8). */
export function stepId(loggiKey: string, step: number): string {
  const hex = digest(loggiKey, String(step));
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

/** The same id, computed by the database. */
export const stepIdIn = (loggiKey: RawBuilder<unknown>, step: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  overlay(overlay(
    left(encode(sha256(convert_to(${SCOPE}::text || '/' || ${loggiKey} || '/' || ${step}, 'UTF8')), 'hex'), 32)
    placing '8' from 13) placing '8' from 17)::uuid`;
