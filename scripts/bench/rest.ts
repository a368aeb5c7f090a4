/**
 * CPU of GET /api/v1/orders/{id} and of a page of GET /api/v1/orders with the whole chain on, beside the same endpoints written by
 * hand on fastify, and of 304:
 * npm run build && npx tsx scripts/bench/rest.ts [--rounds 7] [--requests 10000] [--clients 16]
 *
 * Both read the same orders from the same embedded PostgreSQL, in turns. Prints CPU microseconds per request and their ratios; exits
 * non-zero when one is above its goal in every round.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { judge, machine, ratios, spread } from '../../test/support/figures.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { orderBody, packageBody } from '../../test/support/records.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { connectTo, exchange } from './connection.js';
import { demandBuild, demandPeer, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '10000' },
    clients: { type: 'string', default: '16' },
  },
});
const [rounds, requests, clients] = [Number(values.rounds), Number(values.requests), Number(values.clients)];
const GOAL = 1.2;
const GOAL_UNCHANGED = 0.4;
const PAGE = 20;

const settings = (directory: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  ...serviceSettings(databaseUrl, directory),
  JWT_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
  // Counted, never reached.
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
  LOG_LEVEL: 'info',
});

/** Places an order of three packages; resolves to its path and a token that reads it. */
async function placeOrder(url: string): Promise<{ path: string; token: string }> {
  const token = await accessToken(url, operatorLogin);
  const body = { ...orderBody(), packages: [packageBody, packageBody, packageBody] };
  const { text } = await ask(url, 'POST', '/api/v1/orders', { token, body });
  const { id }: { id?: string } = JSON.parse(text);
  if (!id) throw new Error(`no order was created: ${text}`);
  return { path: `/api/v1/orders/${id}`, token };
}

interface Request {
  path: string;
  token: string;
  /** ETag of the order as the client has it. */
  tag?: string;
}

/** Sends the same GET over all connections until all are answered. Throws at the first answer that is not 200, or 304 with a tag. */
async function load(url: string, { path, token, tag }: Request): Promise<void> {
  const condition = tag === undefined ? '' : `If-None-Match: ${tag}\r\n`;
  const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n${condition}\r\n`;
  const expected = `HTTP/1.1 ${tag === undefined ? 200 : 304} `;
  let left = requests;
  const client = async (): Promise<void> => {
    const socket = await connectTo(url);
    while (left > 0) {
      left -= 1;
      const answer = await exchange(socket, request);
      if (!answer.startsWith(expected)) throw new Error(`not answered with ${expected}: ${answer.slice(0, 500)}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Microseconds of the server's CPU for each request of one round. */
async function cost(server: Child, request: Request): Promise<number> {
  const before = await server.cpu();
  await load(server.url, request);
  return ((await server.cpu()) - before) / requests;
}

/** Throws unless both servers answer the same. */
async function demandSame(ours: Child, theirs: Child, { path, token }: Request): Promise<void> {
  const [mine, other] = await Promise.all(
    [ours, theirs].map(async ({ url }): Promise<unknown> => JSON.parse((await ask(url, 'GET', path, { token })).text)),
  );
  if (!isDeepStrictEqual(mine, other))
    throw new Error(`they differ:\n${JSON.stringify(mine)}\n${JSON.stringify(other)}`);
}

/** The requests of each name, measured in turns. */
async function costs<Name extends string>(
  ways: Readonly<Record<Name, readonly [Child, Request]>>,
): Promise<Record<Name, number[]>>;
async function costs(ways: Readonly<Record<string, readonly [Child, Request]>>): Promise<Record<string, number[]>> {
  for (const [server, request] of Object.values(ways)) await load(server.url, request);
  const all: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, [server, request]] of Object.entries(ways)) all[name]?.push(await cost(server, request));
  }
  for (const [name, each] of Object.entries(all)) {
    const { median, min, max } = spread(each);
    console.log(`${name.padEnd(8)} ${median.toFixed(0)} µs of CPU per request (${min.toFixed(0)}–${max.toFixed(0)})`);
  }
  return all;
}

async function compareOrder(ours: Child, theirs: Child): Promise<boolean> {
  const whole = await placeOrder(ours.url);
  await demandSame(ours, theirs, whole);
  const unchanged = { ...whole, tag: '"1"' };
  const all = await costs({ service: [ours, whole], fastify: [theirs, whole], unchanged: [ours, unchanged] });
  const isCheap = judge('304, as a share of 200', ratios(all.unchanged, all.service), GOAL_UNCHANGED, 'below');
  return judge('ratio', ratios(all.service, all.fastify), GOAL, 'below') && isCheap;
}

async function comparePage(ours: Child, theirs: Child): Promise<boolean> {
  for (let placed = 0; placed < PAGE; placed += 1) await placeOrder(ours.url);
  const page = { path: `/api/v1/orders?page_size=${PAGE}`, token: await accessToken(ours.url, operatorLogin) };
  await demandSame(ours, theirs, page);
  const all = await costs({ service: [ours, page], fastify: [theirs, page] });
  return judge(`ratio of a page of ${PAGE} orders`, ratios(all.service, all.fastify), GOAL, 'below');
}

await demandBuild();
const peer = await demandPeer('fastify', ['ci']);
const postgres = await startPostgres({ level: 'warn' });
const servers: Child[] = [];
try {
  const env = settings(postgres.folder, postgres.nearUrl);
  console.log(machine());
  console.log(`${rounds} rounds of ${requests} requests over ${clients} connections; an order of 3 packages\n`);
  const start = async (...args: string[]): Promise<Child> => {
    const server = await startChild(args, env, { measured: true });
    servers.push(server);
    return server;
  };
  const [ours, theirs] = [await start(SERVICE, '--no-sender'), await start(peer)];
  const isOrderCheap = await compareOrder(ours, theirs);
  const isPageCheap = await comparePage(ours, theirs);
  process.exitCode = isOrderCheap && isPageCheap ? 0 : 1;
} finally {
  for (const server of servers) await server.signal('SIGTERM');
  await postgres.stop();
}
