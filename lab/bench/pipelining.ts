/**
 * Compares two shared connections that pipeline statements with a pool of ten connections, in turn: npx tsx
 * lab/bench/pipelining.ts [--rounds 7] [--requests 10000] [--clients 16]. Prints the driver's CPU with one statement
 * per client at once. Also prints times at a steady rate, with and without a slow statement.
 * docs/adr/0015-no-shared-connections.md uses these figures.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { listIn } from '../../src/base/values.js';
import { startPostgres } from '../../test/support/postgres.js';
import { machine, mention, quantile, ratios, spread } from '../figures.js';
import { effortOf } from './costs.js';

const { rounds, requests, clients } = effortOf();
const ROWS = 10_000;
/** A statement of another request (a large list, or one that waits for a lock), and the pause before the next one. */
const SLOW_SECONDS = 0.1;
const EVERY_MS = 300;
const PACE_MS = 4;
const SECONDS = 2;

const setUp = `
  create table orders (id uuid primary key, status text, packages jsonb);
  insert into orders select gen_random_uuid(), 'created', (
    select jsonb_agg(jsonb_build_object('key', gen_random_uuid(), 'name', 'Ana Souza', 'at', now())) from generate_series(1, 3))
  from generate_series(1, ${ROWS})`;
const readOrder = { name: 'order', text: 'select id, status, packages::text from orders where id = $1' };

/** Sends a statement over connections of one kind. */
interface Way {
  send(query: pg.QueryConfig): Promise<pg.QueryResult>;
  stop(): Promise<void>;
}

function pool(connectionString: string): Way {
  const shared = new pg.Pool({ connectionString, max: 10 });
  return { send: (query) => shared.query(query), stop: () => shared.end() };
}

async function pipelines(connectionString: string): Promise<Way> {
  const shared = [0, 1].map(() => new pg.Client({ connectionString, pipeline: true }));
  await Promise.all(shared.map((client) => client.connect()));
  let turn = 0;
  return {
    send: (query) => {
      const client = shared[turn++ % shared.length];
      if (!client) throw new Error('there is no connection');
      return client.query(query);
    },
    stop: async () => void (await Promise.all(shared.map((client) => client.end()))),
  };
}

type Read = () => Promise<unknown>;

/** This process's CPU per statement, in microseconds. */
async function cost(read: Read): Promise<number> {
  let left = requests;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await read();
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: clients }, client));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}

/** Milliseconds of statements that start at a steady rate, even if earlier ones have not ended. */
async function times(read: Read): Promise<number[]> {
  const all: Promise<number>[] = [];
  const began = performance.now();
  const timed = async (due: number): Promise<number> => {
    await read();
    return performance.now() - due;
  };
  for (let passed = 0; passed < SECONDS * 1000; passed = performance.now() - began) {
    while (all.length * PACE_MS < passed) all.push(timed(began + all.length * PACE_MS));
    await sleep(1);
  }
  return Promise.all(all);
}

async function besideSlow<T>({ send }: Way, work: Promise<T>): Promise<T> {
  let isOver = false;
  const result = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await Promise.all([send({ text: `select pg_sleep(${SLOW_SECONDS})` }), sleep(EVERY_MS)]);
  return result;
}

const postgres = await startPostgres();
const ways: Record<string, Way> = {};
try {
  console.log(`${machine()}; ${rounds} rounds of ${requests} statements of ${clients} at once`);
  const pooled = pool(postgres.nearUrl);
  ways['a pool'] = pooled;
  ways['pipelines'] = await pipelines(postgres.nearUrl);
  await pooled.send({ text: setUp });
  const { rows } = await pooled.send({ text: 'select id from orders limit 1000' });
  const ids = rows.map(({ id }) => String(id));
  const figures = new Map<string, number[]>();
  const add = (title: string, value: number): void => listIn(figures, title, value);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      let turn = 0;
      const read = () => way.send({ ...readOrder, values: [ids[turn++ % ids.length] ?? randomUUID()] });
      const cpu = await cost(read);
      const [alone, beside] = [await times(read), await besideSlow(way, times(read))];
      // The first round warms up.
      if (round === 0) continue;
      add(`${name}: CPU, µs a statement`, cpu);
      for (const share of [0.5, 0.99]) {
        add(`${name}, alone: p${100 * share}, ms`, quantile(alone, share));
        add(`${name}, a slow statement beside: p${100 * share}, ms`, quantile(beside, share));
      }
    }
  }
  for (const [title, all] of figures) mention(title, spread(all));
  const of = (title: string) => figures.get(title) ?? [];
  for (const part of [': CPU, µs a statement', ', alone: p99, ms', ', a slow statement beside: p99, ms'])
    mention(`pipelines over a pool${part}`, ratios(of(`pipelines${part}`), of(`a pool${part}`)));
} finally {
  await Promise.all(Object.values(ways).map(({ stop }) => stop()));
  await postgres.stop();
}
