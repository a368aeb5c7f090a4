import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports of each kind of service. Keys are the beginnings of their names. */
const portsOfKind = {
  etcd: [2379, 2380],
  postgres: [5432, 8008],
  leader: [5432],
  pgbouncer: [6432],
  redis: [6379],
  haproxy: [8080, 8404],
  api: [3000, 3001],
  worker: [3001],
};

/** Throws one line that names the needed ports if another program listens on them at every address of this machine. */
export async function demandPorts(addresses: ReadonlyMap<string, string>): Promise<void> {
  const wanted = [...addresses].flatMap(([service, address]) =>
    Object.entries(portsOfKind).flatMap(([kind, ports]) =>
      service.split('-')[0] === kind ? ports.map((port) => ({ address, port })) : [],
    ),
  );
  const taken = new Set<number>();
  for (const { address, port } of wanted) if (!(await isFree(address, port))) taken.add(port);
  if (taken.size === 0) return;
  const ports = [...taken].sort((one, other) => one - other).join(', ');
  throw new Error(
    `another program listens on port ${ports} of every address, such as a running service: end it, or give it another port (ss -ltnp shows it)`,
  );
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
  }
}
