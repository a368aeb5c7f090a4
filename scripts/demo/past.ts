import { sql } from 'kysely';
import { setDatabaseTime } from '../../src/base/clock.js';
import type { Config } from '../../src/base/config.js';
import { ConfigError } from '../../src/base/settings.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect } from '../../src/db/connect.js';

/**
 * The past of a database that is there to be tried out. Its clock is set back for everything that connects from then
 * on, so that the service works there as it always does, and all of its times agree. The service itself is unchanged.
 */
export interface Past {
  /** Sets the clock of the database, and that by which this process makes ids. */
  goTo(time: number): Promise<void>;
  /** Gives the database its own clock back. */
  leave(): Promise<void>;
}

/** Throws ConfigError for a database that may be used in earnest. */
export function demandTrial({ nodeEnv, databaseUrl, singleMachine }: Config): void {
  if (nodeEnv !== 'production' && (databaseUrl === undefined || singleMachine)) return;
  throw new ConfigError(
    'only a database for development is seeded: the embedded one, or DATABASE_URL with SINGLE_MACHINE=1, and not with NODE_ENV=production',
  );
}

/** Functions that hide PostgreSQL's own from statements. Defaults of columns refer to a function whatever its name. */
const CLOCK = `
  create schema past;
  create table past.clock as select interval '0' as behind;
  create function past.now() returns timestamptz stable language sql
    as 'select pg_catalog.now() - behind from past.clock';
  create function past.clock_timestamp() returns timestamptz volatile language sql
    as 'select pg_catalog.clock_timestamp() - behind from past.clock';`;

/** Throws ConfigError when there are orders already: times before theirs would not be true of them. */
export async function enterPast(url: string): Promise<Past> {
  const log = createLog({ level: 'error' });
  const db = connect({ url, poolSize: 1, applicationName: 'malote demo', log });
  const database = sql.ref(new URL(url).pathname.slice(1));
  const { rows } = await sql`select from orders limit 1`.execute(db);
  if (rows.length > 0) {
    await db.destroy();
    throw new ConfigError('only an empty database is seeded, and this one has orders');
  }
  await sql.raw(CLOCK).execute(db);
  // The prices of a new database begin when it is made.
  await sql`update rate_cards set valid_from = valid_from - interval '1 year'`.execute(db);
  await useClock('pg_catalog', 'past');
  await sql`alter database ${database} set search_path = public, past, pg_catalog`.execute(db);

  /** Lets defaults of columns ask the clock of another schema. */
  async function useClock(from: string, to: string): Promise<void> {
    await sql`
      do $$ declare of_clock record; begin
        for of_clock in
          select adrelid::regclass as relation, attname, default_of.name from pg_attrdef
          join pg_attribute on attrelid = adrelid and attnum = adnum
          cross join lateral (
            select replace(pg_get_expr(adbin, adrelid), ${sql.lit(`${from}.`)}, '') as name
          ) default_of
          where default_of.name in ('now()', 'clock_timestamp()')
        loop
          execute format('alter table %s alter column %I set default ${sql.raw(to)}.%s',
            of_clock.relation, of_clock.attname, of_clock.name);
        end loop;
      end $$`.execute(db);
  }

  return {
    goTo: async (time) => {
      await sql`update past.clock set behind = clock_timestamp() - ${new Date(time)}`.execute(db);
      const now = performance.now();
      setDatabaseTime(new Date(time), now, now);
    },
    leave: async () => {
      await sql`alter database ${database} reset search_path`.execute(db);
      await useClock('past', 'pg_catalog');
      await sql`drop schema past cascade`.execute(db);
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
      for (const { now } of rows) setDatabaseTime(now, performance.now(), performance.now());
      await db.destroy();
    },
  };
}
