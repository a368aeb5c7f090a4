import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type QueryExecutorProvider, sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { migrations } from '../../src/db/migrations/index.js';
import { migrate } from '../../src/db/migrations/migrate.js';
import { indexStep, type Migration, type Step } from '../../src/db/migrations/migration.js';
import { demandWorkable, readRecords } from '../../src/db/migrations/records.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { lockBreaches } from '../support/migration-locks.js';
import { asReleased, lastRelease, releasedMigrations } from '../support/released-database.js';

/** Checks the rules of docs/migrations.md on each unreleased migration. */

const names = Object.keys(migrations);

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

/** Takes the database back to the state before a migration. */
async function before(name: string): Promise<Migration> {
  const migration = migrations[name];
  if (!migration) throw new Error(`no migration ${name}`);
  await asReleased(database.db);
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([other]) => other < name));
  await migrate(database.url, createLog({ level: 'silent' }), { migrations: earlier });
  // The database has rows, like one in use.
  await sql`
    insert into accounts (id, email, name, phone, role, password_hash)
    select gen_random_uuid(), n || '@malote.test', 'Ana', '+55 11 91234-5678', 'customer', ''
    from generate_series(1, 100) n`.execute(database.db);
  return migration;
}

test('no unreleased migration comes before the last released one', () => {
  expect(
    names.filter((name) => !releasedMigrations.includes(name) && name <= (releasedMigrations.at(-1) ?? '')),
  ).toEqual([]);
});

test('no unreleased migration makes other transactions wait', async () => {
  const unreleased = names.filter((each) => !releasedMigrations.includes(each));
  const [first] = unreleased;
  if (first) await before(first);
  for (const name of unreleased) {
    const migration = migrations[name];
    expect([name, migration && (await lockBreaches(database, migration))]).toEqual([name, []]);
  }
});

test('the last release works with the migrated schema of a database in use', async () => {
  await before(names[0] ?? '');
  await migrate(database.url, createLog({ level: 'silent' }));
  const records = await readRecords(database.db);
  const later = records.map((record) => ({ ...record, name: `9${record.name}` }));
  expect(() => demandWorkable(migrations, later, lastRelease)).not.toThrow();
});

const statement = (text: string) => (db: QueryExecutorProvider) => sql.raw(text).execute(db);
const upOf = (...texts: string[]): Migration => ({
  up: async (db) => {
    for (const text of texts) await statement(text)(db);
  },
});
const stepOf = (step: Step): Migration => ({ up: async () => undefined, steps: [step] });
const running = (text: string): Migration =>
  stepOf({
    name: 'a step',
    run: async (db) => {
      await statement(text)(db);
    },
  });

describe('the check finds', () => {
  test.each([
    ['an index', 'create index on products (name)'],
    [
      'a new column that is not constant',
      'alter table products add column at timestamptz not null default clock_timestamp()',
    ],
    ['another type', 'alter table products alter column version type bigint'],
    ['a column that must not be null', 'alter table products alter column deleted_at set not null'],
    ['a foreign key', 'alter table products add foreign key (account_id) references accounts'],
    ['a condition', 'alter table products add check (version > 0)'],
    ['a change of all rows', 'update products set version = version + 1'],
  ])('%s', async (_, text) => {
    expect(await lockBreaches(database, upOf(text))).toEqual([expect.stringContaining('up goes through')]);
  });

  test('triggers that are made in the same transaction as their backfill', async () => {
    const migration = upOf(
      'create trigger noted after insert on products for each statement execute function refuse_change_of_audit_log()',
      'create table tallies as select account_id, count(*) from products group by account_id',
    );
    expect(await lockBreaches(database, migration)).toEqual(['up goes through products: that belongs in a step']);
  });

  test('a step that blocks writers', async () => {
    const index = running('create index on products (name)');
    expect(await lockBreaches(database, index)).toEqual(['the step "a step" keeps writers of products out']);
    const lock = stepOf({
      name: 'locked',
      chunk: async (db) => {
        await statement('lock table products in share mode')(db);
        return undefined;
      },
    });
    expect(await lockBreaches(database, lock)).toEqual(['the step "locked" keeps writers of products out']);
  });
});

describe('the check accepts', () => {
  test('new tables, columns that are null or constant, triggers, unvalidated constraints', async () => {
    const quick = upOf(
      'create table regions (id integer primary key, account_id uuid references accounts)',
      'create index on regions (account_id)',
      'insert into regions select 1',
      'alter table products add column region integer, add column stock integer not null default 0',
      'alter table products add foreign key (region) references regions not valid',
      'create trigger noted after insert on products for each statement execute function refuse_change_of_audit_log()',
    );
    expect(await lockBreaches(database, quick)).toEqual([]);
  });

  test('an index that is built concurrently, constraints that are validated, chunks', async () => {
    const migration: Migration = {
      ...upOf('alter table products add constraint counted check (version > 0) not valid'),
      steps: [
        indexStep('products_named', 'on products (name)'),
        {
          name: 'validate',
          run: async (db) => void (await statement('alter table products validate constraint counted')(db)),
        },
        {
          name: 'rows',
          chunk: async (db) => {
            await statement('update products set version = version + 1 where id in (select id from products limit 10)')(
              db,
            );
            return undefined;
          },
        },
      ],
    };
    expect(await lockBreaches(database, migration)).toEqual([]);
  });
});
