import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import got from 'got';
import { sql } from 'kysely';
import { standardSettings } from '../../../src/webhook/settings.js';
import { enqueueAll, seed } from '../../../test/support/processes/endpoints.js';
import { pending } from '../../../test/support/queue.js';
import { judge, mention, ratios, spread } from '../../figures.js';
import { demandPeer } from '../programs.js';
import { cost, counted, type Stage, until } from './stage.js';

const ROUNDS = 3;
const RATE_GOAL = 2_000;
const SHARE_GOAL = 0.9;

/**
 * Deliveries per second of bodies with one notification each, to 1 000 endpoints. Compares the worker with plain got,
 * which promises nothing, and with a job queue on the same database, in turn.
 */
export async function rate(stage: Stage, rounds = ROUNDS): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 1, movements: 12 });
  const queue = await demandPeer('graphile-worker');
  const rates: Record<Way, number[]> = { worker: [], got: [], queue: [] };
  const cpu: Record<Way, number[]> = { worker: [], got: [], queue: [] };
  for (let round = 0; round < rounds; round += 1) {
    const { posts, sample, ...worker } = await singleDeliveries(stage);
    const ways = {
      worker,
      got: await bareGot(stage, posts, sample),
      queue: await byQueue(stage, queue, posts, sample),
    };
    for (const way of ['worker', 'got', 'queue'] as const) {
      rates[way].push(posts / ways[way].took);
      cpu[way].push(ways[way].cpu / posts);
    }
  }
  const enough = judge('rate: deliveries/s', spread(rates.worker), RATE_GOAL, 'at least');
  mention('rate: CPU of the worker, µs a delivery', spread(cpu.worker));
  mention('rate: CPU of bare got, µs a request', spread(cpu.got));
  mention('rate: CPU of the job queue, µs a job', spread(cpu.queue));
  mention('rate: of what the job queue does', ratios(rates.worker, rates.queue));
  const near = judge('rate: of what bare got does', ratios(rates.worker, rates.got), SHARE_GOAL, 'at least');
  return enough && near;
}

type Way = 'worker' | 'got' | 'queue';

async function singleDeliveries(stage: Stage) {
  const total = await enqueueAll(stage.db, 2);
  let sample = Buffer.alloc(0);
  const { worker, count, stop } = counted(stage, (body) => {
    sample = Buffer.from(body);
  });
  // The first body of each endpoint opens its connection, for the worker and for plain got.
  worker.start();
  await until(() => count.bodies >= stage.urls.length);
  const posts = total - count.bodies;
  const { took, cpu } = await cost(() => until(() => count.bodies >= total));
  await stop();
  const unsent = await pending(stage.db);
  if (unsent > 0) throw new Error(`${unsent} notifications are left`);
  return { posts, sample, took, cpu };
}

/** Posts the bodies with got alone over open connections, as many at once as the worker. */
async function bareGot({ urls, extraCa }: Stage, posts: number, body: Buffer) {
  const agent = { https: new Agent({ keepAlive: true, ca: extraCa, scheduling: 'lifo' }) };
  const options = {
    body,
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
  };
  const headers = { 'content-type': 'application/json', authorization: 'Basic YmVuY2g6YmVuY2g=' };
  let next = 0;
  const worker = async (until: number): Promise<void> => {
    while (next < until) {
      next += 1;
      await got.post(urls[next % urls.length] ?? '', { ...options, headers, timeout: { request: 15_000 } });
    }
  };
  const all = (until: number) => Promise.all(Array.from({ length: standardSettings.concurrency }, () => worker(until)));
  await all(urls.length);
  const spent = await cost(() => all(urls.length + posts));
  agent.https.destroy();
  return spent;
}

