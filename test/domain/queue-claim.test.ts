import { beforeEach, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { NIL } from 'uuid';
import type { Db } from '../../src/db/connect.js';
import { type Claim, type ClaimLimits, claimLanes, createClaiming } from '../../src/queue/claim.js';
import { waitFor } from '../support/receiver.js';
import { emptyQueue, register } from '../webhook/support.js';
import { makeAccount } from './accounts-fixtures.js';

const slow: ClaimLimits['slow'] = { lanes: 4, ofAccount: 4, ofAccountAtOnce: 4, underWay: new Map(), after: NIL };
const noSlowLanes = { ...slow, lanes: 0 };

let db: Db;
beforeEach(async () => {
  db = await emptyQueue();
});

/** Adds an account with `count` due lanes and an idle one. The lanes are slow unless `prompt`. Resolves to its id. */
async function dueLanes(count: number, prompt = false): Promise<string> {
  const { id: accountId } = await makeAccount(db);
  const endpoint = await register(db, accountId, { url: `https://hooks.example.com/${accountId}` });
  await sql`
    insert into webhook_lanes (endpoint_id, generation, number, state, due_at, slow_account_id)
    select ${endpoint.id}, generation, 0, 'ready', now() - generation * interval '1 second',
      ${prompt ? null : accountId}::uuid
    from generate_series(2, ${count}::integer + 1) as generation`.execute(db);
  return accountId;
}

const claim = (limits: Partial<ClaimLimits['slow']>, prompt = 0): Promise<Claim[]> =>
  claimLanes(db, { prompt, slow: { ...slow, ...limits }, again: 0, leaseMs: 30_000 });

const perAccount = (claims: readonly Claim[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { accountId } of claims) counts[accountId] = (counts[accountId] ?? 0) + 1;
  return counts;
};

test('slow lanes are claimed account by account, each up to its share', async () => {
  const [one, two, three] = [await dueLanes(9), await dueLanes(9), await dueLanes(1)];
  const limits = { lanes: 20, ofAccount: 3, ofAccountAtOnce: 5 };
  const claims = await claim({ ...limits, underWay: new Map([[two, 4]]) });
  expect(perAccount(claims)).toEqual({ [one]: 3, [two]: 1, [three]: 1 });
  expect(claims.every(({ group }) => group === 'slow')).toBe(true);
  const underWay = new Map(Object.entries({ [one]: 3, [two]: 5, [three]: 1 }));
  expect(perAccount(await claim({ ...limits, underWay }))).toEqual({ [one]: 2 });
});

test('the accounts take turns, so that none waits for ever', async () => {
  const accounts = [await dueLanes(9), await dueLanes(9), await dueLanes(9)].sort();
  const servedAccounts: string[] = [];
  for (let number = 0; number < 6; number += 1) {
    const [only] = await claim({ lanes: 1, after: servedAccounts.at(-1) ?? NIL });
    servedAccounts.push(only?.accountId ?? '');
  }
  expect(servedAccounts).toEqual([...accounts, ...accounts]);
});

test('within an account the longest due lane is claimed first, and a leased one again when its lease has run out', async () => {
  await dueLanes(2);
  const ids = (await claim({ ofAccount: 1 })).map(({ laneId }) => laneId);
  expect(await claim({})).toHaveLength(1);
  expect(await claim({})).toEqual([]);
  await sql`update webhook_lanes set due_at = now() where id = ${ids[0]}`.execute(db);
  expect(await claim({})).toMatchObject([{ laneId: ids[0], takenOver: true }]);
});

test('a worker claims prompt lanes from where its last claim ended, and about once a second those due earlier', async () => {
  const claimNext = createClaiming(db);
  const limits: ClaimLimits = { prompt: 9, slow: noSlowLanes, again: 0, leaseMs: 30_000 };
  await dueLanes(1, true);
  expect(await claimNext(limits)).toHaveLength(1);
  await dueLanes(1, true);
  await sql`update webhook_lanes set due_at = now() - interval '1 hour' where state = 'ready'`.execute(db);
  expect(await claimNext(limits)).toEqual([]);
  await waitFor(async () => (await claimNext(limits)).length === 1, 'the lane that was due before');
});

test('a claim reads only the lanes that it takes, even when thousands of slow ones are due', async () => {
  await dueLanes(3_000);
  await dueLanes(5, true);
  const other = await dueLanes(1);
  // Without this, dead rows of earlier tests stay in the indexes.
  await sql`vacuum (analyze, index_cleanup on) webhook_lanes`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select account_id as id from webhook_endpoints where account_id <> ${other} order by id limit 1`.execute(db);
  const underWay = new Map([[rows[0]?.id ?? '', 4]]);
  const read = await db.transaction().execute(async (trx) => {
    // After these the database uses one generic plan for all limits.
    for (let number = 0; number < 6; number += 1)
      await claimLanes(trx, { prompt: 0, slow: noSlowLanes, again: 0, leaseMs: 30_000 });
    const before = await entriesRead(trx);
    const claims = await claimLanes(trx, { prompt: 64, slow: { ...slow, underWay }, again: 64, leaseMs: 30_000 });
    expect(claims.map(({ group }) => group).sort()).toEqual([...Array(5).fill('prompt'), 'slow']);
    return (await entriesRead(trx)) - before;
  });
  // Six lanes are claimed. Each is read by its group and by its key, and each account with slow lanes is read once.
  expect(read).toBeLessThan(50);

  /** The number of table rows and index entries that this connection has read. */
  async function entriesRead(trx: Db): Promise<number> {
    const { rows: counted } = await sql<{ read: number }>`
      select (
        (select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'webhook_lanes') +
        (select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index where indrelid = 'webhook_lanes'::regclass)
      )::integer as read`.execute(trx);
    return counted[0]?.read ?? 0;
  }
});

test('no slow lane is claimed without a free slow place', async () => {
  await dueLanes(3);
  expect(await claim(noSlowLanes)).toEqual([]);
});
