import { sql } from 'kysely';
import type { RestDeps, SomeHandlers } from './deps.js';

/** `GET /health`: a database that does not answer ends in 503 like everywhere else. */
export const systemHandlers = ({ db }: RestDeps) =>
  ({
    getHealth: async () => {
      await sql`select 1`.execute(db);
      return { status: 200, body: { status: 'ok' } };
    },
  }) satisfies SomeHandlers;
