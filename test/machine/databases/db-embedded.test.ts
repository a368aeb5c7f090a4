import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createLog } from '../../../src/base/telemetry/log.js';
import { type Embedded, startEmbedded } from '../../../src/embedded/embedded.js';
import { failureOf } from '../../support/database.js';
import { ownFolder } from '../../support/folder.js';
import { listening } from '../../support/port.js';
import { waitFor } from '../../support/receiver.js';

const log = createLog({ level: 'silent' });
const dataDir = await ownFolder();
let running: Embedded | undefined;
let holder: ChildProcess | undefined;

beforeAll(async () => {
  const { url } = await start();
  await query(url, 'create table notes (n integer)');
  await running?.stop();
  running = undefined;
});
afterEach(async () => {
  holder?.kill('SIGKILL');
  await running?.stop();
  [running, holder] = [undefined, undefined];
});

async function start(port?: number): Promise<Embedded> {
  running = await startEmbedded({ dataDir, log, ...(port ? { port } : {}) });
  return running;
}

/** Starts another process that runs the database. Resolves to its address. */
async function hold(): Promise<string> {
  const script = join(process.cwd(), 'test/support/hold-embedded.ts');
  holder = spawn(process.execPath, ['--import', 'tsx', script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!holder.stdout) throw new Error('no output');
  const [line] = await once(holder.stdout, 'data');
  return String(line).trim();
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const serverPid = async () =>
  Number((await readFile(join(dataDir, 'postgres/files/postmaster.pid'), 'utf8')).split('\n')[0]);

describe('the embedded PostgreSQL', () => {
  test('starts again at the same address, with all of its data', async () => {
    const first = await start();
    await query(first.url, 'insert into notes values (1)');
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select n from notes where n = 1')).toEqual([{ n: 1 }]);
  });

  test('knows capital letters of Portuguese, and refuses connections without the password', async () => {
    const { url } = await start();
    expect(await query(url, `select lower('ÇÃÉ') as low, current_setting('server_encoding') as encoding`)).toEqual([
      { low: 'çãé', encoding: 'UTF8' },
    ]);
    const wrong = new URL(url);
    wrong.password = 'x';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
  });

  test('comes back by itself after it was killed', async () => {
    const { url, nearUrl } = await start();
    await query(url, 'insert into notes values (2)');
    process.kill(await serverPid(), 'SIGKILL');
    for (const way of [url, nearUrl]) {
      const answers = async () => (await failureOf(query(way, 'select 1'))) === undefined;
      await waitFor(answers, 'the database');
      expect(await query(way, 'select n from notes where n = 2')).toEqual([{ n: 2 }]);
    }
  });

  test('is reached by a socket in its own folder, or by TCP if the path is too long', async () => {
    const address = 'select inet_server_addr() as address';
    const first = await start();
    expect(await query(first.nearUrl, address)).toEqual([{ address: null }]);
    expect(await query(first.url, address)).toEqual([{ address: '127.0.0.1' }]);
    await first.stop();
    const far = join(dataDir, 'a'.repeat(100));
    running = await startEmbedded({ dataDir: far, log });
    expect(await query(running.nearUrl, address)).toEqual([{ address: '127.0.0.1' }]);
    await running.stop();
    await rm(far, { recursive: true });
  });

  test('ends with its process, even if that is killed, and loses nothing', async () => {
    await query(await hold(), 'insert into notes values (3)');
    holder?.kill('SIGKILL');
    const { url } = await start();
    expect(await query(url, 'select n from notes where n = 3')).toEqual([{ n: 3 }]);
  });
});

describe('a leftover', () => {
  test('server that still runs is stopped by the next start', async () => {
    await query(await hold(), 'insert into notes values (4)');
    const leftover = await serverPid();
    process.kill(await guardOf(leftover), 'SIGKILL');
    holder?.kill('SIGKILL');
    if (holder) await once(holder, 'exit');
    process.kill(leftover, 0);
    const { url } = await start();
    expect(await serverPid()).not.toBe(leftover);
    expect(await query(url, 'select n from notes where n = 4')).toEqual([{ n: 4 }]);
  });

  test('lock with the number of another program does not prevent a start', async () => {
    // A connection to the tests' own server is another process of the user that PostgreSQL runs as.
    const other = new pg.Client({ connectionString: process.env['MALOTE_TEST_SERVER'] });
    await other.connect();
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    await writeFile(join(dataDir, 'postgres/files/postmaster.pid'), `${rows[0]?.pid}\n`);
    const port = (await readFile(join(dataDir, 'postgres/port'), 'utf8')).trim();
    await writeFile(join(dataDir, `postgres/.s.PGSQL.${port}.lock`), `${rows[0]?.pid}\n`);
    await start();
    await other.end();
  });

  test('database that a killed start had begun to make is deleted', async () => {
    await mkdir(join(dataDir, 'postgres.6ba7b810-9dad-41d1-80b4-00c04fd430c8/files'), { recursive: true });
    await start();
    expect(await readdir(dataDir)).toEqual(['postgres']);
  });
});

describe('one line says', () => {
  test('that the data directory is in use', async () => {
    await hold();
    await expect(start()).rejects.toThrow(`in ${dataDir}/postgres is in use by process ${holder?.pid};`);
  });

  test('that the port is in use', async () => {
    const server = createServer();
    const port = await listening(server);
    await expect(start(port)).rejects.toThrow(`port ${port} of 127.0.0.1 is in use, so PostgreSQL cannot listen on it`);
    server.close();
  });

  test('that two starts came at once', async () => {
    const results = await Promise.allSettled([1, 2].map(() => startEmbedded({ dataDir, log })));
    const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
    await Promise.all(started.map(({ stop }) => stop()));
    expect(started).toHaveLength(1);
    expect(refused).toEqual([expect.stringContaining(`is in use by process ${process.pid};`)]);
  });
});

/** The shell that watches the server. It has the process number of the server among its arguments. */
async function guardOf(server: number): Promise<number> {
  for (const name of await readdir('/proc')) {
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (words.includes('read _; kill') && words.endsWith(`\0${server}\0`)) return Number(name);
  }
  throw new Error('nobody watches over the server');
}
