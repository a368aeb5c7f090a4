/**
 * Measures the CPU of GET /api/v1/orders/{id}, of its 304, and of a page of GET /api/v1/orders, with all middleware:
 * npm run build && npx tsx lab/bench/rest.ts [--rounds 7] [--requests 3000] [--clients 16]. Compares them with the same
 * endpoints written by hand on fastify. Both read the same orders from the same embedded PostgreSQL, in turn. Prints
 * CPU microseconds per request and their ratios. Exits non-zero if a ratio exceeds its goal in every round.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { orderBody, packageBody } from '../../test/support/bodies.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, ratios } from '../figures.js';
import { costs, effortOf, type Request as Sent } from './costs.js';
import { demandBuild, demandPeer, SERVICE } from './programs.js';

const effort = effortOf();
const GOAL = 1.2;
const GOAL_UNCHANGED = 0.4;
const PAGE = 20;

const settings = (directory: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  ...serviceSettings(databaseUrl, directory),
  JWT_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
  // Limits that requests count towards but never reach.
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
  LOG_LEVEL: 'info',
});

/** A package with every optional field. */
const wholePackage = {
  ...packageBody,
  recipient: { ...packageBody.recipient, tax_id: '52998224725' },
  instructions: 'Deixar na portaria.',
  declared_value: '349.90',
  fiscal_document: { kind: 'nfe', key: '35260914200166000166550010000012341123456780' },
};

/** Places an order of three such packages. Resolves to its path and a token that may read it. */
async function placeOrder(url: string, parcel: object = packageBody): Promise<{ path: string; token: string }> {
  const token = await accessToken(url, operatorLogin);
  const body = { ...orderBody(), packages: [parcel, parcel, parcel] };
  const { text } = await ask(url, 'POST', '/api/v1/orders', { token, body });
  const { id }: { id?: string } = JSON.parse(text);
  if (!id) throw new Error(`no order was created: ${text}`);
  return { path: `/api/v1/orders/${id}`, token };
}

interface Request {
  path: string;
  token: string;
}

const getOf = ({ path, token }: Request): Sent => ({ path, head: `Authorization: Bearer ${token}\r\n` });

/** The peer makes no tracking links. */
const withoutLink = (name: string, value: unknown): unknown => (name === 'tracking_url' ? undefined : value);

/** Throws unless both servers give the same answer. */
async function demandSame(ours: Child, theirs: Child, { path, token }: Request): Promise<void> {
  const bodyOf = async ({ url }: Child): Promise<unknown> =>
    JSON.parse((await ask(url, 'GET', path, { token })).text, withoutLink);
  const [mine, other] = await Promise.all([ours, theirs].map(bodyOf));
  if (!isDeepStrictEqual(mine, other))
    throw new Error(`they differ:\n${JSON.stringify(mine)}\n${JSON.stringify(other)}`);
}

async function compareOrder(ours: Child, theirs: Child): Promise<boolean> {
  const [few, whole] = [await placeOrder(ours.url), await placeOrder(ours.url, wholePackage)];
  for (const order of [few, whole]) await demandSame(ours, theirs, order);
  const [get, getWhole] = [getOf(few), getOf(whole)];
  const unchanged = { ...get, head: `${get.head}If-None-Match: "1"\r\n`, status: 304 };
  const both = { service: [ours, get], fastify: [theirs, get], unchanged: [ours, unchanged] } as const;
  const wholes = { 'service, all fields': [ours, getWhole], 'fastify, all fields': [theirs, getWhole] } as const;
  const all = await costs({ ...both, ...wholes }, effort);
  const isCheap = judge('304, as a share of 200', ratios(all.unchanged, all.service), GOAL_UNCHANGED, 'below');
  const wholeRatios = ratios(all['service, all fields'], all['fastify, all fields']);
  const isWholeCheap = judge('ratio with all that an order may carry', wholeRatios, GOAL, 'below');
  return judge('ratio', ratios(all.service, all.fastify), GOAL, 'below') && isCheap && isWholeCheap;
}

async function comparePage(ours: Child, theirs: Child): Promise<boolean> {
  for (let placed = 0; placed < PAGE; placed += 1) await placeOrder(ours.url);
  const page = { path: `/api/v1/orders?page_size=${PAGE}`, token: await accessToken(ours.url, operatorLogin) };
  await demandSame(ours, theirs, page);
  const all = await costs({ service: [ours, getOf(page)], fastify: [theirs, getOf(page)] }, effort);
  return judge(`ratio of a page of ${PAGE} orders`, ratios(all.service, all.fastify), GOAL, 'below');
}

await demandBuild();
const peer = await demandPeer('fastify');
const postgres = await startPostgres({ level: 'warn' });
const servers: Child[] = [];
try {
  const env = settings(postgres.folder, postgres.nearUrl);
  console.log(machine());
  console.log(
    `${effort.rounds} rounds of ${effort.requests} requests over ${effort.clients} connections; an order of 3 packages\n`,
  );
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
