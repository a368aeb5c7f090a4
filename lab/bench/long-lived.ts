/**
 * Measures latency on a database with years of data, under writes and with autovacuum: npx tsx lab/bench/long-lived.ts
 * [--orders 10000000] [--movements 5] [--months 60] [--rate 200] [--minutes 30] [--folder /tmp]. One process of dist/
 * creates the orders of twenty accounts, records and sends their movements, and answers reads. Each seeded order has
 * two packages with so many movements; ten million orders take about 60 GB in the folder. Exits with 1 if an
 * operation's p99 in the last sixth of the time exceeds its goal, a multiple of its p99 in the first sixth.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect } from '../../src/db/connect.js';
import { startEmbedded } from '../../src/embedded/embedded.js';
import { orderBody } from '../../test/support/bodies.js';
import { type Ask, accessToken, ask } from '../../test/support/http.js';
import { compiledIn } from '../../test/support/processes/child.js';
import { newCustomer } from '../../test/support/processes/orders.js';
import { openStageOn, type Stage } from '../../test/support/processes/stage.js';
import { operatorLogin } from '../../test/support/service.js';
import { judge, machine, mention, quantile, spread } from '../figures.js';
import { hasty } from './lists/stage.js';
import { demandBuild } from './programs.js';
import { seeding } from './years/seed.js';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000000' },
    movements: { type: 'string', default: '5' },
    months: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '30' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const [rate, minutes] = [Number(values.rate), Number(values.minutes)];
const GOAL = 1.3;
const ACCOUNTS = 20;
const PACKAGES_AT_ONCE = 100;
/** Above this the service does not keep up, and the figures would measure the queue. */
const MAX_UNDER_WAY = 2_000;
/** Time until the just-in-time compiler has finished and there are packages to move. */
const WARMING_SECONDS = 30;

const log = createLog({ level: 'error' });

async function seedIn(dataDir: string): Promise<void> {
  const server = await startEmbedded({ dataDir, settings: hasty, log });
  const patient = { statementTimeoutMs: 0, lockTimeoutMs: 0, connectionTimeoutMs: 60_000 };
  const db = connect({ url: server.url, poolSize: 1, applicationName: 'malote bench', log, ...patient });
  const [orders, movements, months] = [Number(values.orders), Number(values.movements), Number(values.months)];
  try {
    await seeding({ orders, movements, months })(db, server.url);
  } finally {
    await db.destroy();
    await server.stop();
  }
}

/** Milliseconds of all requests, of the first sixth and of the last sixth. Infinity for a refused request. */
interface Latencies {
  all: number[];
  first: number[];
  last: number[];
}

/** True if the request was served. Undefined if there was nothing to request. */
type Work = () => Promise<boolean | undefined>;

/** Starts work at even intervals, even if earlier work has not ended, because clients are independent of each other. */
async function evenly(perSecond: number, seconds: number, work: Work): Promise<Latencies> {
  // Only numbers, because garbage collection visits every object and would delay requests.
  const latencies: Latencies = { all: [], first: [], last: [] };
  const running = new Set<Promise<void>>();
  const started = performance.now();
  for (let count = 0; count < perSecond * (seconds + WARMING_SECONDS); count += 1) {
    await sleep(Math.max(0, started + (count * 1000) / perSecond - performance.now()));
    if (running.size > MAX_UNDER_WAY) throw new Error('the service does not keep up');
    const sent = performance.now();
    const run = work().then((isDone) => {
      running.delete(run);
      if (isDone === undefined) return;
      const ms = isDone ? performance.now() - sent : Number.POSITIVE_INFINITY;
      const part = ((sent - started) / 1000 - WARMING_SECONDS) / seconds;
      latencies.all.push(ms);
      if (part >= 0 && part < 1 / 6) latencies.first.push(ms);
      if (part >= 5 / 6) latencies.last.push(ms);
    });
    running.add(run);
  }
  await Promise.all(running);
  return latencies;
}

interface Placed {
  id: string;
  token: string;
  loggiKeys: string[];
}

