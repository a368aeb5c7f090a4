import { randomInt } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { waitFor } from '../../test/support/receiver.js';
import { readCompose } from './compose.js';
import { type Machine, machineOf, signalAll } from './machine.js';
import { type Members, membersOf, postgresOf } from './members.js';
import { demandPorts } from './ports.js';

/** The services of compose.yaml, run on this machine. */
export interface Cluster {
  folder: string;
  /** The variables of .env, with random values for the empty ones. */
  variables: Readonly<Record<string, string>>;
  members: Members;
  machine(name: string): Machine;
  /** The superuser's address of the leader's database. */
  adminUrl: string;
  /** Starts services that are not running. Resolves once the processes of Malote are ready. */
  start(names: readonly string[]): Promise<void>;
  /** Ends everything and removes the folder. After a failure the logs in it are kept. */
  stop(failed?: 'failed'): Promise<void>;
}

/** The programs other than Malote's. */
const partNames = [
  'etcd-1',
  'etcd-2',
  'etcd-3',
  'postgres-a',
  'postgres-b',
  'leader',
  'pgbouncer',
  'redis',
  'haproxy',
] as const;

const READY_MS = 60_000;

/**
 * Starts everything except Malote's processes. Resolves when PostgreSQL answers through PgBouncer. Throws if another
 * program uses the ports, or if a part does not start, and then keeps the part's log.
 */
export async function startCluster(): Promise<Cluster> {
  const { services, variables } = await readCompose();
  // All of 127.0.0.0/8 is this machine, so each service has its own address there and its usual port.
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
  const addresses = new Map([...services.keys()].map((name, index) => [name, `${network}.${index + 1}`]));
  await demandPorts(addresses);
  const folder = await mkdtemp(join(tmpdir(), 'malote-cluster-'));
  await chmod(folder, 0o755);
  const machines = new Map<string, Machine>();
  for (const service of services.values()) {
    machines.set(service.name, machineOf({ service, addresses, folder }));
  }
  const machine = (name: string): Machine => {
    const found = machines.get(name);
    if (!found) throw new Error(`compose.yaml has no ${name}`);
    return found;
  };
  const databases = ['postgres-a', 'postgres-b'].map(machine);
  const members = membersOf(databases);

  const all = [...machines.values()];
  // No data outlives the run, so the parts are killed.
  const kill = () => signalAll([...databases.flatMap(postgresOf), ...all.flatMap((each) => each.pids())], 'SIGKILL');
  process.once('exit', kill);
  const stop: Cluster['stop'] = async (failed) => {
    await Promise.all(all.filter(isService).map((each) => each.signal('SIGTERM')));
    kill();
    await Promise.all(all.map((each) => each.signal('SIGKILL')));
    process.removeListener('exit', kill);
    const away = failed ? all.map(({ root }) => root) : [folder];
    for (const path of away) await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const start = async (names: readonly string[]) => {
    await Promise.all(names.map((name) => machine(name).start()));
    await Promise.all(names.map(machine).filter(isService).map(isReady));
  };

  const { SUPERUSER_PASSWORD: superuser, DATABASE_PASSWORD: password } = variables;
  const adminUrl = `postgres://postgres:${superuser}@${addresses.get('leader')}:5432/postgres`;
  try {
    await start(partNames);
    await members.whole();
    await answers(`postgres://malote:${password}@${addresses.get('pgbouncer')}:6432/malote`);
  } catch (error) {
    await stop('failed');
    throw new Error(`${messageOf(error)}: see ${folder}/*.log`, { cause: error });
  }
  return { folder, variables, members, machine, adminUrl, start, stop };
}

/** The message on one line. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isService = ({ name }: Machine): boolean => /^(api|worker)-/.test(name);

async function isReady({ name, address, runs }: Machine): Promise<void> {
  const isReady = async () => {
    if (!runs()) throw new Error(`${name} has ended; its log says why`);
    return (await fetch(`http://${address}:3001/readyz`).catch(() => undefined))?.ok === true;
  };
  await waitFor(isReady, `${name} to be ready`, READY_MS);
}

async function answers(url: string): Promise<void> {
  const isThere = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    const query = client.connect().then(() => client.query('select 1'));
    const rows = await query.catch(() => undefined);
    await client.end().catch(() => undefined);
    return rows !== undefined;
  };
  await waitFor(isThere, 'PgBouncer', READY_MS);
}
