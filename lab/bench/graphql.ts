/**
 * Measures createOrder over GraphQL, with database and clients on this machine: npm run build && npx tsx
 * lab/bench/graphql.ts [--rounds 3] [--seconds 3] [--clients 32] [--no-pgbench]. Compares the service in dist/ with two
 * others: its own SQL statements sent by pgbench over as many connections, and the same schema and resolvers on
 * mercurius. Exits non-zero if a goal is missed.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Child, startChild } from '../../test/support/processes/child.js';
import { judge, mention, type Run, ratios, table } from '../figures.js';
import { type Limit, limitOf } from './graphql/limit.js';
import type { Job } from './graphql/load.js';
import { withOneOrder } from './graphql/one-order.js';
import { CONNECTIONS, openStage, type Stage } from './graphql/stage.js';
import { type Statement, templatesOf } from './graphql/statements.js';
import { demandBuild, demandPeer, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '32' },
    'no-pgbench': { type: 'boolean', default: false },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];

async function printSetting({ query, statements }: Stage, { name }: Limit): Promise<void> {
  const { about } = await query(`
    select format('PostgreSQL %s, embedded, defaults: fsync %s, synchronous_commit %s, wal_sync_method %s, shared_buffers %s',
      current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'),
      current_setting('wal_sync_method'), current_setting('shared_buffers')) as about`);
  console.log(`${about}
Node ${process.version}, ${cpus().length} cores shared by server, database and clients; load before ${loadavg()[0]?.toFixed(1)}
${rounds} rounds of ${seconds} s each; ${clients} clients with keep-alive, ${CONNECTIONS} database connections; limit by ${name}
createOrder, 1 pickup, 3 packages, every text distinct: ${described(statements)}\n`);
}

/** Describes the recorded statements of an order. */
function described(statements: readonly Statement[]): string {
  const begun = statements.findIndex(({ text }) => text === 'begin');
  if (begun < 0) return `${statements.length} statements, each a transaction by itself`;
  const within = statements.filter(({ text }) => text !== 'begin' && text !== 'commit').length - begun;
  return `${begun} statements, then ${within} in one transaction with begin and commit`;
}

let used = 0;
/** Numbers that no other run uses. They have twelve digits, because eight digits would be read as a CEP. */
const fresh = (): number => 100_000_000_000 + 100_000_000 * ++used;

// Orders until the just-in-time compiler has finished with this path.
const warming = { seconds: 6, orders: 5000 };

type Extent = Pick<Job, 'seconds' | 'orders'>;

type InterfaceName = Job['interfaceName'];

interface OverHttp {
  interfaceName: InterfaceName;
  servers: readonly Child[];
  named?: boolean;
  whole?: boolean;
}

async function overHttp(
  stage: Stage,
  { interfaceName, servers, named = false, whole = false }: OverHttp,
  extent: Extent,
): Promise<Cost> {
  const { authorization, paymentMethod, wholeTotal } = stage.customer;
  const used = async () => (await Promise.all(servers.map(({ cpu }) => cpu()))).reduce((sum, each) => sum + each);
  const [before, postgresBefore] = [await used(), await stage.postgresCpu()];
  const {
    orders,
    refused,
    seconds: took,
    latencies,
  } = await stage.load({
    urls: servers.map(({ url }) => url),
    interfaceName,
    authorization: authorization[interfaceName],
    paymentMethod,
    named,
    ...(whole && { whole: { total: wholeTotal } }),
    clients,
    ...extent,
    firstNumber: fresh(),
  });
  if (refused > 0) console.log(`Note: ${refused} requests were refused with 503 beside ${orders} orders.`);
  const postgres = ((await stage.postgresCpu()) - postgresBefore) * 1000;
  return { perSecond: orders / took, cpu: ((await used()) - before) / orders, latencies, postgres: postgres / orders };
}

/** A run, and PostgreSQL's CPU per order in microseconds. */
interface Cost extends Run {
  postgres: number;
}

/** Throws if the written rows differ from those that the service writes. */
async function byStatements({ query, postgresCpu }: Stage, limit: Limit, { seconds: time }: Extent): Promise<Cost> {
  const counted = async () => {
    const { orders, packages, movements } = await query(`select (select count(*) from orders)::integer as orders,
      (select count(*) from packages)::integer as packages, (select count(*) from movements)::integer as movements`);
    return [Number(orders), Number(packages), Number(movements)];
  };
  const before = await counted();
  const cpuBefore = await postgresCpu();
  const { orders, perSecond } = await limit.run(time, fresh());
  const postgres = (((await postgresCpu()) - cpuBefore) * 1000) / orders;
  const written = (await counted()).map((count, at) => count - (before[at] ?? 0));
  const expected = [orders, 3 * orders, 3 * orders];
  if (String(written) !== String(expected)) throw new Error(`${limit.name} wrote ${written} rows, not ${expected}`);
  return { perSecond, latencies: [], postgres };
}

