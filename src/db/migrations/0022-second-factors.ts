import { sql } from 'kysely';
import { type Step, sqlOf } from './migration.js';

/** Keys tell whether their maker gave a second factor; those of earlier releases count as if. */
export const up = sqlOf(`
  alter table operator_keys add column with_factor boolean not null default true;
`);

/** An enrolment is stored when it is confirmed: no secret that was shown before is shown, or put in force, again. */
export const steps: readonly Step[] = [
  {
    name: 'unconfirmed second factors',
    run: async (db) => {
      await sql`delete from second_factors where confirmed_at is null`.execute(db);
    },
  },
];
