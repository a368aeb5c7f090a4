/**
 * CPU of GET /api/v1/orders/{id} with the whole chain on, beside the same endpoint written by hand on fastify:
 * npm run build && npx tsx scripts/bench/rest.ts [--rounds 7] [--requests 10000] [--clients 16]
 *
 * Both read the same order from the same embedded PostgreSQL, in turns. Prints CPU microseconds per request and their ratio; exits
 * non-zero when the ratio is above the goal in every round.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import createClient from 'openapi-fetch';
import type { paths } from '../../generated/rest.js';
import { createLog } from '../../src/base/log.js';
import { startEmbedded } from '../../src/db/embedded.js';
import { judge, machine, ratios, spread } from '../../test/support/figures.js';
import { type Server, startServer } from './graphql/servers.js';
import { load } from './rest/load.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '16' },
  },
});
const [rounds, requests, clients] = [Number(values.rounds), Number(values.requests), Number(values.clients)];
const GOAL = 2;
const AIM = 1.3;
const PEER = 'scripts/bench/peers/fastify';
const SERVICE = 'dist/src/api.js';
const operator = { email: 'operator@malote.local', password: 'a password for the bench' };

async function demandPrograms(): Promise<void> {
  if (!existsSync(SERVICE)) throw new Error(`${SERVICE} is missing: npm run build`);
  if (existsSync(`${PEER}/node_modules/fastify`)) return;
  await promisify(execFile)('npm', ['ci', '--prefix', PEER, '--engine-strict=false', '--no-audit', '--no-fund']);
}

const settings = (directory: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: databaseUrl,
  DATA_DIR: directory,
  JWT_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
  OPERATOR_EMAIL: operator.email,
  OPERATOR_PASSWORD: operator.password,
  // Counted, never reached.
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
  LOG_LEVEL: 'info',
});

const parcel = {
  pickup_index: 0,
  recipient: { name: 'Bruno Lima', phone: '+55 11 98888-7777' },
  address: { address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000', complement: 'ap 12' },
  dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
};
const pickup = { address: { address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200' } };

/** Places an order of three packages; answers its path and a token that reads it. */
async function placeOrder(baseUrl: string): Promise<{ path: string; token: string }> {
  const { data: login } = await createClient<paths>({ baseUrl }).POST('/auth/login', { body: operator });
  const token = login?.access_token ?? '';
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const body = { pickups: [pickup], packages: [parcel, parcel, parcel] };
  const { data, error } = await client.POST('/api/v1/orders', { body });
  if (!data) throw new Error(`no order was created: ${JSON.stringify(error)}`);
  return { path: `/api/v1/orders/${data.id}`, token };
}

async function answerOf({ url }: Server, path: string, token: string): Promise<unknown> {
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
  return answer.json();
}

/** Microseconds of the server's CPU for each request of one round. */
async function cost(server: Server, path: string, token: string): Promise<number> {
  const before = await server.cpu();
  await load(server.url + path, token, requests, clients);
  return ((await server.cpu()) - before) / requests;
}

async function compare(ours: Server, theirs: Server): Promise<boolean> {
  const { path, token } = await placeOrder(ours.url);
  const [mine, other] = [await answerOf(ours, path, token), await answerOf(theirs, path, token)];
  if (!isDeepStrictEqual(mine, other))
    throw new Error(`they differ:\n${JSON.stringify(mine)}\n${JSON.stringify(other)}`);
  for (const server of [ours, theirs]) await load(server.url + path, token, requests, clients);
  const costs: { service: number[]; fastify: number[] } = { service: [], fastify: [] };
  for (let round = 0; round < rounds; round += 1) {
    costs.service.push(await cost(ours, path, token));
    costs.fastify.push(await cost(theirs, path, token));
  }
  for (const [name, all] of Object.entries(costs)) {
    const { median, min, max } = spread(all);
    console.log(`${name.padEnd(8)} ${median.toFixed(0)} µs of CPU per request (${min.toFixed(0)}–${max.toFixed(0)})`);
  }
  const ratio = ratios(costs.service, costs.fastify);
  judge('ratio, aim', ratio, AIM, 'below');
  return judge('ratio', ratio, GOAL, 'below');
}

await demandPrograms();
const directory = await mkdtemp(join(tmpdir(), 'malote-bench-'));
const embedded = await startEmbedded({ dataDir: directory, log: createLog({ level: 'warn' }) });
const servers: Server[] = [];
try {
  const env = settings(directory, embedded.nearUrl);
  console.log(machine());
  console.log(`${rounds} rounds of ${requests} requests over ${clients} connections; an order of 3 packages\n`);
  const ours = await startServer(SERVICE, ['--no-sender'], env);
  servers.push(ours);
  const theirs = await startServer(`${PEER}/server.mjs`, [], env);
  servers.push(theirs);
  process.exitCode = (await compare(ours, theirs)) ? 0 : 1;
} finally {
  for (const server of servers) await server.stop();
  await embedded.stop();
  await rm(directory, { recursive: true, force: true });
}
