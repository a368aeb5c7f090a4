import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A server in a process of its own. */
export interface Server {
  url: string;
  /** Microseconds of CPU, its own and the system's for it, since it started. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

// Put before the server's own code: answers each message with the CPU used, and ends the server with this process.
const reporter = `data:text/javascript,${encodeURIComponent(`
  process.on('message', () => process.send(process.cpuUsage()));
  process.on('disconnect', () => process.kill(process.pid));
  process.channel.unref();`)}`;

/** Starts a server that prints "… is ready at URL" when it is. Throws when it ends before that. */
export async function startServer(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
  const child = spawn(process.execPath, ['--import', reporter, script, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await addressOf(child, script);
  return {
    url,
    cpu: async () => {
      child.send('cpu');
      const [used]: NodeJS.CpuUsage[] = await once(child, 'message');
      return used ? used.user + used.system : Number.NaN;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill()) await ended;
    },
  };
}

async function addressOf({ stdout }: ChildProcess, script: string): Promise<string> {
  if (!stdout) throw new Error(`${script} has no standard output`);
  for await (const line of createInterface({ input: stdout })) {
    const url = / is ready at (\S+)/.exec(line)?.[1];
    // What it prints later is let go, so that it never waits for a reader.
    if (url) return stdout.resume() && url;
  }
  throw new Error(`${script} ended before it was ready`);
}
