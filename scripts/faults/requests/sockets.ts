import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/** Attacks over plain sockets, and what they cost. */

/** Megabytes of memory that a process holds. */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}

/** Calls `look` now and then while `work` goes on; answers the greatest value that it saw. */
export async function greatestDuring(look: () => Promise<number>, work: Promise<unknown>): Promise<number> {
  let greatest = await look();
  const timer = setInterval(() => void look().then((value) => (greatest = Math.max(greatest, value))), 50);
  await work.finally(() => clearInterval(timer));
  return greatest;
}

export async function openSocket(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // A reset is how the service may end it.
  socket.on('error', () => undefined);
  return socket;
}

/** Sends the parts until all are sent or the service hangs up; the status of its answer, 0 when there is none. */
export async function speak(base: string, parts: Iterable<string | Buffer>): Promise<number> {
  const socket = await openSocket(base);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  for (const part of parts) {
    if (socket.destroyed || !socket.writable) break;
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), closed]);
  }
  await closed;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString())?.[1] ?? 0);
}
