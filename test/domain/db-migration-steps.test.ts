import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createApp } from '../../src/app/index.js';
import { loadConfig } from '../../src/base/config.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { version } from '../../src/base/version.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate, untilMigrated } from '../../src/db/migrations/migrate.js';
import { indexStep, type Migration } from '../../src/db/migrations/migration.js';
import { migrationStatuses, readRecords } from '../../src/db/migrations/records.js';
import { createDatabase, emptied, type TestDatabase } from '../support/database.js';
import { ownFolder } from '../support/folder.js';
import { waitFor } from '../support/receiver.js';
import { serviceSettings } from '../support/service.js';

const dataDir = await ownFolder();
let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await sql`create table numbers (n integer primary key, doubled integer)`.execute(database.db);
  await sql`insert into numbers select generate_series(1, 25)`.execute(database.db);
});
afterEach(() => database.drop());

const lines: Record<string, unknown>[] = [];
beforeEach(() => void lines.splice(0));
const log = createLog({ level: 'info', destination: { write: (line: string) => lines.push(JSON.parse(line)) } });

/** Applies `later` after the migrations of the release. */
const apply = (later: Record<string, Migration>) =>
  migrate(database.url, log, { migrations: { ...migrations, ...later } });

const nothing = async () => undefined;

/** Doubles ten numbers per chunk. Fails once, at the first chunk that begins after `failsAfter`. */
function doubling(failsAfter?: string) {
  const begun: (string | undefined)[] = [];
  let hasFailed = false;
  const migration: Migration = {
    up: nothing,
    steps: [
      {
        name: 'double',
        chunk: async (db, after) => {
          begun.push(after);
          const { rows } = await sql<{ n: number }>`
            update numbers set doubled = coalesce(doubled, n) * 2 where n in (
              select n from numbers where n > ${Number(after ?? 0)} order by n limit 10
            ) returning n`.execute(db);
          if (after === failsAfter && failsAfter !== undefined && !hasFailed) {
            hasFailed = true;
            throw new Error('cut off');
          }
          if (rows.length === 0) return undefined;
          return { after: String(Math.max(...rows.map(({ n }) => n))), rows: rows.length };
        },
      },
    ],
  };
  return { begun, migration };
}

