/**
 * Speed of the webhook sender, with its database and receivers on this machine: npx tsx scripts/bench/webhooks.ts [rate|backlog|latency|flat]…
 * Notifications and connections are real; receivers answer at once.
 */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import got from 'got';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { createLog } from '../../src/base/log.js';
import { recordMovements } from '../../src/packages/record-movement.js';
import { createEngine, type WebhookSender } from '../../src/webhook/engine.js';
import { createHttpSender, type Send } from '../../src/webhook/sender.js';
import { standardSettings } from '../../src/webhook/settings.js';
import { enqueueAll, seed } from './webhooks/seed.js';
import { openStage, type Stage, seconds } from './webhooks/stage.js';

const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

/** A sender whose acknowledged bodies, and the packages in them, are counted; `seen` is told of each. */
function counted(stage: Stage, seen: (body: Buffer) => void = () => undefined) {
  const network = createHttpSender({ ...standardSettings, addresses: stage.addresses, extraCa: stage.extraCa });
  const count = { bodies: 0 };
  const send: Send = async (request, signal) => {
    const sent = await network.send(request, signal);
    if (sent.outcome.kind === 'answered' && sent.outcome.status === 200) {
      count.bodies += 1;
      seen(request.body);
    }
    return sent;
  };
  const sender: WebhookSender = createEngine({
    db: stage.db,
    log: createLog({ level: 'error' }),
    encryptionKeys: stage.ring,
    addresses: stage.addresses,
    send,
  });
  return { sender, count };
}

/** Posts by got alone, over connections that are open, as many at once as the sender would. */
async function bareGot({ urls, extraCa }: Stage, posts: number, body: Buffer): Promise<number> {
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
  const started = performance.now();
  await all(urls.length + posts);
  agent.https.destroy();
  return posts / ((performance.now() - started) / 1000);
}

const remaining = async ({ db }: Stage): Promise<number> => {
  const { rows } = await sql<{ count: string }>`select count(*) from webhook_notifications`.execute(db);
  return Number(rows[0]?.count ?? 0);
};

/** Deliveries per second of bodies with one notification each, to 1 000 endpoints, beside bare got. */
async function rate(stage: Stage): Promise<void> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 1, movements: 12 });
  const total = await enqueueAll(stage.db, 2);
  let sample = Buffer.alloc(900, 'x');
  const { sender, count } = counted(stage, (body) => {
    sample = Buffer.from(body);
  });
  // The first body of each endpoint opens its connection, for the sender as for bare got.
  await seconds(
    () => sender.start(),
    () => count.bodies >= stage.urls.length,
  );
  const before = count.bodies;
  const took = await seconds(
    () => undefined,
    () => count.bodies >= total,
  );
  await sender.stop();
  const ours = (total - before) / took;
  const bare = await bareGot(stage, total - before, sample);
  console.log(
    `rate: ${figure(ours)} deliveries/s, bare got ${figure(bare)}/s, ratio ${(ours / bare).toFixed(2)}, left ${await remaining(stage)}`,
  );
}

/** Notifications per second from a backlog, up to 50 for each body, 5 % of the endpoints dead. */
async function backlog(stage: Stage): Promise<void> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 2_000, movements: 6 });
  const total = await enqueueAll(stage.db, 2);
  const alive = total * 0.95;
  let notifications = 0;
  const { sender } = counted(stage, (body) => {
    notifications += body.toString('latin1').split('"loggiKey"').length - 1;
  });
  const took = await seconds(
    () => sender.start(),
    () => notifications >= alive,
  );
  await sender.stop();
  console.log(`backlog: ${figure(alive / took)} notifications/s of ${total}, 5 % of the endpoints dead`);
}

