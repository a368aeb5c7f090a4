import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './port.js';
import { type Program, startProgram } from './processes/program.js';

/** A new Redis on a free port, in memory only. */
export type RedisServer = Awaited<ReturnType<typeof redisServer>>;

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
  return true;
}

export async function redisServer(path: string) {
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
  const launch = () => startProgram([path, '--port', String(port), ...settings], {}, () => answers(port));
  let program: Program = await launch();
  return {
    url: `redis://127.0.0.1:${port}`,
    /** Stops Redis without closing connections, as if the machine hung. */
    freeze: () => void program.signal('SIGSTOP'),
    thaw: () => void program.signal('SIGCONT'),
    /** Ends Redis. `start` starts an empty one on the same port. */
    kill: () => program.signal(),
    start: async () => {
      program = await launch();
    },
  };
}
