import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Program, startProgram } from '../../test/support/processes/program.js';
import type { Service } from './compose.js';
import { programFolders } from './packages.js';

/** A service of the cluster on this machine, with its own address. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The folder that serves as the root of its container. */
  readonly root: string;
  /** Its environment, with addresses and paths of this machine. */
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** Resolves to its exit code when it ends by itself. */
  ended(): Promise<number | null>;
  runs(): boolean;
  /** Sends a signal to it and all its child processes. Resolves at their end if the signal ends them. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** The ids of its processes, with the first process first. */
  pids(): number[];
}

export interface Placement {
  service: Service;
  /** The address of each service. */
  addresses: ReadonlyMap<string, string>;
  /** The folder of the cluster. */
  folder: string;
}

/**
 * PostgreSQL refuses to run as root, so every part runs as the user that Debian made for it. Malote runs as a user who
 * may read the project.
 */
const partsUser = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(option: string): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

/**
 * In a container Patroni is the first process and notices the end of others. On this machine the first process may
 * notice it seconds late, and until then Patroni believes that a PostgreSQL which has ended still runs.
 */
const reaper = ['tini', '-s', '--'];

export function machineOf(placement: Placement): Machine {
  const { service, addresses, folder } = placement;
  const { name } = service;
  const root = join(folder, name);
  const local = localized(placement, root);
  const environment = Object.fromEntries(
    Object.entries(service.environment).map(([key, value]) => [key, local(value)]),
  );
  let running: Program | undefined;

  async function start(): Promise<void> {
    for (const { path, isShared } of service.folders) await makeFolder(join(isShared ? folder : root, path));
    for (const { path, text } of service.files) {
      await makeFolder(dirname(join(root, path)));
      await writeFile(join(root, path), local(text));
    }
    const command = service.command.map(local);
    const [program, ...args] = command[0] === 'patroni' ? [...reaper, ...command] : command;
    const path = [...programFolders, process.env['PATH']].join(delimiter);
    const env = { ...environment, PATH: path, HOME: root };
    // Outside the project, because another user may not enter it.
    const user = program === 'node' ? {} : { ...partsUser, cwd: folder };
    const options = { env, detached: true, log: join(folder, `${name}.log`), ...user };
    // The Node of this process, not an older one in PATH.
    running = await startProgram([program === 'node' ? process.execPath : (program ?? ''), ...args], options);
  }

  const runs = () => running?.runs() === true;
  const pids = () => (running && runs() ? familyOf(running.pid) : []);
  return {
    name,
    address: addresses.get(name) ?? '',
    root,
    environment,
    start,
    ended: async () => running?.ended ?? null,
    runs,
    pids,
    signal: async (signal) => {
      if (!running || !runs()) return;
      // A program ends its own children after SIGTERM. Other signals go to all processes at once.
      signalAll(signal === 'SIGTERM' ? pids().slice(0, 1) : pids(), signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') await running.ended;
    },
  };
}

async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first !== undefined && partsUser.uid !== undefined) await chown(path, partsUser.uid, partsUser.gid);
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/** Replaces the names and paths of machines in the deployment's files with addresses and paths of this machine. */
function localized({ service, addresses, folder }: Placement, root: string): (text: string) => string {
  const names = [...addresses.keys()].join('|');
  const name = new RegExp(`(?<![\\w-])(?:(?<=host=)(${names})\\b|(${names})(?=:\\d))`, 'g');
  const places = [
    ...service.files.map(({ path }) => [path, join(root, path)] as const),
    ...service.folders.map(({ path, isShared }) => [path, join(isShared ? folder : root, path)] as const),
  ];
  const own = addresses.get(service.name) ?? '';
  return (text) =>
    places
      .reduce((filled, [path, place]) => filled.replaceAll(path, place), text)
      .replace(name, (_, one?: string, other?: string) => addresses.get(one ?? other ?? '') ?? '')
      .replaceAll('0.0.0.0', own);
}

/** A process and all its descendants (Linux). */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}