async function measure(stage: Stage, limit: Limit, [malote, twin]: [Child, Child], mercurius: Child): Promise<boolean> {
  const http =
    (interfaceName: InterfaceName, servers: readonly Child[], how: Pick<OverHttp, 'named' | 'whole'> = {}) =>
    (extent: Extent) =>
      overHttp(stage, { interfaceName, servers, ...how }, extent);
  const ways: Record<string, (extent: Extent) => Promise<Cost>> = {
    'GraphQL, one process': http('graphql', [malote]),
    'GraphQL, two processes': http('graphql', [malote, twin]),
    'REST, two processes': http('rest', [malote, twin]),
    'GraphQL, every shape a new one': http('graphql', [malote], { named: true }),
    'GraphQL, all that an order may carry': http('graphql', [malote], { whole: true }),
    'REST, one process': http('rest', [malote]),
    'REST, all that an order may carry': http('rest', [malote], { whole: true }),
    mercurius: http('graphql', [mercurius]),
    [limit.name]: (extent) => byStatements(stage, limit, extent),
  };
  for (const server of [malote, twin, mercurius]) {
    await http('graphql', [server], { named: server !== mercurius })(warming);
    if (server !== mercurius) await http('rest', [server])(warming);
  }
  const runs: Record<string, Cost[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) runs[name] = [...(runs[name] ?? []), await way({ seconds })];
  }
  console.log(`${table(runs)}\n`);
  return judged(limit, (name, figure) => (runs[name] ?? []).map((run) => run[figure] ?? Number.NaN));
}

/** Prints a summary of all rounds. Returns true if no goal is missed. */
function judged(limit: Limit, of: (name: string, figure: 'perSecond' | 'cpu' | 'postgres') => number[]): boolean {
  const verdicts = [
    judge(
      "CPU per order, as a share of mercurius's",
      ratios(of('GraphQL, one process', 'cpu'), of('mercurius', 'cpu')),
      1,
      'below',
    ),
  ];
  for (const name of ['GraphQL', 'REST'] as const) {
    const [whole, few] = [of(`${name}, all that an order may carry`, 'cpu'), of(`${name}, one process`, 'cpu')];
    mention(`CPU per order with all that it may carry, as a share of ${name} without`, ratios(whole, few));
  }
  for (const [name, goal] of [
    ['GraphQL, two processes', 0.8],
    ['REST, two processes', 0.9],
  ] as const) {
    const rate = ratios(of(name, 'perSecond'), of(limit.name, 'perSecond'));
    const title = `Rate of ${name}, as a share of ${limit.name}'s`;
    if (limit.isLimit) verdicts.push(judge(title, rate, goal, 'at least'));
    else mention(title, rate, 'a loop in Node is itself far from the limit');
    const cost = ratios(of(name, 'postgres'), of(limit.name, 'postgres'));
    verdicts.push(judge(`CPU of PostgreSQL per order, as a share of ${limit.name}'s`, cost, 0.45, 'below'));
  }
  return !verdicts.includes(false);
}

process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
const peer = await demandPeer('mercurius');
const stage = await openStage();
const servers: Child[] = [];
try {
  const { directory, databaseUrl: url, statements, customer, env } = stage;
  // The settings that the service's pool makes on each connection.
  const settings = { statement_timeout: 10_000, lock_timeout: 500, idle_in_transaction_session_timeout: 10_000 };
  const templates = templatesOf(withOneOrder(statements), [customer.accountId]);
  const limit = await limitOf({ url, connections: clients, settings, templates, directory }, !values['no-pgbench']);
  await printSetting(stage, limit);
  const start = async (...args: string[]): Promise<Child> => {
    const server = await startChild(args, env, { measured: true });
    servers.push(server);
    return server;
  };
  const twins: [Child, Child] = [await start(SERVICE, '--no-sender'), await start(SERVICE, '--no-sender')];
  if (!(await measure(stage, limit, twins, await start('--import', 'tsx', peer)))) process.exitCode = 1;
} finally {
  await Promise.all(servers.map((server) => server.signal('SIGTERM')));
  await stage.close();
}
