import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.js';
import { once } from '../../src/idempotency/once.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { countOf } from '../support/queue.js';
import { makeAccount } from './accounts-fixtures.js';
import { another, scopeOf } from './orders-fixtures.js';

// An answer is valid for 24 hours, and a partition has one day. So a key may be repeated after midnight.

let database: TestDatabase;
let pools: Db[];
beforeEach(async () => {
  database = await createDatabase();
  await makeAccount(database.db);
  pools = [another(database.url), another(database.url)];
});
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.destroy()));
  await database.drop();
});

/** Sends requests with one key to two replicas at once. Outcomes: `done`, `replayed` or the code of a refusal. */
async function storm(): Promise<string[]> {
  const { id: accountId } = await database.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  const send = (db: Db) => once(db, scopeOf({ accountId }, 'k'), async () => async () => ({ id: 1 }));
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => pools.map(send)).flat());
  return results.map((result) => {
    if (result.status === 'rejected') return String(Reflect.get(result.reason, 'code'));
    return 'Idempotent-Replayed' in result.value.headers ? 'replayed' : 'done';
  });
}

const age = (hours: number) =>
  sql`
    update idempotency_keys set created_at = now() - ${hours}::integer * interval '1 hour'
    where created_at > now() - interval '24 hours'`.execute(database.db);

const live = () => countOf(database.db, 'idempotency_keys', sql`created_at > now() - interval '24 hours'`);

describe('a key whose answer is stored', () => {
  test('is worked on once by two replicas, and once more when its day is over', async () => {
    for (let day = 1; day <= 2; day += 1) {
      const outcomes = await storm();
      expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
      expect(outcomes.filter((outcome) => !['done', 'replayed', 'CONFLICT'].includes(outcome))).toEqual([]);
      expect(await live()).toBe(1);
      await age(25);
    }
  });

  test('is replayed by both for its whole day, in every partition', async () => {
    await storm();
    for (const hours of [1, 23]) {
      await age(hours);
      expect(new Set(await storm())).toEqual(new Set(['replayed']));
    }
  });
});