/** From a movement's commit to the receiver's answer, at 200 movements/s. */
async function latency(stage: Stage): Promise<void> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 4, movements: 2 });
  const keys = (await stage.db.selectFrom('packages').select('loggi_key').execute()).map((row) => row.loggi_key);
  const committed = new Map<string, number>();
  const lags: number[] = [];
  const { sender, count } = counted(stage, (body) => {
    const { packages } = JSON.parse(body.toString('utf8'));
    for (const { loggiKey } of packages) lags.push(performance.now() - (committed.get(loggiKey) ?? Number.NaN));
  });
  sender.start();
  const location = { city: 'Campinas', state: 'SP' };
  const started = performance.now();
  for (const [index, loggiKey] of keys.slice(0, 3_000).entries()) {
    await sleep(Math.max(0, started + index * 5 - performance.now()));
    const happenedAt = new Date().toISOString();
    void recordMovements(stage.db, [{ id: newId(), loggiKey, statusCode: 11, happenedAt, location }]).then(() =>
      committed.set(loggiKey, performance.now()),
    );
  }
  await seconds(
    () => undefined,
    () => count.bodies >= 3_000,
  );
  await sender.stop();
  // The first third opens the connections.
  const sorted = lags.slice(1_000).sort((a, b) => a - b);
  const at = (part: number) => figure(sorted[Math.floor(part * sorted.length)] ?? Number.NaN);
  console.log(`latency at 200 movements/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

/** The same deliveries with little and with a million rows of history and of backlog. */
async function flat(stage: Stage): Promise<void> {
  const [blocked = '', ...others] = stage.urls;
  await seed(stage.db, stage.ring, { urls: others, packages: 1, movements: 9 });
  const round = async (): Promise<number> => {
    const total = await enqueueAll(stage.db, 2);
    const { sender, count } = counted(stage);
    const before = process.cpuUsage();
    const took = await seconds(
      () => sender.start(),
      () => count.bodies >= total,
    );
    const { user, system } = process.cpuUsage(before);
    await sender.stop();
    console.log(
      `  ${figure(total / took)} deliveries/s, ${figure((user + system) / total)} µs of the sender's CPU each`,
    );
    return total / took;
  };
  await round();
  const small = await round();
  await pileUp(stage, blocked);
  const large = await round();
  console.log(`flat: 1 million rows of backlog and of history cost a factor of ${(small / large).toFixed(2)}`);
}

async function pileUp({ db, ring }: Stage, url: string): Promise<void> {
  await seed(db, ring, { urls: [url], packages: 1, movements: 2 });
  await sql`
    insert into webhook_notifications (lane_id, loggi_key, seq)
    select lane.id, gen_random_uuid(), 1 from webhook_lanes lane join webhook_endpoints endpoint on endpoint.id = endpoint_id,
      generate_series(1, 1000000) where url = ${url} and number = 0`.execute(db);
  await sql`
    update webhook_lanes set state = 'waiting', attempt = 1, due_at = now() + interval '1 day' where endpoint_id = (
      select id from webhook_endpoints where url = ${url}) and number = 0`.execute(db);
  await sql`
    insert into webhook_deliveries (webhook_id, endpoint_id, lane_id, kind, package_count, body)
    select gen_random_uuid(), endpoint_id, id, 'tracking', 1, decode(repeat('7b7d', 300), 'hex')
    from (select *, row_number() over () as place from webhook_lanes where number = 0) lane
    join generate_series(1, 1000000) as copy on copy % 999 + 1 = place`.execute(db);
  await sql`
    insert into webhook_attempts (webhook_id, endpoint_id, number, replay, attempted_at, duration_ms, outcome, lease_lost)
    select webhook_id, endpoint_id, 1, false, now(), 5, 'acknowledged', false from webhook_deliveries`.execute(db);
  await db.connection().execute(async (connection) => {
    // The server's own vacuum may be at work on the same tables.
    await sql`set lock_timeout = 0`.execute(connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`reset lock_timeout`.execute(connection);
  });
}

const parts = { rate, backlog, latency, flat };
const sizes = { rate: [1_000, 0], backlog: [20, 1], latency: [1_000, 0], flat: [1_000, 0] } as const;
const isPart = (name: string): name is keyof typeof parts => name in parts;
const asked = process.argv.slice(2).filter(isPart);

for (const name of asked.length > 0 ? asked : Object.keys(parts).filter(isPart)) {
  const [receivers, dead] = sizes[name];
  const stage = await openStage(receivers, dead);
  try {
    await parts[name](stage);
  } finally {
    await stage.close();
  }
}
