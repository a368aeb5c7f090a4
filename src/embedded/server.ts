import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/telemetry/log.js';
import type { Binaries } from './binaries.js';
import { type PostgresCluster, socketFolder } from './cluster.js';
import { OWNER_SETTING } from './occupant.js';
import { processOptions, type SystemUser } from './system-user.js';

export interface LaunchOptions {
  binaries: Binaries;
  cluster: PostgresCluster;
  systemUser: SystemUser | undefined;
  port: number;
  /** PostgreSQL settings in addition to those that the service needs. */
  settings: Readonly<Record<string, string>>;
  log: Logger;
}

/** PostgreSQL ended before it was ready. `lines` is its output. */
export class StartError extends Error {
  override name = 'StartError';
  readonly portTaken: boolean;
  /** True if a server of this cluster was killed and its last children are still ending. */
  readonly dying: boolean;

  constructor(lines: readonly string[]) {
    const fatal = lines.filter((line) => /FATAL|PANIC/.test(line));
    super(`PostgreSQL did not start: ${(fatal.length > 0 ? fatal : lines).map(message).join('; ')}`);
    this.portTaken = lines.some((line) => line.includes('Address already in use'));
    this.dying = lines.some((line) => line.includes('pre-existing shared memory block'));
  }
}

/** Starts PostgreSQL and resolves when it accepts connections. Throws StartError. */
export async function launch(options: LaunchOptions): Promise<ChildProcess> {
  const { binaries, cluster, systemUser, port, log } = options;
  // A session of its own: Ctrl-C in a terminal then reaches only the service, which finishes its work before it stops
  // PostgreSQL.
  const child = spawn(binaries.postgres, ['-D', cluster.files, '-p', String(port), ...flags(options)], {
    ...processOptions(systemUser),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child, log);
  release(child);
  guard(child, systemUser);
  return child;
}

function flags({ cluster, settings }: LaunchOptions): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketFolder(cluster),
    timezone: 'UTC',
    jit: 'off',
    log_checkpoints: 'off',
    // The service logs failed statements itself. PostgreSQL would log personal data with them.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    // Before a recovery, one call then syncs all files.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    [OWNER_SETTING]: String(process.pid),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** PostgreSQL logs this for each open connection when it is stopped. */
const EACH_AT_A_STOP = 'terminating connection due to administrator command';

async function ready(child: ChildProcess, log: Logger): Promise<void> {
  const output: string[] = [];
  let starting = true;
  if (!child.stderr) throw new Error('PostgreSQL has no standard error');
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    // Use 'close', not 'exit', because then all output has been read.
    child.once('close', () => reject(new StartError(output)));
    lines.on('line', (line) => {
      if (starting) output.push(line);
      const matters = !starting && /WARNING|ERROR|FATAL|PANIC/.test(line) && !line.endsWith(EACH_AT_A_STOP);
      log[matters ? 'warn' : 'debug']({ postgres: message(line) }, 'postgres.output');
      if (/database system is ready to accept (read-only )?connections/.test(line)) resolve();
    });
  });
  starting = false;
}

/** Shortens a log line: `2025-11-20 10:00:00.000 UTC [42] LOG:  text` becomes `LOG: text`. */
const message = (line: string): string => line.replace(/^.*?\[\d+\]\s*/, '').replace(/:\s+/, ': ');

/** Lets the service end although the child still runs. */
function release(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
}

/**
 * Starts a shell that reads from a pipe of this process. When this process ends in any way, the shell stops PostgreSQL.
 */
function guard(child: ChildProcess, systemUser: SystemUser | undefined): void {
  const shell = spawn('sh', ['-c', 'read _; kill -INT "$0"', String(child.pid)], {
    ...processOptions(systemUser),
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  release(shell);
  child.once('exit', () => shell.kill('SIGKILL'));
}

const PATIENCE_MS = 5_000;

/** Asks for a fast shutdown, and later for an immediate one, after which the next start recovers. No data is lost. */
async function halt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Keep this process alive until the child has ended.
  child.ref();
  const ended = once(child, 'exit');
  const impatient = setTimeout(() => child.kill('SIGQUIT'), PATIENCE_MS);
  child.kill('SIGINT');
  await ended;
  clearTimeout(impatient);
}

const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** Restarts PostgreSQL on the same port whenever it ends by itself. The returned function stops it for good. */
export function supervise(
  first: ChildProcess,
  launchAgain: () => Promise<ChildProcess>,
  log: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  let child = first;
  let restarting: Promise<void> = Promise.resolve();

  const watch = () =>
    child.once('exit', (code, signal) => {
      if (stopping.signal.aborted) return;
      log.error({ code, signal }, 'postgres.ended');
      restarting = restart();
    });

  const restart = async () => {
    for (let pauseMs = MIN_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        child = await launchAgain();
        watch();
        return;
      } catch (err) {
        log.error({ err }, 'postgres.restart_failed');
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  };

  watch();
  return async () => {
    stopping.abort();
    await restarting;
    await halt(child);
  };
}
