import { sql } from 'kysely';
import { createDatabase, execute, inDatabase, type Origin } from '../../../test/support/database.js';
import { createTemplate } from '../../../test/support/postgres.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import type { Build, Child } from '../../../test/support/processes/child.js';
import { breachesOf, expectThat, type Finding, judge } from '../../../test/support/processes/judgement.js';
import { type Customer, newCustomer } from '../../../test/support/processes/orders.js';
import { openStage, type Stage } from '../../../test/support/processes/stage.js';
import { drainedWithoutPauses } from '../../../test/support/queue.js';
import { type ReceiverOptions, waitFor } from '../../../test/support/receiver.js';
import type { Cluster } from '../../cluster/cluster.js';
import type { Load } from './load.js';

export const serviceNames = ['api-1', 'api-2', 'worker-1', 'worker-2'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The whole topology, with a database and a customer for one fault. */
export interface Topology {
  cluster: Cluster;
  stage: Stage;
  receiver: CheckingReceiver;
  customer: Customer;
  /** HAProxy's address. */
  url: string;
  /** Malote's processes by name. A restarted process replaces the earlier one. */
  processes: Map<ServiceName, Child>;
  /** Starts a process as in compose.yaml. No process with this name may be running. */
  start(name: ServiceName, env?: NodeJS.ProcessEnv, build?: Build): Promise<void>;
  /** The settings of a process by its name, for commands on its machine. */
  settingsOf(name: ServiceName): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/** The path of the receiver for the only customer. */
export const PATH = '/endpoints/0';

const DRAINED_MS = 120_000;

/**
 * As in a deployment, the databases of a run belong to Malote's role. It can drop them even while autovacuum, which has
 * no role, works in them.
 */
export async function originOf({ adminUrl, variables }: Cluster): Promise<Origin> {
  await execute(adminUrl, 'alter role malote createdb; grant pg_signal_backend to malote');
  const server = new URL(adminUrl);
  server.username = 'malote';
  server.password = variables['DATABASE_PASSWORD'] ?? '';
  return createTemplate(inDatabase(server.href, 'postgres'));
}

/** Starts Malote's processes on a database that is cloned from the template. */
export async function openTopology(
  cluster: Cluster,
  origin: Origin,
  build: Build,
  settings: NodeJS.ProcessEnv,
  place?: Pick<ReceiverOptions, 'names'>,
): Promise<Topology> {
  const database = await createDatabase(origin, { statementTimeoutMs: 120_000, lockTimeoutMs: 30_000 });
  const stage = await openStage({ db: database.db, databaseUrl: database.url, build });
  const receiver = await stage.openReceiver(place);
  const processes = new Map<ServiceName, Child>();
  const ofProcess = (name: ServiceName) => ({ ...settingsOf(cluster, name, database.url), ...settings });
  const start = async (name: ServiceName, env: NodeJS.ProcessEnv = {}, from = build) => {
    const program = name.startsWith('api') ? 'api --no-sender' : 'worker';
    processes.set(name, await stage.start(program, [receiver.port], { ...ofProcess(name), ...env }, { build: from }));
  };
  const url = `http://${cluster.machine('haproxy').address}:8080`;
  const close = async () => {
    await stage.close();
    await database.drop();
  };
  try {
    // If one process fails, processes that are still starting are ended, too.
    const started = await Promise.allSettled(serviceNames.map((name) => start(name)));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
    await isInFront(cluster, ['api-1', 'api-2']);
    const customer = await newCustomer(stage, receiver);
    return { cluster, stage, receiver, customer, url, processes, start, settingsOf: ofProcess, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The wait for a connection, because a machine that runs the whole topology connects slowly. */
export const CONNECT_MS = 3_000;

/** Limits that requests count towards (in Redis, too) but never reach. */
const unlimited = {
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000',
  RATE_LIMIT_PUBLIC_PER_HOUR: '1000000',
  RATE_LIMIT_OPERATOR_PER_HOUR: '1000000',
  DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
};

// The stage has these settings itself.
const OF_STAGE = /_KEYS$|_SECRETS$|^OPERATOR_/;

/** The settings of compose.yaml for a process, with another database. */
function settingsOf(cluster: Cluster, name: ServiceName, databaseUrl: string): NodeJS.ProcessEnv {
  const { environment } = cluster.machine(name);
  const kept = Object.entries(environment).filter(([setting]) => !OF_STAGE.test(setting));
  const url = inDatabase(environment['DATABASE_URL'] ?? '', new URL(databaseUrl).pathname.slice(1));
  return { ...unlimited, ...Object.fromEntries(kept), DATABASE_URL: url };
}

/** Resolves when HAProxy sends requests to exactly these processes. */
export async function isInFront({ machine }: Cluster, names: readonly ServiceName[]): Promise<void> {
  await waitFor(
    async () => {
      const answer = await fetch(`http://${machine('haproxy').address}:8404/;csv`).catch(() => undefined);
      const lines = (await answer?.text())?.split('\n').map((line) => line.split(',')) ?? [];
      const up = lines
        .filter(([proxy, , ...rest]) => proxy === 'api' && rest[15] === 'UP')
        .map(([, name = '']) => name);
      return String(up.filter((name) => name.startsWith('api-')).sort()) === String([...names].sort());
    },
    `HAProxy to have ${names.join()}`,
    60_000,
  );
}

/** Compares the database with the acknowledged requests. */
async function count({ db }: Stage, { orders, movements }: Load) {
  const { rows } = await sql<{ id: string }>`select id from orders`.execute(db);
  const { rows: moved } = await sql<{ id: string }>`select id from movements`.execute(db);
  const { rows: packages } = await sql<{ key: string; moved: boolean }>`
    select loggi_key as key, exists (select from movements where loggi_key = packages.loggi_key) as moved from packages`.execute(
    db,
  );
  const { rows: incomplete } = await sql<{ id: string }>`
    select id from orders where package_count <> (select count(*) from packages where order_id = orders.id)`.execute(
    db,
  );
  const [orderIds, movementIds] = [rows, moved].map((list) => new Set(list.map(({ id }) => id)));
  return {
    missingOrders: [...orders].filter((id) => !orderIds?.has(id)).length,
    surplusOrders: rows.filter(({ id }) => !orders.has(id)).length,
    missingMovements: movements.filter(({ id }) => !movementIds?.has(id)).length,
    incomplete: incomplete.length + packages.filter((each) => !each.moved).length,
    packages: packages.map(({ key }) => key),
  };
}

/** Ends the load, and compares the acknowledged requests with the database and the receiver's notifications. */
export async function settleLoad({ stage, receiver, processes }: Topology, load: Load): Promise<Finding> {
  await load.stop();
  await drainedWithoutPauses(stage.db, DRAINED_MS);
  const counted = await count(stage, load);
  const lost = counted.missingOrders + counted.missingMovements;
  const judgement = judge(load.movements, receiver.arrivals);
  const notified = new Set(receiver.arrivals.flatMap(({ entries }) => entries.map(({ loggiKey }) => loggiKey)));
  const unnotified = counted.packages.filter((key) => !notified.has(key)).length;
  const ended = [...processes].filter(([, process]) => !process.runs()).map(([name]) => name);
  const others = [...load.others].map(([answer, times]) => `${times} × ${answer}`).join(', ');
  return {
    figures: `${load.orders.size} orders and ${load.movements.length} movements acknowledged, other answers ${others || 'none'}: lost ${lost}, twice ${counted.surplusOrders}, not notified ${judgement.lost + unnotified}, out of order ${judgement.inversions}, sent again ${judgement.duplicates}, processes ended ${ended.length}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(lost === 0, `${lost} orders and movements were acknowledged and are not there`),
      ...expectThat(counted.surplusOrders === 0, `${counted.surplusOrders} orders are there twice`),
      ...expectThat(counted.incomplete === 0, `${counted.incomplete} orders and packages lack what belongs to them`),
      ...expectThat(unnotified === 0, `${unnotified} packages were not notified`),
      ...expectThat(ended.length === 0, `these processes ended: ${ended.join()}`),
      ...expectThat(load.orders.size > 0 && load.movements.length > 0, 'nothing was acknowledged'),
    ],
  };
}

/** Answers other than acknowledgements that are not expected, for example not in /^. (0|503)$/. */
export function unexpected({ others }: Load, expected: RegExp): string[] {
  const strange = [...others.keys()].filter((answer) => !expected.test(answer));
  return expectThat(strange.length === 0, `answers with ${strange.join(', ')}`);
}
