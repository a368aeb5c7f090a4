import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process of the service, as an operator starts it. */
export interface Child {
  pid: number;
  /** What its first lines say it is reached at: the API's address, for a worker that of its probes. */
  url: string;
  /** All that it has written. */
  output(): string;
  /** Whether it still runs. */
  runs(): boolean;
  /** Sends a signal, SIGKILL unless told. Resolves when the process has ended, where that is what the signal does. */
  signal(signal?: NodeJS.Signals): Promise<void>;
}

export type Program = 'api' | 'api --no-sender' | 'worker';

/** How the programs are run: the arguments for Node. */
export type Build = (program: Program) => string[];

export const compiledIn =
  (directory: string): Build =>
  (program) =>
    argumentsOf(program, (name) => [`${directory}/src/${name}.js`]);

export const fromSource: Build = (program) => argumentsOf(program, (name) => ['--import', 'tsx', `src/${name}.ts`]);

function argumentsOf(program: Program, run: (name: string) => string[]): string[] {
  const [name = '', ...options] = program.split(' ');
  return [...run(name), ...options];
}

process.setMaxListeners(100);
const PATIENCE_MS = 60_000;

/** Starts a program and waits until it says that it is ready. Throws with what it wrote when it ends before. */
export async function startChild(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Child> {
  // A busy machine makes connections slowly; that is not the fault that is tried.
  const patient = { DATABASE_CONNECT_TIMEOUT_MS: '20000', ...env };
  const child = spawn(process.execPath, args, { env: patient, stdio: ['ignore', 'pipe', 'pipe'] });
  // A run that fails leaves no process behind.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  const chunks: Buffer[] = [];
  const output = () => Buffer.concat(chunks).toString('utf8');
  const url = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`${args.at(-1)} did not start: ${output().slice(-2_000)}`));
    let told = false;
    const hear = (chunk: Buffer) => {
      chunks.push(chunk);
      const found = told ? undefined : /(?:ready at|metrics at) (http:\/\/[^\s/]+)/.exec(output())?.[1];
      if (found === undefined) return;
      told = true;
      resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', fail);
    setTimeout(fail, PATIENCE_MS).unref();
  });
  const runs = () => child.exitCode === null && child.signalCode === null;
  return { pid: child.pid ?? 0, url, output, runs, signal: (signal) => send(child, signal) };
}

async function send(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  if (signal === 'SIGKILL' || signal === 'SIGTERM') await ended;
}
