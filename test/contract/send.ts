import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { bodyFor, type Records } from '../support/bodies.js';
import { type Answer, type Ask, ask } from '../support/http.js';
import { pathFor } from '../support/records.js';
import type { Service } from '../support/service.js';
import type { Described } from './oracle.js';
import type { World } from './world.js';

/** Makes an operation answer a status. */
export type Provoke = (operation: Described, world: World) => Promise<Answer>;

const tokenFor = (operation: Described, { proven }: Service): string | undefined =>
  operation.isPublic ? undefined : proven.token;

/** Sends the request of an operator, with the given changes. */
export function send(operation: Described, world: World, altered: Ask & { records?: Records; service?: Service } = {}) {
  const { records = world.records, service = world.service, ...other } = altered;
  const usual = { token: tokenFor(operation, service), body: bodyFor(operation, records) };
  return ask(service.url, operation.method, pathFor(operation, records), { ...usual, ...other });
}

export const keyed = (key: string) => ({ 'Idempotency-Key': key });

/** Holds the key like a running request (src/idempotency/once.ts). */
export async function whileHeld(
  operation: Described,
  { service }: World,
  work: (key: string) => Promise<Answer>,
  accountId = service.operator.id,
): Promise<Answer> {
  const key = randomUUID();
  const name = JSON.stringify(['idempotency', accountId, operation.id, key]);
  return service.db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtextextended(${name}, 0))`.execute(connection);
    const answer = await work(key);
    await sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`.execute(connection);
    return answer;
  });
}
