import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessToken, clientsFor, must } from '../../test/support/http.js';
import { fromSource, startChild } from '../../test/support/processes/child.js';
import { operatorLogin } from '../../test/support/service.js';

/** A service that generated clients are driven against. */
export interface Target {
  readonly url: string;
  /** Variables for a client: the address, and logins. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const customer = { email: 'ana@malote.test', password: 'correct horse battery' };

/** Starts the service from its source on an empty database, with one customer, whose phone is confirmed. */
export async function startTarget(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-target-'));
  // The embedded PostgreSQL runs as another user when this one is root.
  await chmod(folder, 0o755);
  const remove = () => rm(folder, { recursive: true, force: true });
  const child = await startChild(fromSource('api --no-sender'), {
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATA_DIR: folder,
    OPERATOR_EMAIL: operatorLogin.email,
    OPERATOR_PASSWORD: operatorLogin.password,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PUBLIC_PER_HOUR: '100000',
    RATE_LIMIT_ACCOUNT_PER_HOUR: '100000',
  }).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const stop = async () => {
    await child.signal('SIGTERM');
    await remove();
  };
  const token = await accessToken(child.url, operatorLogin);
  const body = { ...customer, name: 'Ana Souza', phone: '+55 11 91234-5678' };
  const { rest, operator } = clientsFor(child.url, token);
  const { id } = must(await rest.POST('/api/v1/users', { body }));
  await operator.POST('/operator/v1/users/{id}/phone-confirmation', { params: { path: { id } } });
  const env = {
    MALOTE_URL: child.url,
    MALOTE_EMAIL: customer.email,
    MALOTE_PASSWORD: customer.password,
    MALOTE_OPERATOR_EMAIL: operatorLogin.email,
    MALOTE_OPERATOR_PASSWORD: operatorLogin.password,
  };
  return { url: child.url, env, stop };
}
