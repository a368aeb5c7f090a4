/**
 * Compares the CPU of a page of 20 orders with their packages by GraphQL with that of PostGraphile over the same
 * tables, in turn: npm run build && npx tsx lab/bench/reads.ts [--rounds 5] [--requests 3000] [--clients 8]. Adds
 * PostgreSQL's CPU to Node's, because moving work from one to the other is no gain. Exits non-zero if the sum exceeds
 * the goal in every round. PostGraphile reads without an API key, a filter by owner, limits and log. Both run on the
 * Node version that PostGraphile needs.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ask } from '../../test/support/http.js';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { judge, machine, mention, ratios, spread } from '../figures.js';
import { connectTo, exchange } from './connection.js';
import { mutation } from './graphql/mutation.js';
import { openStage, type Stage } from './graphql/stage.js';
import { demandBuild, demandPeer, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '3000' },
    clients: { type: 'string', default: '8' },
  },
});
const [rounds, requests, clients] = [Number(values.rounds), Number(values.requests), Number(values.clients)];
const ORDERS = 40;
const PAGE = 20;
const GOAL = 1.1;

const ordersQuery = `{ orders(first: ${PAGE}) { edges { node { pk externalId status createdAt distance pricing { totalCm } packages {
  loggiKey trackingCode barcode pickupIndex recipient { name phone } address { address complement } instructions promisedDate
  dimensions { width height length weight } waypoint { index eta legDistance } status { code highLevelStatus } } } } pageInfo { hasNextPage } } }`;

const theirs = (accountId: string): string => `{ accountByRowId(rowId: "${accountId}") {
  ordersByAccountId(first: ${PAGE}, orderBy: [CREATED_AT_DESC]) { nodes { rowId externalId status createdAt distanceMetres
  totalCentavos packagesByOrderId { nodes { loggiKey trackingCode barcode pickupPosition recipientName recipientPhone address
  complement instructions promisedDate width height length weight waypointIndex eta legMetres
  packageStatusByStatusCode { code name } } } } pageInfo { hasNextPage } } } }`;

interface Way {
  server: Child;
  request: string;
}

function wayOf(server: Child, query: string, authorization: string): Way {
  const body = JSON.stringify({ query });
  const head = `POST /graphql HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nContent-Type: application/json\r\nAccept: application/json`;
  const length = Buffer.byteLength(body);
  const request = `${head}\r\nAuthorization: ${authorization}\r\nContent-Length: ${length}\r\n\r\n${body}`;
  return { server, request };
}

/** Throws at the first answer that is not a page of orders with three packages each. */
function demandPage(answer: string): void {
  const packages = answer.split('"trackingCode"').length - 1;
  if (!answer.startsWith('HTTP/1.1 200 ') || packages !== 3 * PAGE) throw new Error(`no page: ${answer.slice(0, 800)}`);
}

async function load({ server, request }: Way, count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    const socket = await connectTo(server.url);
    while (left > 0) {
      left -= 1;
      demandPage(await exchange(socket, request));
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** CPU microseconds per request of one round. */
interface Cost {
  node: number;
  postgres: number;
}

async function cost(way: Way, postgresCpu: Stage['postgresCpu']): Promise<Cost> {
  const [node, postgres] = [await way.server.cpu(), await postgresCpu()];
  await load(way, requests);
  return {
    node: ((await way.server.cpu()) - node) / requests,
    postgres: (((await postgresCpu()) - postgres) * 1000) / requests,
  };
}

async function placeOrders(
  { url }: Child,
  { authorization: { graphql: Authorization }, paymentMethod }: Stage['customer'],
): Promise<void> {
  for (let number = 1; number <= ORDERS; number += 1) {
    const query = mutation({ number: 500_000_000_000 + number, paymentMethod, named: false });
    const { text } = await ask(url, 'POST', '/graphql', {
      headers: { Authorization },
      body: { query },
    });
    if (!text.includes('"success":true')) throw new Error(`no order was created: ${text}`);
  }
}

async function compare(ours: Way, postgraphile: Way, postgresCpu: Stage['postgresCpu']): Promise<boolean> {
  for (const way of [ours, postgraphile]) await load(way, requests);
  const costs: Record<'ours' | 'theirs', Cost[]> = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    costs.ours.push(await cost(ours, postgresCpu));
    costs.theirs.push(await cost(postgraphile, postgresCpu));
  }
  const of = (side: keyof typeof costs, part: (each: Cost) => number) => costs[side].map(part);
  const share = (part: (each: Cost) => number) => ratios(of('ours', part), of('theirs', part));
  const node = (each: Cost) => each.node;
  const postgres = (each: Cost) => each.postgres;
  const both = (each: Cost) => each.node + each.postgres;
  for (const [name, part] of Object.entries({ 'of Node': node, 'of PostgreSQL': postgres })) {
    mention(`orders(first: ${PAGE}) with packages: CPU ${name}, µs a request`, spread(of('ours', part)));
    mention(`the same by PostGraphile: CPU ${name}, µs a request`, spread(of('theirs', part)));
  }
  mention("share of PostGraphile's CPU of Node", share(node));
  return judge("share of PostGraphile's CPU, PostgreSQL's with it", share(both), GOAL, 'below');
}

/** Settings of production, where GraphQL's libraries skip some checks. */
function production(): NodeJS.ProcessEnv {
  const ring = () => `bench:${randomBytes(32).toString('base64url')}`;
  const rings = { JWT_KEYS: ring(), API_KEY_SECRETS: ring(), ENCRYPTION_KEYS: ring(), CODE_KEYS: ring() };
  return { NODE_ENV: 'production', ...rings };
}

await demandBuild();
const peer = await demandPeer('postgraphile');
const node = peer.replace('server.mjs', 'node_modules/node/bin/node');
const stage = await openStage(production());
const servers: Child[] = [];
try {
  console.log(`${machine()}; ${rounds} rounds of ${requests} requests over ${clients} connections`);
  const { customer, env } = stage;
  // PostGraphile finds relations by foreign keys, which partitioned tables here do not have. Comments declare them.
  await stage.query(`comment on table packages is '@foreignKey (order_id) references orders (id)'`);
  const start = async (...args: string[]): Promise<Child> => {
    const server = await startChild(args, env, { measured: true, node });
    servers.push(server);
    return server;
  };
  const [service, postgraphile] = [await start(SERVICE, '--no-sender'), await start(peer)];
  await placeOrders(service, customer);
  const isCheap = await compare(
    wayOf(service, ordersQuery, customer.authorization.graphql),
    wayOf(postgraphile, theirs(customer.accountId), 'none'),
    stage.postgresCpu,
  );
  process.exitCode = isCheap ? 0 : 1;
} finally {
  await Promise.all(servers.map((server) => server.signal('SIGTERM')));
  await stage.close();
}
