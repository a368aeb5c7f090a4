import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWithThisProcess } from '../../../test/support/processes/program.js';
import type { ServiceName } from '../topology/topology.js';
import type { Scene } from './scene.js';

/** Node has no Unix datagram sockets. */
const LISTEN = `
import socket, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
sock.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(sock.recv(4096).decode(errors="replace"), flush=True)`;

const LOOK_MS = 250;

/**
 * Runs a process like its systemd unit: kills it if it has not reported within `WatchdogSec`, and restarts it after
 * `RestartSec`.
 */
export async function runAsUnit({ topology, cluster, restart }: Scene, name: ServiceName) {
  const file = new URL(`../../../deploy/systemd/malote-${name.split('-')[0]}@.service`, import.meta.url);
  const unit = await readFile(file, 'utf8');
  const secondsOf = (setting: string) => Number(new RegExp(`^${setting}=(\\d+)$`, 'm').exec(unit)?.[1]);
  const [watchdog, pause] = [secondsOf('WatchdogSec'), secondsOf('RestartSec')];
  const socket = join(cluster.folder, `notify-${name}`);
  const env = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: String(watchdog * 1_000_000) };
  const listener = spawn('python3', ['-c', LISTEN, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithThisProcess(listener);
  let heardAt = Number.POSITIVE_INFINITY;
  let replaced = 0;
  const lines = createInterface({ input: listener.stdout });
  await new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', () => {
    heardAt = performance.now();
  });
  await restart(name, env);
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (; !isOver; await sleep(LOOK_MS)) {
      if (performance.now() - heardAt < watchdog * 1_000) continue;
      await topology.processes.get(name)?.signal('SIGKILL');
      await sleep(pause * 1_000);
      heardAt = Number.POSITIVE_INFINITY;
      await topology.start(name, env);
      replaced += 1;
    }
  };
  const watching = watch();
  return {
    /** The number of replacements. */
    replaced: () => replaced,
    stop: async () => {
      isOver = true;
      await watching;
      listener.kill();
    },
  };
}
