import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { waitFor } from '../receiver.js';

/** A program that runs beside the service: a balancer, a database, a server of road distances. */
export type Program = Awaited<ReturnType<typeof startProgram>>;

export interface ProgramOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid' | 'detached'> {
  /** A file that all its output is added to. */
  log?: string;
}

export type Command = readonly [string, ...string[]];

/** Starts a program and waits until `isReady`. Throws when it is not installed, ends early, or takes too long. */
export async function startProgram(
  [command, ...args]: Command,
  { log, ...options }: ProgramOptions,
  isReady?: () => Promise<boolean>,
) {
  const file = log === undefined ? undefined : await open(log, 'a');
  const output = file?.fd ?? 'ignore';
  const child = spawn(command, args, { ...options, stdio: ['ignore', output, output] });
  await once(child, 'spawn').finally(() => file?.close());
  const ended: Promise<number | null> = once(child, 'exit').then(([code]) => code);
  const program = {
    pid: child.pid ?? 0,
    runs: () => !hasEnded(child),
    /** Resolves to its exit code, once it has ended by itself or by a signal. */
    ended,
    /** Sends a signal, SIGKILL unless given. Resolves at the end of the program, where the signal ends it. */
    signal: (signal?: NodeJS.Signals) => sendSignal(child, signal),
  };
  endWithThisProcess(child);
  if (!isReady) return program;
  const holds = async () => {
    if (hasEnded(child)) throw new Error(`${command} has ended; see ${log ?? 'what it needs'}`);
    return isReady().catch(() => false);
  };
  await waitFor(holds, `${command} to be ready`).catch(async (error: unknown) => {
    await program.signal();
    throw error;
  });
  return program;
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

process.setMaxListeners(100);

/** Leaves no process behind when a run fails. */
export function endWithThisProcess(child: ChildProcess): void {
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
}

const ENDING: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT']);

export async function sendSignal(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  if (!ENDING.has(signal)) return void child.kill(signal);
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
