import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that nobody listens at, to be opened later. It lies below those that the system gives out by itself, so that
 * no other server gets it meanwhile.
 */
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
