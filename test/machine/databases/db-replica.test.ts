import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { createLog } from '../../../src/base/telemetry/log.js';
import { connect, type Db } from '../../../src/db/connect.js';
import { type ListReadOutcome, listReader } from '../../../src/db/lists/replica.js';
import { orderBody } from '../../support/bodies.js';
import { execute } from '../../support/database.js';
import { ask, clientsFor, must } from '../../support/http.js';
import { startPooler } from '../../support/pgbouncer.js';
import { listening } from '../../support/port.js';
import { startPostgres, type TemporaryPostgres } from '../../support/postgres.js';
import { waitFor } from '../../support/receiver.js';
import { type Replica, startReplica } from '../../support/replica.js';
import { type Caller, type Service, startService } from '../../support/service.js';
import { describeWith } from '../../support/tools.js';

/** A streaming replica answers lists, which show everything that was acknowledged before the request. */

let primary: TemporaryPostgres;
let replica: Replica;
/** Two processes of one service, with the same customer at each. */
let services: [Service, Service];
let ana: [Caller, Caller];

beforeAll(async () => {
  primary = await startPostgres();
  replica = await startReplica(primary);
  const databases = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: replica.url };
  const env = { ...databases, DATA_DIR: primary.folder, PUBLIC_URL: 'https://malote.example' };
  services = [await startService(env), await startService(env)];
  const customer = await services[0].customer();
  ana = [customer, { ...customer, ...clientsFor(services[1].url, customer.token) }];
});
afterAll(async () => {
  for (const service of services) await service.stop();
  await replica.stop();
  await primary.stop();
});

const createOrder = async ([caller] = ana) => must(await caller.rest.POST('/api/v1/orders', { body: orderBody() })).id;

/** The newest order in the other process's list. */
const newestOrder = async () => {
  const listed = must(await ana[1].rest.GET('/api/v1/orders', { params: { query: { page_size: 1 } } }));
  return listed.data[0]?.id;
};

type Counts = Partial<Record<ListReadOutcome, number>>;

