import { type Config, loadConfig } from '../../src/base/config.js';
import { ConfigError } from '../../src/base/settings.js';
import { type Certificate, certificateIn } from '../../src/cli/local/listen/certificate.js';
import type { Login } from '../../test/support/http.js';
import { freePort } from '../../test/support/port.js';
import { startTemporaryService } from '../../test/support/processes/temporary.js';

export interface Service {
  url: string;
  operator: Login;
  certificate: Certificate;
  /** Ports of this machine that it may send to. */
  receiverPorts: readonly number[];
  /** Undefined where somebody else started it. */
  pid?: number;
  stop(): Promise<void>;
}

/**
 * The service at MALOTE_URL, or one that is started for the demo and removed afterwards, on a database that `prepare`
 * fills. Throws where there is something to prepare and somebody else started the service: customers may use it.
 */
export function openService(env: NodeJS.ProcessEnv, prepare?: (config: Config) => Promise<void>): Promise<Service> {
  if (!env['MALOTE_URL']) return start(prepare);
  if (prepare) throw new ConfigError('SEED=1 fills a service of its own only: unset MALOTE_URL.');
  return connect(env['MALOTE_URL'], env);
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
    receiverPorts: [8443],
    stop: async () => {},
  };
}

async function start(prepare?: (config: Config) => Promise<void>): Promise<Service> {
  const receiverPorts = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const port = await freePort();
  const operator = { email: 'operator@malote.local', password: 'a password for the demo' };
  const { child, folder, stop } = await startTemporaryService(['dist/src/api.js'], operator, async (directory) => {
    const { email: OPERATOR_EMAIL, password: OPERATOR_PASSWORD } = operator;
    await prepare?.(loadConfig({ DATA_DIR: directory, LOG_LEVEL: 'warn', OPERATOR_EMAIL, OPERATOR_PASSWORD }));
    return {
      PORT: String(port),
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      WEBHOOK_PORTS: receiverPorts.join(),
      WEBHOOK_EXTRA_CA: (await certificateIn(directory)).path,
    };
  });
  const certificate = await certificateIn(folder);
  return { url: `http://localhost:${port}`, operator, certificate, receiverPorts, pid: child.pid, stop };
}
