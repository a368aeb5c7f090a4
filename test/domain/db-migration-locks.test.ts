import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type QueryExecutorProvider, sql } from 'kysely';
import { createLog } from '../../src/base/log.js';
import { migrate } from '../../src/db/migrate.js';
import { indexStep, type Migration, type Step } from '../../src/db/migrating/migration.js';
import { migrations } from '../../src/db/migrations/index.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { lockBreaches } from '../support/migration-locks.js';

/** The rules of docs/migrations.md, tried on each migration that is not released yet. */

const released = (await readFile('contracts/released/migrations.txt', 'utf8')).trim().split('\n');
const names = Object.keys(migrations);

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(() => database.drop());

/** Takes the database back to what it was before a migration. */
async function before(name: string): Promise<Migration> {
  const migration = migrations[name];
  if (!migration) throw new Error(`no migration ${name}`);
  await sql`drop schema public cascade; create schema public`.execute(database.db);
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([other]) => other < name));
  await migrate(database.url, createLog({ level: 'silent' }), { migrations: earlier });
  return migration;
}

test('no released migration is gone or has another place', () => {
  expect(names.slice(0, released.length)).toEqual(released);
});

test('no migration that is not released keeps anybody waiting', async () => {
  for (const name of names.filter((each) => !released.includes(each))) {
    expect([name, await lockBreaches(database, await before(name))]).toEqual([name, []]);
  }
});

test('what a migration needs is in the last release', () => {
  const needs = Object.values(migrations).flatMap((migration) => migration.needs ?? []);
  expect(needs.filter((name) => !released.includes(name))).toEqual([]);
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
    ['an index', 'create index on orders (package_count)'],
    [
      'a new column that is not constant',
      'alter table orders add column at timestamptz not null default clock_timestamp()',
    ],
    ['another type', 'alter table orders alter column distance_metres type bigint'],
    ['a column that must not be null', 'alter table orders alter column external_id set not null'],
    ['a foreign key', 'alter table packages add foreign key (account_id) references accounts'],
    ['a condition', 'alter table orders add check (pickup_count > 0)'],
    ['a change of all rows', 'update orders set version = version + 1'],
  ])('%s', async (_, text) => {
    expect(await lockBreaches(database, upOf(text))).toEqual([expect.stringContaining('up goes through')]);
  });

  test('triggers that come together with the backfill for them', async () => {
    expect(await lockBreaches(database, await before('0004-order-tallies'))).toEqual([
      'up goes through orders: that belongs in a step',
    ]);
  });

  test('a step that keeps writers out', async () => {
    const index = running('create index on orders (package_count)');
    expect(await lockBreaches(database, index)).toEqual(['the step "a step" keeps writers of orders out']);
    const lock = stepOf({
      name: 'locked',
      chunk: async (db) => {
        await statement('lock table orders in share mode')(db);
        return undefined;
      },
    });
    expect(await lockBreaches(database, lock)).toEqual(['the step "locked" keeps writers of orders out']);
  });
});

describe('the check lets pass', () => {
  test('new tables, columns that are null or constant, triggers, what is not validated yet', async () => {
    const quick = upOf(
      'create table regions (id integer primary key, account_id uuid references accounts)',
      'create index on regions (account_id)',
      'insert into regions select 1',
      'alter table orders add column region integer, add column weight integer not null default 0',
      'alter table orders add foreign key (region) references regions not valid',
      'create trigger noted after insert on orders for each statement execute function refuse_change_of_audit_log()',
    );
    expect(await lockBreaches(database, quick)).toEqual([]);
  });

  test('an index that is built concurrently, constraints that are validated, chunks', async () => {
    const migration: Migration = {
      ...upOf('alter table orders add constraint counted check (pickup_count > 0) not valid'),
      steps: [
        indexStep('orders_counted', 'on orders (package_count)'),
        {
          name: 'validate',
          run: async (db) => void (await statement('alter table orders validate constraint counted')(db)),
        },
        {
          name: 'rows',
          chunk: async (db) => {
            await statement('update orders set version = version + 1 where id in (select id from orders limit 10)')(db);
            return undefined;
          },
        },
      ],
    };
    expect(await lockBreaches(database, migration)).toEqual([]);
  });
});
