import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Attacks over plain sockets. */

export async function openSocket(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // The service may end the connection by a reset.
  socket.on('error', () => undefined);
  return socket;
}

/**
 * Sends the parts until all are sent or the service closes. Resolves to the status of the answer, or 0 without an
 * answer.
 */
export async function speak(base: string, parts: Iterable<string | Buffer>): Promise<number> {
  const socket = await openSocket(base);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Ends without an error if the service resets the connection.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const part of parts) {
    if (socket.destroyed || !socket.writable) break;
    if (!socket.write(part)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
  await closed;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(chunks).toString())?.[1] ?? 0);
}