/** The requests of a day: for each operation its rate per second and the function that sends one. */
function traffic(url: string, tokens: readonly string[], operator: string) {
  // Orders of the last seconds, because clients read and move recent orders.
  const recent: Placed[] = [];
  const unmoved: string[] = [];
  let turn = 0;
  const tokenInTurn = () => tokens[turn++ % tokens.length] ?? '';
  const isAnswered = async (method: string, path: string, options: Ask) =>
    (await ask(url, method, path, options)).status < 300;
  const createOrder = async () => {
    const token = tokenInTurn();
    const { status, text } = await ask(url, 'POST', '/api/v1/orders', { token, body: orderBody() });
    if (status !== 201) return false;
    const { id, packages }: { id: string; packages: { loggi_key: string }[] } = JSON.parse(text);
    recent.push({ id, token, loggiKeys: packages.map(({ loggi_key }) => loggi_key) });
    if (recent.length > 1000) unmoved.push(...(recent.shift()?.loggiKeys ?? []));
    return true;
  };
  const getOrder = async () => {
    const { id, token } = recent[turn++ % recent.length] ?? {};
    return id === undefined ? undefined : isAnswered('GET', `/api/v1/orders/${id}`, { token });
  };
  const listOrders = () => isAnswered('GET', '/api/v1/orders', { token: tokenInTurn() });
  const recordMovements = async () => {
    const happened = {
      status_code: 14,
      happened_at: new Date().toISOString(),
      location: { city: 'Campinas', state: 'SP' },
    };
    const movements = unmoved
      .splice(0, PACKAGES_AT_ONCE)
      .map((loggi_key) => ({ id: randomUUID(), loggi_key, ...happened }));
    if (movements.length === 0) return undefined;
    return isAnswered('POST', '/operator/v1/movements', { token: operator, body: { movements } });
  };
  return {
    createOrder: { perSecond: rate, work: createOrder },
    getOrder: { perSecond: rate / 4, work: getOrder },
    listOrders: { perSecond: rate / 20, work: listOrders },
    recordMovements: { perSecond: rate / 50, work: recordMovements },
  };
}

/** True if no operation missed its goal and none was refused. */
async function measure(stage: Stage): Promise<boolean> {
  const receiver = await stage.openReceiver();
  const { url } = await stage.start('api', [receiver.port]);
  const tokens: string[] = [];
  for (let account = 0; account < ACCOUNTS; account += 1)
    tokens.push(await accessToken(url, await newCustomer(stage, receiver)));
  const operations = traffic(url, tokens, await accessToken(url, operatorLogin));
  const forgetting = setInterval(receiver.forget, 1000);
  const pauses = monitorEventLoopDelay({ resolution: 5 });
  pauses.enable();
  const running = Object.entries(operations).map(
    async ([name, { perSecond, work }]) => [name, await evenly(perSecond, minutes * 60, work)] as const,
  );
  const verdicts = (await Promise.all(running)).map(([name, { all, first, last }]) => {
    const refused = all.filter((ms) => ms === Number.POSITIVE_INFINITY).length;
    const p99 = { first: quantile(first, 0.99), last: quantile(last, 0.99) };
    mention(`${name}: p50, ms`, spread([quantile(all, 0.5)]), `${all.length} requests, ${refused} refused`);
    mention(`${name}: p99 of the first sixth, ms`, spread([p99.first]));
    const growth = `${name}: p99 of the last sixth, as a multiple`;
    return judge(growth, spread([p99.last / p99.first]), GOAL, 'below') && refused === 0;
  });
  clearInterval(forgetting);
  mention("the clients' own pauses: longest, ms", spread([pauses.max / 1e6]));
  return !verdicts.includes(false);
}

/** Prints what autovacuum did during the run, and the sizes of the tables. */
async function printState({ db }: Stage): Promise<void> {
  const { rows } = await sql<{ runs: number; size: string }>`
    select sum(autovacuum_count + autoanalyze_count)::integer as runs,
      pg_size_pretty(pg_database_size(current_database())) as size from pg_stat_user_tables`.execute(db);
  console.log(`autovacuum ran ${rows[0]?.runs} times; the database takes ${rows[0]?.size}`);
}

process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
const dataDir = await mkdtemp(join(values.folder, 'malote-long-lived-'));
// Under root PostgreSQL runs as another user.
await chmod(dataDir, 0o755);
try {
  await seedIn(dataDir);
  console.log(`${machine()}; ${rate} orders/s for ${minutes} minutes`);
  const server = await startEmbedded({ dataDir, settings: { shared_buffers: '1GB', max_wal_size: '4GB' }, log });
  const stage = await openStageOn(server.url, compiledIn('dist'));
  try {
    if (!(await measure(stage))) process.exitCode = 1;
    await printState(stage);
  } finally {
    await stage.close();
    await server.stop();
  }
} finally {
  // An error thrown here would hide an earlier one.
  await rm(dataDir, { recursive: true, force: true }).catch((error: unknown) => console.error(error));
}
