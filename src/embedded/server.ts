import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Logger } from '../base/log.js';
import type { Binaries } from './binaries.js';
import { type Cluster, socketFolder } from './cluster.js';
import { OWNER_SETTING } from './occupant.js';
import { environment, type SystemUser } from './system-user.js';

export interface ServerOptions {
  binaries: Binaries;
  cluster: Cluster;
  systemUser: SystemUser | undefined;
  port: number;
  /** PostgreSQL settings beyond those that the service needs. */
  settings: Readonly<Record<string, string>>;
  log: Logger;
}

/** PostgreSQL ended before it was ready; `lines` is its output. */
export class StartError extends Error {
  override name = 'StartError';
  readonly portTaken: boolean;
  /** A server of this cluster was killed, and the last of its children are about to end. */
  readonly dying: boolean;

  constructor(lines: readonly string[]) {
    const fatal = lines.filter((line) => /FATAL|PANIC/.test(line));
    super(`PostgreSQL did not start: ${(fatal.length > 0 ? fatal : lines).map(message).join('; ')}`);
    this.portTaken = lines.some((line) => line.includes('Address already in use'));
    this.dying = lines.some((line) => line.includes('pre-existing shared memory block'));
  }
}

/** Starts PostgreSQL and resolves when it accepts connections. Throws StartError. */
export async function launch(options: ServerOptions): Promise<ChildProcess> {
  const { binaries, cluster, systemUser, port, log } = options;
  // Its own session: Ctrl-C in a terminal reaches only the service, which drains before it stops PostgreSQL.
  const child = spawn(binaries.postgres, ['-D', cluster.files, '-p', String(port), ...flags(options)], {
    ...systemUser,
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child, log);
  release(child);
  guard(child, systemUser);
  return child;
}

function flags({ cluster, settings }: ServerOptions): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketFolder(cluster),
    timezone: 'UTC',
    jit: 'off',
    log_checkpoints: 'off',
    // Failed statements are the service's to log; what PostgreSQL would write of them may hold personal data.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    // After a crash every file is synced before recovery: on Linux in one call, elsewhere one by one.
    ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
    [OWNER_SETTING]: String(process.pid),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function ready(child: ChildProcess, log: Logger): Promise<void> {
  const output: string[] = [];
  let starting = true;
  if (!child.stderr) throw new Error('PostgreSQL has no standard error');
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    // 'close' and not 'exit': by then all its output has been read.
    child.once('close', () => reject(new StartError(output)));
    lines.on('line', (line) => {
      if (starting) output.push(line);
      const matters = !starting && /WARNING|ERROR|FATAL|PANIC/.test(line);
      log[matters ? 'warn' : 'debug']({ postgres: message(line) }, 'PostgreSQL says');
      if (/database system is ready to accept (read-only )?connections/.test(line)) resolve();
    });
  });
  starting = false;
}

/** `2025-11-20 10:00:00.000 UTC [42] LOG:  text` → `LOG: text` */
function message(line: string): string {
  return line.replace(/^.*?\[\d+\]\s*/, '').replace(/:\s+/, ': ');
}

/** A running PostgreSQL does not keep the service alive. */
function release(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
}

/**
 * A process that waits on a pipe from this one: however this one ends, the pipe closes, and PostgreSQL is asked to shut
 * down. Without a shell PostgreSQL merely stays until the next start finds it.
 */
function guard(child: ChildProcess, systemUser: SystemUser | undefined): void {
  const shell = spawn('sh', ['-c', 'read _; kill -INT "$0"', String(child.pid)], {
    ...systemUser,
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  release(shell);
  child.once('exit', () => shell.kill('SIGKILL'));
}

const PATIENCE_MS = 5_000;

/** Fast shutdown; if that takes too long an immediate one, from which the next start recovers. Loses nothing. */
export async function halt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Whoever waits for the end is kept alive until it has come.
  child.ref();
  const ended = once(child, 'exit');
  const impatient = setTimeout(() => child.kill('SIGQUIT'), PATIENCE_MS);
  child.kill('SIGINT');
  await ended;
  clearTimeout(impatient);
}