const doubled = async () => {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::integer as wrong from numbers where doubled is distinct from n * 2`.execute(database.db);
  return rows[0]?.wrong === 0;
};

describe('steps', () => {
  test('go through all rows in chunks, and through each row once', async () => {
    const { begun, migration } = doubling();
    await apply({ '9000-doubled': migration });
    await apply({ '9000-doubled': migration });
    expect(begun).toEqual([undefined, '10', '20', '25']);
    expect(await doubled()).toBe(true);
  });

  test('continue after the last committed chunk', async () => {
    const { begun, migration } = doubling('10');
    await expect(apply({ '9000-doubled': migration })).rejects.toThrow('cut off');
    const [status] = migrationStatuses({ '9000-doubled': migration }, await readRecords(database.db));
    expect(status).toMatchObject({ state: 'under way', steps: [{ step: 'double', finished: false, rows: 10 }] });
    await apply({ '9000-doubled': migration });
    expect(begun).toEqual([undefined, '10', '10', '20', '25']);
    expect(await doubled()).toBe(true);
  });

  test('build an index during a long write, even after an attempt that left an unfinished index', async () => {
    await sql`insert into numbers values (26, 1), (27, 1)`.execute(database.db);
    const unique = indexStep('numbers_doubled', 'on numbers (doubled)', { unique: true });
    await expect(apply({ '9000-index': { up: nothing, steps: [unique] } })).rejects.toThrow('could not create unique');
    await sql`delete from numbers where n = 27`.execute(database.db);
    const written = database.db.transaction().execute(async (trx) => {
      await sql`insert into numbers values (28, 28)`.execute(trx);
      await sql`select pg_sleep(1)`.execute(trx);
    });
    await Promise.all([written, apply({ '9000-index': { up: nothing, steps: [unique] } })]);
    const { rows } = await sql`
      select indisvalid from pg_index where indexrelid = 'numbers_doubled'::regclass`.execute(database.db);
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  test('come before the next migration', async () => {
    const seen: boolean[] = [];
    const next: Migration = { up: async () => void seen.push(await doubled()) };
    await apply({ '9000-doubled': doubling().migration, '9001-next': next });
    expect(seen).toEqual([true]);
    expect(lines.map(({ migration, step }) => [migration, step])).toEqual([
      ['9000-doubled', undefined],
      ['9000-doubled', 'double'],
      ['9001-next', undefined],
    ]);
  });

  test('log their progress', async () => {
    const { migration } = doubling();
    const events: object[] = [];
    await migrate(database.url, log, {
      migrations: { ...migrations, '9000-doubled': migration },
      tell: (event) => events.push(event),
    });
    expect(events).toMatchObject([
      { event: 'applied', migration: '9000-doubled' },
      { event: 'progress', rows: 10 },
      { event: 'progress', rows: 20 },
      { event: 'progress', rows: 25 },
      { event: 'applied', migration: '9000-doubled', step: 'double' },
    ]);
  });
});

describe('a database that a newer release has migrated', () => {
  test('is used, and the log says so', async () => {
    await apply({ '9000-newer': { up: nothing } });
    await migrate(database.url, log);
    expect(lines.at(-1)).toMatchObject({ migrations: ['9000-newer'] });
  });

  test.each(['99.0.0', '1.99.0'])('is refused when it serves only releases from %s on', async (from) => {
    const served = { '9000-added': { up: nothing }, '9001-removed': { up: nothing, serves: { from } } };
    await apply(served);
    const said = `it serves ${from} and later ones, since 9001-removed`;
    await expect(migrate(database.url, log)).rejects.toThrow(said);
    await expect(untilMigrated(database.db, log)).rejects.toThrow(said);
  });

  test.each(['0.9.10', '1.2.0', version])('is used when it serves releases from %s on', async (from) => {
    await apply({ '9001-removed': { up: nothing, serves: { from } } });
    await expect(migrate(database.url, log)).resolves.toBeUndefined();
  });

  test('is refused when its migration is not later than those of this release', async () => {
    await apply({ '8000-other': { up: nothing } });
    await expect(apply({ '9000-own': { up: nothing } })).rejects.toThrow('this release lacks: 8000-other');
  });
});

describe('a process that does not migrate', () => {
  test('waits until another process has applied all migrations and steps, and logs once why it waits', async () => {
    const { migration } = doubling('10');
    const later = { ...migrations, '9000-doubled': migration };
    let isThere = false;
    const waiting = untilMigrated(database.db, log, later).then(() => {
      isThere = true;
    });
    await expect(apply({ '9000-doubled': migration })).rejects.toThrow('cut off');
    await waitFor(() => lines.some(({ missing }) => missing), 'the line that says what is missing');
    // Time for several more looks, which must log nothing.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(isThere).toBe(false);
    await apply({ '9000-doubled': migration });
    await waiting;
    expect(lines.filter(({ missing }) => missing)).toMatchObject([{ missing: ['9000-doubled'] }]);
  });

  test('starts as soon as the database has all migrations', async () => {
    await emptied(database.db);
    const settings = { ...serviceSettings(database.url, dataDir), NODE_ENV: 'test', MIGRATE: '0' };
    const starting = createApp(loadConfig(settings), { api: false, worker: false, log });
    await waitFor(() => lines.some(({ missing }) => missing), 'the line that says what is missing');
    expect(lines.find(({ missing }) => missing)).toMatchObject({ missing: Object.keys(migrations) });
    await apply({});
    const app = await starting;
    expect(await app.probes.obstacles()).toEqual([]);
    await app.stop();
  });
});
