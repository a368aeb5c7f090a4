import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startPooler } from '../../../test/support/pgbouncer.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import { type Complaint, complaintsOf, inWords } from '../../../test/support/processes/doctor.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import {
  breachesOfOrders,
  type Customer,
  countOrders,
  newCustomer,
  startOrderLoad,
} from '../../../test/support/processes/orders.js';
import { drainedWithoutPauses } from '../../../test/support/queue.js';
import type { Fault, Run } from '../fault.js';

const CLIENTS = 8;
// Fewer connections than the processes have, so that processes share each of them.
const CONNECTIONS = 8;
const LOAD_MS = 8_000;

interface Tried {
  created: Set<string>;
  complaints: Complaint[];
  unexpected: number[];
  errors: string[];
}

/** Starts two processes of the API and a worker behind a pooler at once, and creates orders through both. */
async function behind(
  run: Run,
  { command }: PoolerProgram,
  customer: Customer,
  receiver: CheckingReceiver,
): Promise<Tried> {
  const { stage } = run;
  const pooler = await startPooler({ command, target: stage.databaseUrl, connections: CONNECTIONS });
  const env = { DATABASE_URL: pooler.url };
  const programs = ['api --no-sender', 'api --no-sender', 'worker'] as const;
  const processes = await Promise.all(programs.map((program) => stage.start(program, [receiver.port], env)));
  const apis = processes.slice(0, 2);
  // Only processes behind the pooler use this address.
  const complaints = (await complaintsOf(stage, env)).filter(({ check }) => check !== 'service');
  await stage.complete('malote migrate --status', env);
  const loads = await Promise.all(apis.map(({ url }) => startOrderLoad(() => url, customer, CLIENTS)));
  await sleep(LOAD_MS);
  await Promise.all(loads.map((load) => load.stop()));
  await drainedWithoutPauses(stage.db, 60_000);
  const errors = processes.filter((process) => /"level":(50|60|"error"|"fatal")/.test(process.output()));
  await Promise.all(processes.map((process) => process.signal('SIGTERM')));
  await pooler.stop();
  return {
    complaints,
    created: new Set(loads.flatMap(({ created }) => [...created])),
    unexpected: loads.flatMap(({ others }) => [...others.keys()]).filter((status) => status !== 409),
    errors: errors.map((process) => process.output().slice(-500)),
  };
}

export const pooler: Fault = {
  what: 'three processes behind PgBouncer in transaction mode',
  promise: 'each runs its own SQL, nothing fails, nothing is lost; malote doctor and migrate --status work',
  run: async (run): Promise<Finding> => {
    const programs = await poolerPrograms();
    const receiver = await run.stage.openReceiver();
    const customer = await newCustomer(run.stage, receiver);
    const all = new Set<string>();
    const figures: string[] = [];
    const breaches = expectThat(programs.length > 0, 'no PgBouncer is installed');
    for (const program of programs) {
      const { created, complaints, unexpected, errors } = await behind(run, program, customer, receiver);
      for (const id of created) all.add(id);
      figures.push(`${program.version}: ${created.size} orders`);
      breaches.push(
        ...expectThat(created.size > 0, `no order behind ${program.version}`),
        ...expectThat(unexpected.length === 0, `answers with ${unexpected.join()} behind ${program.version}`),
        ...expectThat(complaints.length === 0, `malote doctor behind ${program.version}: ${inWords(complaints)}`),
        ...errors.map((output) => `errors behind ${program.version}: ${output}`),
      );
    }
    const count = await countOrders(run.stage, all);
    return {
      figures: `${figures.join(', ')}; lost ${count.missing}, orphans ${count.orphans}`,
      breaches: [...breaches, ...breachesOfOrders(count)],
    };
  },
};

const execute = promisify(execFile);

/** A PgBouncer that can be started. */
interface PoolerProgram {
  version: string;
  command: readonly [string, ...string[]];
}

// Debian 13's program with its libraries, so that it runs on an older system, too.
const debianPackages = [
  'pgbouncer',
  'libc6',
  'libevent-2.1-7t64',
  'libcares2',
  'libssl3t64',
  'libpam0g',
  'libldap2',
  'libsystemd0',
  'libaudit1',
  'libsasl2-2',
  'libcap-ng0',
  'libcap2',
  'libzstd1',
];
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** Unpacks PgBouncer 1.24 of Debian 13 into a folder. Rejects if it cannot be downloaded. */
async function newerPooler(): Promise<readonly [string, ...string[]]> {
  const folder = join(tmpdir(), 'malote-pgbouncer-1.24');
  const root = join(folder, 'root');
  const command = [
    join(root, LIBRARIES, 'ld-linux-x86-64.so.2'),
    '--library-path',
    join(root, LIBRARIES),
    join(root, 'usr/sbin/pgbouncer'),
  ] as const;
  const version = await execute(command[0], [...command.slice(1), '--version']).catch(() => undefined);
  if (version) return command;
  await rm(folder, { recursive: true, force: true });
  for (const name of ['lists', 'cache', 'root']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'sources.list'), 'deb [trusted=yes] http://deb.debian.org/debian trixie main\n');
  const places = {
    'Dir::Etc::sourcelist': 'sources.list',
    'Dir::State::lists': 'lists',
    'Dir::Cache': 'cache',
  };
  const options = Object.entries(places).flatMap(([name, path]) => ['-o', `${name}=${join(folder, path)}`]);
  const apt = (...args: string[]) =>
    execute(
      'apt-get',
      ['-qq', ...options, '-o', 'Dir::Etc::sourceparts=/dev/null', '-o', 'APT::Sandbox::User=', ...args],
      {
        cwd: folder,
      },
    );
  await apt('update');
  await apt('download', ...debianPackages);
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
  for (const archive of archives) await execute('dpkg', ['-x', join(folder, archive), root]);
  return command;
}

async function programOf(command: readonly [string, ...string[]]): Promise<PoolerProgram> {
  const { stdout } = await execute(command[0], [...command.slice(1), '--version']);
  return { version: /PgBouncer (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version', command };
}

/** The PgBouncers that this machine has or can download: the installed one, and one that keeps prepared statements. */
export async function poolerPrograms(): Promise<PoolerProgram[]> {
  const newer = await newerPooler().catch(() => undefined);
  const programs = await Promise.allSettled(
    [['/usr/sbin/pgbouncer'] as const, ...(newer ? [newer] : [])].map(programOf),
  );
  return programs.flatMap((program) => (program.status === 'fulfilled' ? [program.value] : []));
}
