import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Program, startProgram } from '../../test/support/processes/program.js';
import type { Service } from './compose.js';
import { programFolders } from './packages.js';

/** A service of the cluster that runs on this machine, at an address of its own as if it were alone there. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  /** The folder that stands for the root of its container. */
  readonly root: string;
  /** Its environment, with this machine's addresses and paths. */
  readonly environment: Readonly<Record<string, string>>;
  start(): Promise<void>;
  /** Resolves to its exit code, once it has ended by itself. */
  ended(): Promise<number | null>;
  runs(): boolean;
  /**
   * Sends a signal to it and to all that it has started; resolves when it has ended, where that is what the signal
   * does.
   */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Ids of its processes: its own first. */
  pids(): number[];
}

export interface Placement {
  service: Service;
  /** The address of each service. */
  addresses: ReadonlyMap<string, string>;
  /** The cluster's folder. */
  folder: string;
}

/**
 * PostgreSQL refuses to run as root: the user that Debian made for it runs all parts. The service runs as a user that
 * may read the project.
 */
const partsUser = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(option: string): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

/**
 * A container's first process notices the end of others in it, as Patroni does there. This machine's may do so
 * seconds late, and until then Patroni takes a PostgreSQL that has ended for one that runs.
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
    // Not where this project is, which another user may not enter.
    const user = program === 'node' ? {} : { ...partsUser, cwd: folder };
    const options = { env, detached: true, log: join(folder, `${name}.log`), ...user };
    // This one, not an older Node of the machine.
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
      // A program that is asked to end ends its own children; other signals go to all at once.
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
      // It has ended meanwhile.
    }
  }
}

/**
 * Puts addresses and paths of this machine where the files of the deployment have names of machines and paths inside
 * them.
 */
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

/** A process and all that it and its own have started (Linux). */
export function familyOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(familyOf)];
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
