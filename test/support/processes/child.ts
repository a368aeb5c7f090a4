import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithThisProcess, hasEnded, sendSignal } from './program.js';

/** A process of the service, as an operator starts it. */
export type Child = Awaited<ReturnType<typeof startChild>>;

export interface ChildOptions {
  /** Lets the process report its CPU, and drops its later output. */
  measured?: boolean;
  /** The Node that runs it, where that is another one than runs this. */
  node?: string;
  /** A command that runs it, with its arguments. */
  within?: readonly string[];
}

export type Program = 'api' | 'api --no-sender' | 'worker' | `malote ${string}`;

/** Arguments for Node that run a program. */
export type Build = (program: Program) => string[];

export const compiledIn =
  (directory: string): Build =>
  (program) =>
    argumentsOf(program, (name) => [`${directory}/src/${name}.js`]);

/** From the sources of this checkout, or from their build for a run of the tests. */
export const fromSource: Build = (program) => argumentsOf(program, sourceOf);

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Arguments for Node that run a program of the sources, in whichever folder. */
export function sourceOf(name: string): string[] {
  const build = process.env['MALOTE_TEST_BUILD'];
  if (build) return ['--enable-source-maps', `${build}/src/${name}.js`];
  return ['--import', loader, join(process.cwd(), 'src', `${name}.ts`)];
}

function argumentsOf(program: Program, run: (name: string) => string[]): string[] {
  const [name = '', ...options] = program.split(' ');
  return [...run(name), ...options];
}

// Put before the process's own code: answers each message with the CPU used, and ends with this process.
const reporter = `data:text/javascript,${encodeURIComponent(`
  process.on('message', () => process.send(process.cpuUsage()));
  process.on('disconnect', () => process.kill(process.pid));
  process.channel.unref();`)}`;

// As long as a test may take, nearly: on a busy machine an empty database is migrated in two minutes.
const PATIENCE_MS = 240_000;

/** Starts a program and waits until it says that it is ready. Throws with its output when it ends before. */
export async function startChild(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { measured = false, node = process.execPath, within = [] }: ChildOptions = {},
) {
  // A busy machine makes connections slowly; no test or measurement is about that.
  const { PATH, HOME } = process.env;
  const options = { env: { PATH, HOME, DATABASE_CONNECT_TIMEOUT_MS: '60000', ...env } };
  const [command = node, ...words] = [...within, node, ...args];
  const child = measured
    ? spawn(node, ['--import', reporter, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    : spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithThisProcess(child);
  const chunks: Buffer[] = [];
  const output = () => Buffer.concat(chunks).toString('utf8');
  const url = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`${args.join(' ')} did not start: ${output().slice(-2_000)}`));
    let isReady = false;
    const hear = (chunk: Buffer) => {
      if (!isReady || !measured) chunks.push(chunk);
      const address = isReady ? undefined : /(?:ready at|metrics at) (http:\/\/[^\s/]+)/.exec(output())?.[1];
      if (address === undefined) return;
      isReady = true;
      resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', fail);
    setTimeout(fail, PATIENCE_MS).unref();
  });
  return {
    pid: child.pid ?? 0,
    /** Address in its first lines: the API's own, for a worker that of its probes. */
    url,
    /** Everything that the process wrote. For a measured process it ends when the process is ready. */
    output,
    runs: () => !hasEnded(child),
    /** Microseconds of CPU of a measured process, its own and the system's for it, since it started. */
    cpu: async (): Promise<number> => {
      child.send('cpu');
      const [used]: NodeJS.CpuUsage[] = await once(child, 'message');
      return used ? used.user + used.system : Number.NaN;
    },
    /** Sends a signal, SIGKILL unless given. Resolves at the end of the process, where the signal ends it. */
    signal: (signal?: NodeJS.Signals) => sendSignal(child, signal),
  };
}

export const probesOf = (child: Child): string => /(http:\/\/[^\s/]+)\/readyz/.exec(child.output())?.[1] ?? '';

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Milliseconds of CPU that a process has used, all of its threads together (Linux, to the nanosecond). */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return times.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0) / 1e6;
}

/** Clock ticks of /proc/<pid>/stat in a second. */
const TICKS = 100;

/** Milliseconds of CPU that a process and its children have used, those that have ended among them (Linux). */
export async function familyCpuMs(pid: number): Promise<number> {
  const statOf = async (id: string) =>
    (await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ');
  const own = await statOf(String(pid));
  let used = (await cpuMs(pid)) + ((Number(own?.[13]) + Number(own?.[14])) / TICKS) * 1000;
  for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if ((await statOf(id))?.[1] === String(pid)) used += await cpuMs(Number(id)).catch(() => 0);
  }
  return used;
}

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

export async function mostMegabytes(pid: number, work: Promise<unknown>): Promise<number> {
  let most = await residentMegabytes(pid);
  const look = async () => {
    most = Math.max(most, await residentMegabytes(pid));
  };
  const timer = setInterval(() => void look(), 50);
  await work.finally(() => clearInterval(timer));
  return most;
}
