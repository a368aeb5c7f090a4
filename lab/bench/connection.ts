import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Plain sockets, because a client that uses little CPU leaves more of it to the server. */

export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  return socket;
}

/**
 * Sends a request on an open connection and reads the whole answer. The answer must state its length, unless it is a
 * 304.
 */
export async function exchange(socket: Socket, request: string): Promise<string> {
  socket.write(request);
  let received = '';
  for (;;) {
    const [chunk]: Buffer[] = await once(socket, 'data');
    received += chunk?.toString('latin1') ?? '';
    const end = received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
    if (end > 0 && received.startsWith('HTTP/1.1 304 ')) return received;
    if (end > 0 && length === undefined) throw new Error(`an answer without length:\n${received}`);
    if (end > 0 && received.length >= end + 4 + Number(length)) return received;
  }
}
