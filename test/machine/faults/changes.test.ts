import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { isFields, parseJson } from '../../../src/base/values.js';
import { recordMovements } from '../../../src/orders/record-movements.js';
import { movement } from '../../domain/orders-fixtures.js';
import { accessToken, ask } from '../../support/http.js';
import { newCustomer, startOrderLoad } from '../../support/processes/orders.js';
import { between, randomFrom } from '../../support/random.js';
import { waitFor } from '../../support/receiver.js';
import { stage, stageForEach } from './stage-for-each.js';

/** Clients that poll know all changes in the end, even when processes are killed during overlapping transactions. */

stageForEach();

const random = randomFrom(1);
const KILLS = 2;

/** A list that a client follows: the states and the cursor that it has stored. */
interface Follower {
  path: string;
  read(record: object): [string, unknown];
  stored: { since: string; states: Map<string, unknown> };
}

const field = (record: object, name: string): unknown => Reflect.get(record, name);
const beginning = () => ({ since: 'updated_from=2026-01-01T00:00:00Z', states: new Map<string, unknown>() });

const packages: Follower = {
  path: '/api/v1/packages',
  read: (record) => [String(field(record, 'loggi_key')), field(record, 'movement_count')],
  stored: beginning(),
};
const orders: Follower = {
  path: '/api/v1/orders',
  read: (record) => [String(field(record, 'id')), field(record, 'status')],
  stored: beginning(),
};

/** Asks once. Now and then the client is killed before it has stored the answer. */
async function follow(follower: Follower, url: string, token: string): Promise<void> {
  const { path, read, stored } = follower;
  const target = `${path}?${stored.since}&page_size=${between(random, 1, 20)}`;
  const { status, text } = await ask(url, 'GET', target, { token }).catch(() => ({ status: 0, text: '' }));
  const page = parseJson(text);
  if (status !== 200 || !isFields(page) || !Array.isArray(page['data']) || between(random, 1, 4) === 1) return;
  const states = new Map([...stored.states, ...page['data'].map(read)]);
  follower.stored = { since: `cursor=${String(page['next_cursor'])}`, states };
}

/** Records movements of some packages in a transaction that stays open for a while, and then may roll back. */
async function move(): Promise<void> {
  const { rows } = await sql<{ key: string }>`
    select loggi_key as key from packages order by random() limit 3`.execute(stage.db);
  const trx = await stage.db.startTransaction().execute();
  await recordMovements(
    trx,
    rows.map(({ key }) => movement(key, [3, 11, 18, 14][between(random, 0, 3)] ?? 3)),
  );
  await sleep(between(random, 0, 150));
  await (between(random, 1, 4) === 1 ? trx.rollback() : trx.commit()).execute();
}

/** The states that a client must know if it has missed nothing. */
async function truth(): Promise<[packages: Map<string, unknown>, orders: Map<string, unknown>]> {
  const read = async (query: string) =>
    new Map(
      (await sql.raw<{ id: string; state: unknown }>(query).execute(stage.db)).rows.map((row) => [row.id, row.state]),
    );
  return [
    await read('select loggi_key as id, seq as state from packages'),
    await read('select id, status as state from orders'),
  ];
}

test('a client that follows changes misses nothing, even when processes are killed', async () => {
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  let api = await stage.start('api --no-sender', [receiver.port]);
  const token = await accessToken(api.url, customer);
  const load = await startOrderLoad(() => api.url, customer, 4);
  let isOver = false;
  const repeated = async (work: () => Promise<void>) => {
    while (!isOver) await work();
  };
  const movers = [1, 2, 3].map(() => repeated(move));
  const clients = [packages, orders].map((each) =>
    repeated(async () => {
      await follow(each, api.url, token);
      await sleep(between(random, 0, 30));
    }),
  );
  for (let kill = 0; kill < KILLS; kill += 1) {
    await waitFor(() => load.created.size > 20 * (kill + 1), 'orders');
    await api.signal('SIGKILL');
    api = await stage.start('api --no-sender', [receiver.port]);
  }
  await load.stop();
  isOver = true;
  await Promise.all([...movers, ...clients]);
  const [packagesNow, ordersNow] = await truth();
  expect(ordersNow.size).toBe(load.created.size);
  const knows = ({ stored: { states } }: Follower, now: Map<string, unknown>) =>
    states.size === now.size && [...now].every(([id, state]) => states.get(id) === state);
  await waitFor(async () => {
    for (const each of [packages, orders]) await follow(each, api.url, token);
    return knows(packages, packagesNow) && knows(orders, ordersNow);
  }, 'the last state of every package and order');
});
