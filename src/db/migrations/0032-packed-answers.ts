import { sql } from 'kysely';
import { version } from '../../base/version.js';
import type { Step } from './migration.js';
import { serveFrom } from './records.js';

export const up = async (): Promise<void> => undefined;

/**
 * Lets a new database have stored answers packed (src/idempotency/stored-answers.ts), which releases before do not
 * read. One that served before may have processes of these beside it or after it: a later release packs its answers.
 */
export const steps: readonly Step[] = [
  {
    name: 'oldest release of a new database',
    run: async (db) => {
      const { rows } = await sql`select from accounts limit 1`.execute(db);
      if (rows.length === 0) await serveFrom(db, '0032-packed-answers', version);
    },
  },
];
