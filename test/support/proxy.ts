import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listening } from './port.js';

/** A TCP proxy to a server, which tests can cut. */
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
    /** Ends the present connections, while the server continues with their requests. */
    cutOff: (): void => {
      for (const socket of open) socket.destroy();
    },
    /** Stops passing data on over the existing connections. */
    freeze: (): void => {
      for (const socket of open) socket.unpipe();
    },
    /** From now on, requests with this text reach the target, but their connection is cut in place of the answer. */
    loseAnswersTo: (text: string | undefined): void => {
      lostText = text;
    },
    lost: () => lost,
  };
}
