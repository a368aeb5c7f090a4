import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../test/support/port.js';
import { startProgram } from '../../../test/support/processes/program.js';

/** A process behind the balancer, with the addresses of its requests and of /readyz. */
export interface BalancedPorts {
  port: number;
  internalPort: number;
}

const settings = (port: number, processes: readonly BalancedPorts[]): string => `defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 5
  option redispatch 1
  option http-buffer-request
  retry-on conn-failure empty-response 503
frontend clients
  bind 127.0.0.1:${port}
  default_backend api
backend api
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 200ms fall 3 rise 1
${processes.map(({ port, internalPort }, n) => `  server p${n} 127.0.0.1:${port} check port ${internalPort}`).join('\n')}
`;

/**
 * Starts an HAProxy that repeats a request which a process refuses. Processes start and stop on their ports. Throws if
 * HAProxy is not installed.
 */
export async function startBalancer(processes: readonly BalancedPorts[]) {
  const folder = await mkdtemp(join(tmpdir(), 'malote-haproxy-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, settings(port, processes));
  const url = `http://127.0.0.1:${port}`;
  const { signal } = await startProgram(['/usr/sbin/haproxy', '-q', '-db', '-f', file], {}, async () =>
    Boolean(await fetch(url)),
  );
  return { url, stop: () => signal().then(() => rm(folder, { recursive: true, force: true })) };
}