/** The outcomes of the other process's lists during the work. */
async function outcomesOf(work: () => Promise<unknown>): Promise<Counts> {
  const before = await countsOf(services[1]);
  await work();
  const after = [...(await countsOf(services[1]))];
  const grown = after.map(([outcome, count]) => [outcome, count - (before.get(outcome) ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

async function countsOf({ app }: Service): Promise<Map<string, number>> {
  const { values } = (await app.probes.metrics.getSingleMetric('malote_list_reads_total')?.get()) ?? { values: [] };
  return new Map(values.map(({ labels, value }) => [String(labels['outcome']), value]));
}

/** Waits until the replica answers lists again, on a machine of any speed. */
const untilReplicaAnswers = (lists: () => Promise<unknown> = newestOrder): Promise<void> =>
  waitFor(async () => Boolean((await outcomesOf(lists)).replica), 'a list from the replica');

test('a list from the replica shows an order that another process has just written', async () => {
  await untilReplicaAnswers(async () => {
    for (let round = 0; round < 15; round += 1) {
      const id = await createOrder();
      expect(await newestOrder()).toBe(id);
    }
  });
});

test('a cursor of the primary works at the replica, and the other way round', async () => {
  const read = async (by: Caller, query: object) => must(await by.rest.GET('/api/v1/orders', { params: { query } }));
  const ids: string[] = [];
  let next: object = { updated_from: '2026-01-01T00:00:00Z', page_size: 100 };
  const untilListed = async (id: string) => {
    await waitFor(async () => {
      const { data, next_cursor: cursor } = await read(ana[ids.length % 2 === 0 ? 0 : 1], next);
      ids.push(...data.map((each) => each.id));
      next = { cursor, page_size: 100 };
      return ids.includes(id);
    }, 'the order');
  };
  await untilReplicaAnswers(async () => {
    for (let round = 0; round < 5; round += 1) await untilListed(await createOrder());
  });
  expect(ids).toEqual([...new Set(ids)]);
});

test('the primary answers at once while the replica replays nothing', async () => {
  await untilReplicaAnswers();
  await replica.pause();
  const begun = performance.now();
  const { replica: answered, ...others } = await outcomesOf(async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await createOrder();
      expect(await newestOrder()).toBe(id);
    }
  });
  expect(answered).toBeUndefined();
  // The replica is asked once a second.
  const tried = (others.behind ?? 0) + (others.failed ?? 0);
  expect(tried).toBeGreaterThan(0);
  expect(tried).toBeLessThanOrEqual(1 + (performance.now() - begun) / 1000);
  await replica.resume();
  await untilReplicaAnswers();
});

test('every list of A, B and D may come from the replica', async () => {
  const { operator, app, url } = services[1];
  const key = await app.identity.apiKeyOf(ana[1].id);
  const orderId = await createOrder();
  const { data } = must(
    await operator.operator.GET('/operator/v1/packages', { params: { query: { order_id: orderId } } }),
  );
  const lists = [
    '/api/v1/orders',
    '/api/v1/products',
    '/api/v1/users',
    '/operator/v1/packages',
    `/operator/v1/packages/${data[0]?.loggi_key}/movements`,
    '/operator/v1/webhook-endpoints',
    '/operator/v1/operator-keys',
    '/operator/v1/audit-log',
    '/operator/v1/erasures',
    '/operator/v1/deleted-users',
  ];
  for (const path of lists) {
    await untilReplicaAnswers(async () =>
      expect([path, (await ask(url, 'GET', path, operator)).status]).toEqual([path, 200]),
    );
  }
  await untilReplicaAnswers(async () => {
    const headers = { Authorization: `ApiKey ${ana[1].email}:${key}` };
    const query = '{ orders(first: 1) { edges { node { pk packages { loggiKey } } } } }';
    const answer = await ask(url, 'POST', '/graphql', { headers, body: { query } });
    expect(JSON.parse(answer.text)).toMatchObject({ data: { orders: { edges: [{ node: { pk: orderId } }] } } });
  });
});

describeWith('pgbouncer', 'behind PgBouncer in transaction mode', (path) => {
  test('a replica answers too', async () => {
    const pooler = await startPooler({ command: [path], target: replica.url, connections: 2 });
    const env = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: pooler.url };
    const service = await startService({ ...env, DATA_DIR: primary.folder, PUBLIC_URL: 'https://malote.example' });
    const id = await createOrder();
    const pages = Array.from({ length: 5 }, () => ask(service.url, 'GET', '/api/v1/orders?page_size=1', ana[0]));
    for (const { text } of await Promise.all(pages)) expect(JSON.parse(text).data[0]?.id).toBe(id);
    await waitFor(async () => {
      const { text } = await ask(service.url, 'GET', '/api/v1/orders?page_size=1', ana[0]);
      expect(JSON.parse(text).data[0]?.id).toBe(id);
      return (await countsOf(service)).get('replica') !== undefined;
    }, 'the replica');
    await service.stop();
    await pooler.stop();
  });
});

test('a wrong cursor is refused once, for every reader', async () => {
  await untilReplicaAnswers();
  const key = await services[1].app.identity.apiKeyOf(ana[1].id);
  const headers = { Authorization: `ApiKey ${ana[1].email}:${key}` };
  const body = { query: '{ orders(first: 1, after: "x") { edges { cursor } } }' };
  const refused = async () => {
    const { text } = await ask(services[1].url, 'POST', '/graphql', { headers, body });
    expect(text).toContain('is not a cursor of this list');
  };
  // The replica refuses the cursor. No other server is asked, and the replica stays in use.
  const isRefusedOnce = async () => Object.keys(await outcomesOf(refused)).length === 0;
  await waitFor(isRefusedOnce, 'a refusal that counts for nothing');
});

/** A reader of lists with any two servers as primary and replica. */
function readerOf(primaryUrl: string, replicaUrl: string) {
  const log = createLog({ level: 'silent' });
  const limits = { connectionTimeoutMs: 60_000, statementTimeoutMs: 0 };
  const pool = (url: string): Db => connect({ url, poolSize: 3, applicationName: 'malote test', log, ...limits });
  const [db, replicaDb] = [pool(primaryUrl), pool(replicaUrl)];
  const outcomes: ListReadOutcome[] = [];
  const count = (outcome: ListReadOutcome) => void outcomes.push(outcome);
  const readList = listReader({ primary: db, markDb: db, replica: replicaDb, log, count });
  return { readList, replicaDb, outcomes, end: () => Promise.all([db.destroy(), replicaDb.destroy()]) };
}

const one = async (db: Db) => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows[0]?.one;

test('a read that the replica cancels for its recovery is repeated at the primary', async () => {
  const { readList, replicaDb, outcomes, end } = readerOf(primary.url, replica.url);
  await execute(replica.url, 'alter system set max_standby_streaming_delay = 0');
  await execute(replica.url, 'select pg_reload_conf()');
  const begun: ('replica' | 'primary')[] = [];
  const read = async (db: Db) => {
    const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(db);
    const isReplica = rows[0]?.standby === true;
    begun.push(isReplica ? 'replica' : 'primary');
    await sql`select count(*), pg_sleep(${isReplica ? 600 : 0}) from accounts`.execute(db);
    return one(db);
  };
  let slow = Promise.resolve<number | undefined>(undefined);
  // If the replica is too slow to begin, it is asked again.
  const isReading = async () => {
    begun.length = 0;
    slow = readList(read);
    await waitFor(() => begun.length > 0, 'the begin');
    return begun[0] === 'replica';
  };
  await waitFor(isReading, 'a read of the replica');
  const sleeps = sql`select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
  await waitFor(async () => (await sleeps.execute(replicaDb)).rows.length > 0, 'a read that lasts');
  outcomes.length = 0;
  await execute(primary.url, 'begin; lock table accounts in access exclusive mode; commit');
  expect(await slow).toBe(1);
  expect([begun, outcomes]).toEqual([['replica', 'primary'], ['failed']]);
  await end();
});

test('a replica that hangs delays no reader for long', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  const port = await listening(silent);
  const { readList, outcomes, end } = readerOf(primary.url, `postgres://malote@127.0.0.1:${port}/postgres`);
  expect(await Promise.all([readList(one), readList(one), readList(one)])).toEqual([1, 1, 1]);
  expect(outcomes).toEqual(['failed', 'failed', 'failed']);
  for (const socket of sockets) socket.destroy();
  silent.close();
  await end();
});

/** Asks whether a server may answer a list. Asks again while the server is too slow. */
async function verdictOf({ readList, outcomes }: ReturnType<typeof readerOf>): Promise<ListReadOutcome | undefined> {
  const isTold = async () => {
    expect(await readList(one)).toBe(1);
    return outcomes.at(-1) === 'behind' || outcomes.at(-1) === 'replica';
  };
  await waitFor(isTold, 'a verdict');
  return outcomes.at(-1);
}

test('a server that is not a replica of the primary answers no list', async () => {
  const stranger = await startPostgres();
  for (const url of [stranger.url, primary.url]) {
    const reader = readerOf(primary.url, url);
    expect(await verdictOf(reader)).toBe('behind');
    await reader.end();
  }
  await stranger.stop();
});

test('a standby on another timeline after a failover answers no list, even if it has replayed everything', async () => {
  const promoted = await startReplica(primary);
  await execute(promoted.url, `alter system set primary_conninfo = ''`);
  await execute(promoted.url, 'select pg_reload_conf()');
  await sleep(200);
  for (let round = 0; round < 5; round += 1) await createOrder();
  await execute(promoted.url, 'select pg_promote()');
  const reader = readerOf(promoted.url, replica.url);
  expect(await verdictOf(reader)).toBe('behind');
  await reader.end();
  await promoted.stop();
});

test('a lost replica makes no request fail, and is used again when it is back', async () => {
  await replica.end();
  const outcomes = await outcomesOf(async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await createOrder();
      expect(await newestOrder()).toBe(id);
    }
  });
  expect(outcomes.replica ?? 0).toBe(0);
  expect(outcomes.failed).toBeGreaterThan(0);
  await replica.start();
  await untilReplicaAnswers();
});
