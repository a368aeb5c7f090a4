import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Certificate, certificateIn } from '../../src/operator/cli/listen/certificate.js';

export interface Service {
  url: string;
  operator: { email: string; password: string };
  certificate: Certificate;
  receiverPort: number;
  stop(): Promise<void>;
}

/** The service at MALOTE_URL, or one that is started for the demo on an empty database and removed afterwards. */
export function openService(env: NodeJS.ProcessEnv): Promise<Service> {
  return env['MALOTE_URL'] ? connect(env['MALOTE_URL'], env) : start();
}

async function connect(url: string, env: NodeJS.ProcessEnv): Promise<Service> {
  const certificate = await certificateIn('.data/demo');
  const email = env['OPERATOR_EMAIL'];
  const password = env['OPERATOR_PASSWORD'];
  if (!email || !password) throw new Error('With MALOTE_URL, OPERATOR_EMAIL and OPERATOR_PASSWORD must be set too.');
  if (certificate.isNew) {
    throw new Error(
      `Made ${certificate.path}. Start the service with WEBHOOK_EXTRA_CA=${certificate.path} WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128 and run the demo again.`,
    );
  }
  return {
    url: url.replace(/\/$/, ''),
    operator: { email, password },
    certificate,
    receiverPort: 8443,
    stop: async () => {},
  };
}

async function start(): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'malote-demo-'));
  // The embedded PostgreSQL runs as another user when this one is root.
  await chmod(directory, 0o755);
  const certificate = await certificateIn(directory);
  const [port = 0, internalPort = 0, receiverPort = 0] = await freePorts(3);
  const operator = { email: 'operator@malote.local', password: 'a password for the demo' };
  const child = spawn(process.execPath, ['dist/src/api.js'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      HOST: '127.0.0.1',
      DATA_DIR: directory,
      OPERATOR_EMAIL: operator.email,
      OPERATOR_PASSWORD: operator.password,
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      WEBHOOK_PORTS: String(receiverPort),
      WEBHOOK_EXTRA_CA: certificate.path,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => end(child, directory);
  await ready(url, child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, operator, certificate, receiverPort, stop };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  return servers.map((server) => {
    const address = server.address();
    server.close();
    return typeof address === 'object' && address ? address.port : 0;
  });
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`The service ended with code ${child.exitCode}.`);
    const answer = await fetch(`${url}/docs/openapi.json`, { method: 'HEAD' }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error('The service did not answer within 30 s.');
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await rm(directory, { recursive: true, force: true });
}
