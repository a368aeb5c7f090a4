import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Lets a server listen at a free port of 127.0.0.1, and resolves to it. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** A port without a listener, below the ports that the system gives out, so that no other server gets it. */
export async function freePort(): Promise<number> {
  const port = 15_000 + Math.floor(Math.random() * 15_000);
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return freePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
