import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { partitionsOf } from '../../src/db/partitions/partitions.js';
import { keyAt, nameOfPeriod, periodAt } from '../../src/db/partitions/periods.js';
import { webhookAttempts, webhookDeliveries } from '../../src/db/partitions/tables.js';
import { purge, type Retention } from '../../src/queue/upkeep.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

const DAY_MS = 86_400_000;
const standard: Retention = { attempts: 30, deliveries: 30, deadLetters: 0 };

let database: TestDatabase;
afterAll(() => database.drop());

async function renew(): Promise<void> {
  await database?.drop();
  database = await createDatabase();
}

const before = (days: number) => new Date(Date.now() - days * DAY_MS);

/** An id of the given time. */
const idOf = (at: Date): string => keyAt('uuidv7', at).slice(0, 13) + newId().slice(13);

interface Given {
  days: number;
  dead?: number;
  kind?: 'tracking' | 'test';
}

/** Adds a delivery from `days` ago. With `dead`, it has been a dead letter for that number of days. */
async function deliver({ days, dead, kind = 'tracking' }: Given): Promise<string> {
  const [webhookId, diedAt] = [idOf(before(days)), dead === undefined ? null : before(dead)];
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body, created_at, dead_at, retain_from)
    values (${webhookId}, ${newId()}, 1, ${kind}, 1, ${Buffer.from('{}')}, ${before(days)}, ${diedAt}, ${before(dead ?? days)})`.execute(
    database.db,
  );
  return webhookId;
}

async function ids(): Promise<string[]> {
  const rows = await database.db.selectFrom('webhook_deliveries').select('webhook_id').orderBy('webhook_id').execute();
  return rows.map(({ webhook_id }) => webhook_id);
}

/**
 * Replaces the first partition by partitions of `weeks` weeks, which end where the next partition begins. That is this
 * week or, after midnight, the last.
 */
async function addWeeks(weeks: number): Promise<void> {
  for (const table of [webhookDeliveries, webhookAttempts]) {
    const { name, kind } = table;
    const [first] = await partitionsOf(database.db, table);
    await sql`drop table ${sql.table(`${name}_first`)}`.execute(database.db);
    for (let week = weeks; week > 0; week -= 1) {
      const period = periodAt('week', new Date((first?.until.getTime() ?? 0) - 7 * week * DAY_MS));
      const [from, until] = [keyAt(kind, period.from), keyAt(kind, period.until)].map((key) => sql.lit(key));
      await sql`create table ${sql.table(`${name}_${nameOfPeriod('week', period)}`)} partition of ${sql.table(name)}
        for values from (${from}) to (${until})`.execute(database.db);
    }
  }
}

const partitions = async () => (await partitionsOf(database.db, webhookDeliveries)).map(({ name }) => name);

describe('with partitions of twelve weeks', () => {
  beforeAll(async () => {
    await renew();
    await addWeeks(12);
  });

  test('rows with a retention of 0 days are never removed', async () => {
    const all = [await deliver({ days: 80 }), await deliver({ days: 70, dead: 69 })];
    await purge(database.db, { attempts: 0, deliveries: 0, deadLetters: 0 });
    expect(await ids()).toEqual(all);
    await database.db.deleteFrom('webhook_deliveries').execute();
  });

  test('attempts are removed after their days', async () => {
    const insert = (days: number) =>
      sql`
      insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
      values (${newId()}, ${newId()}, 1, false, ${before(days)}, 5, 'acknowledged', false)`.execute(database.db);
    for (const days of [80, 40, 1]) await insert(days);
    await purge(database.db, { ...standard, deliveries: 0 });
    const { rows } = await sql<{ id: string }>`select id from webhook_attempts`.execute(database.db);
    expect(rows).toEqual([{ id: '3' }]);
  });

  test('acknowledged deliveries are removed after their days; dead letters and waiting ones stay', async () => {
    await deliver({ days: 80 });
    await deliver({ days: 80, dead: 75, kind: 'test' });
    const waiting = await deliver({ days: 80 });
    const deadLetter = await deliver({ days: 73, dead: 70 });
    const requested = await deliver({ days: 60 });
    await sql`insert into webhook_requests (lane_id, webhook_id) values (2, ${requested})`.execute(database.db);
    const replayed = await deliver({ days: 50 });
    await sql`update webhook_deliveries set retain_from = now() where webhook_id = ${replayed}`.execute(database.db);
    const young = await deliver({ days: 1 });
    await sql`alter table webhook_lanes drop constraint webhook_lanes_endpoint_id_fkey`.execute(database.db);
    await sql`
      insert into webhook_lanes (id, endpoint_id, generation, number, state, webhook_id) overriding system value
      values (1, ${newId()}, 1, 0, 'waiting', ${waiting})`.execute(database.db);
    while ((await purge(database.db, standard)).isFull);
    expect(await ids()).toEqual([waiting, deadLetter, requested, replayed, young]);
    while ((await purge(database.db, { ...standard, deadLetters: 60 })).isFull);
    expect(await ids()).toEqual([waiting, requested, replayed, young]);
  });
});

test('past partitions are merged into one, which keeps the rows that stay', async () => {
  await renew();
  await addWeeks(12);
  const letters = [];
  for (let days = 82; days > 0; days -= 9) letters.push(await deliver({ days, dead: days - 1 }));
  await purge(database.db, standard);
  const left = await partitions();
  expect(left[0]).toBe('webhook_deliveries_first');
  expect(left.length).toBeLessThan(10);
  expect(await ids()).toEqual(letters);
  expect(await deliver({ days: 90 })).toBe((await ids())[0]);
});

test('a partition with many kept rows stays, without its other rows', async () => {
  await renew();
  await addWeeks(12);
  await deliver({ days: 80 });
  const letter = await deliver({ days: 80, dead: 79 });
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body, created_at, dead_at, retain_from)
    select (left(webhook_id::text, 14) || right(gen_random_uuid()::text, 22))::uuid, endpoint_id, lane_id, kind, package_count, body, created_at, dead_at, retain_from
    from webhook_deliveries, generate_series(1, 1000) where webhook_id = ${letter}`.execute(database.db);
  await purge(database.db, standard);
  expect(await ids()).toHaveLength(1_001);
  expect((await partitions())[0]).toBe(`webhook_deliveries_${nameOfPeriod('week', periodAt('week', before(80)))}`);
});
