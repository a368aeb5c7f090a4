import { Agent } from 'node:https';
import got from 'got';
import { standardSettings } from '../../../src/webhook/settings.js';
import { judge, ratios, spread } from '../../../test/support/figures.js';
import { enqueueAll, seed } from '../../../test/support/processes/seed.js';
import { cost, counted, remaining } from './counted.js';
import { type Stage, until } from './stage.js';

const GOAL = 2_000;
const SHARE = 0.75;
const ROUNDS = 3;

/** Deliveries per second of bodies with one notification each, to 1 000 endpoints, beside bare got, in turns. */
export async function rate(stage: Stage): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 1, movements: 12 });
  const all: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { posts, sample, perSecond, cpu } = await deliveries(stage);
    const bare = await bareGot(stage, posts, sample);
    all.ours.push(perSecond);
    all.bare.push(posts / bare.took);
    const figures = [perSecond, posts / bare.took, cpu / posts, bare.cpu / posts].map((value) => value.toFixed(0));
    console.log(
      `  ${figures[0]} deliveries/s, bare got ${figures[1]}/s; ${figures[2]} and ${figures[3]} µs of CPU each`,
    );
  }
  const enough = judge('rate: deliveries/s', spread(all.ours), GOAL, 'at least');
  const near = judge('rate: of what bare got does', ratios(all.ours, all.bare), SHARE, 'at least');
  return enough && near;
}

async function deliveries(stage: Stage) {
  const total = await enqueueAll(stage.db, 2);
  let sample = Buffer.alloc(0);
  const { sender, count, stop } = counted(stage, (body) => {
    sample = Buffer.from(body);
  });
  // The first body of each endpoint opens its connection, for the sender as for bare got.
  sender.start();
  await until(() => count.bodies >= stage.urls.length);
  const posts = total - count.bodies;
  const { took, cpu } = await cost(() => until(() => count.bodies >= total));
  await stop();
  const left = await remaining(stage);
  if (left > 0) throw new Error(`${left} notifications are left`);
  return { posts, sample, perSecond: posts / took, cpu };
}

/** Posts by got alone, over connections that are open, as many at once as the sender would. */
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