/** Posts the same bodies as jobs of a queue, one request per job. */
async function byQueue({ url: databaseUrl, urls, extraCa: ca }: Stage, script: string, posts: number, body: Buffer) {
  const child = fork(script);
  child.send({ databaseUrl, urls, ca, posts, body: body.toString('utf8'), concurrency: standardSettings.concurrency });
  const [spent]: { took: number; cpu: number }[] = await once(child, 'message');
  child.disconnect();
  if (!spent) throw new Error('the job queue answers nothing');
  return spent;
}

const BACKLOG_GOAL = 15_000;
const BACKLOG_AIM = 20_000;

/** Notifications per second from a backlog, up to 50 in each body, with 5 % of the endpoints dead. */
export async function backlog(stage: Stage, rounds = ROUNDS): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 2_000, movements: 6 });
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alive = (await enqueueAll(stage.db, 2)) * 0.95;
    let notifications = 0;
    const { worker, stop } = counted(stage, (body) => {
      notifications += body.toString('latin1').split('"loggiKey"').length - 1;
    });
    worker.start();
    const { took, cpu } = await cost(() => until(() => notifications >= alive));
    await stop();
    all.push(alive / took);
    console.log(
      `  ${(alive / took).toFixed(0)} notifications/s, ${(cpu / alive).toFixed(1)} µs of the worker's CPU each`,
    );
  }
  judge('backlog: notifications/s, aim', spread(all), BACKLOG_AIM, 'at least');
  return judge('backlog: notifications/s', spread(all), BACKLOG_GOAL, 'at least');
}

const FLAT_GOAL = 1.5;

/** The same deliveries with few and with a million rows of history and backlog. */
export async function flat(stage: Stage, rounds = ROUNDS): Promise<boolean> {
  const [blocked = '', ...others] = stage.urls;
  await seed(stage.db, stage.ring, { urls: others, packages: 1, movements: 9 });
  await deliveries(stage);
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < rounds; round += 1) small.push(await deliveries(stage));
  await pileUp(stage, blocked);
  for (let round = 0; round < rounds; round += 1) large.push(await deliveries(stage));
  return judge('flat: cost of 1 million rows of backlog and of history', ratios(small, large), FLAT_GOAL, 'below');
}

async function deliveries(stage: Stage): Promise<number> {
  const total = await enqueueAll(stage.db, 2);
  const { worker, count, stop } = counted(stage);
  worker.start();
  const { took, cpu } = await cost(() => until(() => count.bodies >= total));
  await stop();
  console.log(`  ${(total / took).toFixed(0)} deliveries/s, ${(cpu / total).toFixed(0)} µs of the worker's CPU each`);
  return total / took;
}

async function pileUp({ db, ring }: Stage, url: string): Promise<void> {
  // The package has no movement that a round would enqueue, because notifications in its lane are never sent.
  await seed(db, ring, { urls: [url], packages: 1, movements: 1 });
  await sql`
    insert into webhook_notifications (lane_id, loggi_key, seq)
    select lane.id, gen_random_uuid(), 1 from webhook_lanes lane join webhook_endpoints endpoint on endpoint.id = endpoint_id,
      generate_series(1, 1000000) where url = ${url} and number = 0`.execute(db);
  await sql`
    update webhook_lanes set state = 'waiting', attempt = 1, due_at = now() + interval '1 day' where endpoint_id = (
      select id from webhook_endpoints where url = ${url}) and number = 0`.execute(db);
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body)
    select uuidv7(), endpoint_id, id, 'tracking', 1, decode(repeat('7b7d', 300), 'hex')
    from (select *, row_number() over () as place from webhook_lanes where number = 0) lane
    join generate_series(1, 1000000) as copy on copy % 999 + 1 = place`.execute(db);
  await sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
    select webhook_id, endpoint_id, 1, false, now(), 5, 'acknowledged', false from webhook_deliveries`.execute(db);
  await db.connection().execute(async (connection) => {
    // The server's own vacuum may be working on the same tables.
    await sql`set lock_timeout = 0`.execute(connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`reset lock_timeout`.execute(connection);
  });
}
