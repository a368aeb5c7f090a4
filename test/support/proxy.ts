import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listening } from './port.js';

/** A way to a server that can be cut. */
export type TcpProxy = Awaited<ReturnType<typeof proxyTo>>;

/** Listens on a free port and passes everything on to the host and port of `target`. */
export async function proxyTo(target: string) {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let lostText: string | undefined;
  let lost = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let isDoomed = false;
    near.on('data', (chunk) => {
      isDoomed ||= lostText !== undefined && chunk.includes(lostText);
    });
    far.on('data', () => {
      if (!isDoomed || near.destroyed) return;
      lost += 1;
      near.destroy();
      far.destroy();
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => open.delete(socket));
      socket.pipe(other);
    }
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(await listening(server));
  return {
    /** The target's address, by way of the proxy. */
    url: url.href,
    /** Ends every connection and accepts no new one. */
    cut: async (): Promise<void> => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    /** Ends the present connections; the server goes on with its requests. */
    cutOff: (): void => {
      for (const socket of open) socket.destroy();
    },
    /** Passes nothing on any more over the connections that there are. */
    freeze: (): void => {
      for (const socket of open) socket.unpipe();
    },
    /** From now on, what holds the text gets to the target, and its connection is cut in place of the answer. */
    loseAnswersTo: (text: string | undefined): void => {
      lostText = text;
    },
    lost: () => lost,
  };
}
