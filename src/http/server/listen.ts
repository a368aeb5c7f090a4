import { once } from 'node:events';
import type { Express } from 'express';
import { createServer, stop } from './http-server.js';

const BACKLOG = 4096;

interface Place {
  /** 0 takes any free one. */
  readonly port: number;
  readonly host: string;
  readonly shutdownSeconds: number;
}

export interface HttpListener {
  readonly url: string;
  stop(): Promise<void>;
}

/** Throws an Error of one line when the port is in use. */
export async function listen(app: Express, { port, host, shutdownSeconds }: Place): Promise<HttpListener> {
  const server = createServer(app);
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${cause.code})`;
    throw new Error(`port ${port} on ${host} ${reason}`, { cause });
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  const url = `http://${host === '0.0.0.0' || host === '::' ? 'localhost' : host}:${actual}`;
  return { url, stop: () => stop(server, shutdownSeconds * 1000) };
}
