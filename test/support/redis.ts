import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './port.js';

/** A Redis of its own, in memory only, on a free port. */
export interface RedisServer {
  readonly url: string;
  /** Stops it without a word, as if the machine hung. */
  freeze(): void;
  thaw(): void;
  /** Ends it; `start` gives the same port to an empty one. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function redisServer(path: string): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
    child = spawn(path, ['--port', String(port), ...settings], { stdio: 'ignore' });
    for (let tries = 0; !(await answers(port)); tries += 1) {
      if (tries > 4_000) throw new Error('redis-server does not start');
      await sleep(25);
    }
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill,
    start,
  };
}
