/**
 * Statements over two shared connections that pipeline them, beside a pool of ten, in turns, alone and with a slow
 * statement among them: npx tsx lab/bench/pipelining.ts [--rounds 7] [--requests 8000] [--clients 16]
 *
 * What docs/adr/0015-no-shared-connections.md rests on.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { machine, mention, quantile, ratios, spread } from '../../test/support/figures.js';
import { startPostgres } from '../../test/support/postgres.js';
import { effortOf } from './costs.js';

const { rounds, requests, clients } = effortOf();
const ROWS = 10_000;
/** A statement of another request, a large list or one that waits for a lock, and the time between two of them. */
const SLOW_SECONDS = 0.1;
const EVERY_MS = 300;

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

interface Round {
  /** Microseconds of this process for each statement. */
  cpu: number;
  p50: number;
  p99: number;
}

async function measure({ send }: Way, ids: readonly string[], isDisturbed: boolean): Promise<Round> {
  const latencies: number[] = [];
  let left = requests;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const began = performance.now();
      await send({ ...readOrder, values: [ids[left % ids.length] ?? randomUUID()] });
      latencies.push(performance.now() - began);
    }
  };
  const disturb = async (): Promise<void> => {
    while (left > 0) {
      await Promise.all([send({ text: `select pg_sleep(${SLOW_SECONDS})` }), sleep(EVERY_MS)]);
    }
  };
  const before = process.cpuUsage();
  const all = Promise.all(Array.from({ length: clients }, client));
  if (isDisturbed) await disturb();
  await all;
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / requests, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
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
  const figures: Record<string, Round[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      for (const isDisturbed of [false, true]) {
        const title = `${name}, ${isDisturbed ? 'a slow statement beside' : 'alone'}`;
        const result = await measure(way, ids, isDisturbed);
        // The first round warms up.
        if (round > 0) figures[title] = [...(figures[title] ?? []), result];
      }
    }
  }
  for (const [title, all] of Object.entries(figures)) {
    mention(`${title}: CPU, µs a statement`, spread(all.map(({ cpu }) => cpu)));
    mention(`${title}: p50, ms`, spread(all.map(({ p50 }) => p50)));
    mention(`${title}: p99, ms`, spread(all.map(({ p99 }) => p99)));
  }
  const of = (title: string, part: keyof Round) => (figures[title] ?? []).map((each) => each[part]);
  for (const part of ['cpu', 'p50', 'p99'] as const)
    for (const beside of ['alone', 'a slow statement beside'])
      mention(
        `pipelines, as a share of a pool, ${beside}: ${part}`,
        ratios(of(`pipelines, ${beside}`, part), of(`a pool, ${beside}`, part)),
      );
} finally {
  await Promise.all(Object.values(ways).map(({ stop }) => stop()));
  await postgres.stop();
}
