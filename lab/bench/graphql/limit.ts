import { execFile } from 'node:child_process';
import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pgbenchScript, type Template, TOKEN } from './statements.js';

interface LimitOptions {
  url: string;
  connections: number;
  /** The service's settings for each connection. */
  settings: Readonly<Record<string, string | number>>;
  templates: readonly Template[];
  /** A folder for scripts. */
  directory: string;
}

/** Measures the greatest rate of an order's statements alone, without HTTP, GraphQL and planning. */
export interface Limit {
  name: string;
  /** True for pgbench, which comes near PostgreSQL's greatest rate. A loop in Node does not. */
  isLimit: boolean;
  /** Runs for so many seconds. Order numbers from `first` on must be unused. */
  run(seconds: number, firstNumber: number): Promise<{ orders: number; perSecond: number }>;
}

/** Uses pgbench if it is installed, otherwise a loop over plain connections of the driver. */
export async function limitOf(options: LimitOptions, wantsPgbench: boolean): Promise<Limit> {
  const program = wantsPgbench ? await findPgbench() : undefined;
  return program === undefined ? clientLoop(options) : pgbench(program, options);
}

/** The program in PATH, or in Debian's folder. */
async function findPgbench(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const folders = [
    ...(process.env['PATH'] ?? '').split(':'),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  for (const folder of folders) {
    const path = join(folder, 'pgbench');
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

const optionsOf = (settings: LimitOptions['settings']): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

async function pgbench(
  program: string,
  { url, connections, settings, templates, directory }: LimitOptions,
): Promise<Limit> {
  const { script, variables } = pgbenchScript(templates);
  const file = join(directory, 'create-order.sql');
  await writeFile(file, script);
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const env = {
    PGHOST: searchParams.get('host') ?? hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
    PGOPTIONS: optionsOf(settings),
  };
  const fixed = ['-n', '-M', 'prepared', '-c', String(connections), '-j', '1', '-f', file];
  const values = [...variables].flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  return {
    name: 'pgbench',
    isLimit: true,
    run: async (seconds, firstNumber) => {
      const args = [...fixed, ...values, '-D', `turn=${firstNumber}`, '-T', String(seconds)];
      const { stdout } = await promisify(execFile)(program, args, { env }).catch((error: { stderr?: string }) => {
        throw new Error(`pgbench failed: ${error.stderr}`);
      });
      const orders = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
      return { orders, perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]) };
    },
  };
}

function clientLoop({ url, connections, settings, templates }: LimitOptions): Limit {
  const fill = (value: string | null, number: string) => value?.replaceAll(TOKEN, number) ?? null;
  const loop = async (client: pg.Client, nextNumber: () => number, until: number): Promise<number> => {
    await client.connect();
    let orders = 0;
    for (; performance.now() < until; orders += 1) {
      const number = String(nextNumber());
      for (const [at, { text, values }] of templates.entries()) {
        await client.query({ name: `s${at}`, text, values: values.map((value) => fill(value, number)) });
      }
    }
    await client.end();
    return orders;
  };
  return {
    name: 'bare pg loop',
    isLimit: false,
    run: async (seconds, firstNumber) => {
      let number = firstNumber;
      const until = performance.now() + seconds * 1000;
      const clients = Array.from(
        { length: connections },
        () => new pg.Client({ connectionString: url, options: optionsOf(settings) }),
      );
      const counts = await Promise.all(clients.map((client) => loop(client, () => number++, until)));
      const orders = counts.reduce((sum, count) => sum + count, 0);
      return { orders, perSecond: orders / seconds };
    },
  };
}
