import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createLog } from '../../src/base/telemetry/log.js';
import { startEmbedded } from '../../src/embedded/embedded.js';
import { execute, PREFIX } from './database.js';
import type { TemporaryPostgres } from './postgres.js';

/** A streaming standby of a temporary PostgreSQL. */
export type Replica = Awaited<ReturnType<typeof startReplica>>;

/** Copies the files of the primary as a base backup, and starts a standby on them. */
export async function startReplica(primary: TemporaryPostgres) {
  const folder = await mkdtemp(join(tmpdir(), `${PREFIX}-${process.pid}-replica-`));
  await chmod(folder, 0o755);
  const label = await copyFiles(primary, folder);
  const files = join(folder, 'postgres', 'files');
  const { hostname, port, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  const { uid, gid } = await stat(files);
  for (const [name, text] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    await writeFile(join(files, name), text, { mode: 0o600 });
    await chown(join(files, name), uid, gid);
  }
  await appendFile(join(files, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  const launch = () => startEmbedded({ dataDir: folder, log: createLog({ level: 'error' }) });
  let server = await launch();
  // A server that is being stopped does not keep this process alive.
  const end = async () => {
    const awake = setInterval(() => undefined, 1_000);
    await server.stop();
    clearInterval(awake);
  };
  return {
    url: server.url,
    /** The log of the primary still arrives, but queries do not see its changes until `resume`. */
    pause: () => execute(server.url, 'select pg_wal_replay_pause()'),
    resume: () => execute(server.url, 'select pg_wal_replay_resume()'),
    /** Ends the standby. `start` lets it continue. */
    end,
    start: async () => {
      server = await launch();
    },
    /** Ends the standby and removes its folder. */
    stop: async () => {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Copies the files. Resolves to the label that makes the copy a backup. */
async function copyFiles(primary: TemporaryPostgres, folder: string): Promise<string> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('replica', true)`);
    // Unlike Node's own copy, `cp -a` keeps the owner of files.
    await promisify(execFile)('cp', ['-a', join(primary.folder, 'postgres'), folder]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    for (const own of ['files/postmaster.pid', 'files/postmaster.opts', 'port'])
      await rm(join(folder, 'postgres', own), { force: true });
    return rows[0]?.labelfile ?? '';
  } finally {
    await client.end();
  }
}
