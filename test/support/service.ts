import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/account.js';
import { createApp, type Overrides } from '../../src/app/index.js';
import { loadConfig } from '../../src/base/config.js';
import { answerCheck } from './answer-check.js';
import { createDatabase } from './database.js';
import { accessToken, type Clients, clientsFor, type Login } from './http.js';
import { PASSWORD, passwordCost, passwordHash } from './password.js';

export const operatorLogin = { email: 'operator@malote.test', password: 'operator password' };

/** Clients generated from the published contracts, for the holder of the token. */
export interface Caller extends Clients {
  /** The id of the account. Empty for a caller without a token. */
  id: string;
  email: string;
  token: string;
}

/** The real service on a separate database. Every answer is checked by the contract. */
export type Service = Awaited<ReturnType<typeof startService>>;

let customers = 0;

/** Starts the service with the settings in `env`. Call `stop` when done. */
export async function startService(env: NodeJS.ProcessEnv = {}, overrides: Overrides = {}) {
  const database = await createDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'malote-test-data-'));
  const config = loadConfig({ ...serviceSettings(database.nearUrl, dataDir), ...testSettings, ...env });
  const app = await createApp(config, { answerCheck, passwordCost, ...overrides });
  const url = app.url ?? '';
  const caller = ({ id, email }: { id: string; email: string }, token: string): Caller => ({
    id,
    email,
    token,
    ...clientsFor(url, token),
  });

  async function signIn(login: Login): Promise<Caller> {
    const token = await accessToken(url, login);
    const me = await clientsFor(url, token).rest.GET('/api/v1/users/me');
    return caller({ id: me.data?.id ?? '', email: login.email }, token);
  }

  /** A new customer with a token. The phone is confirmed by default. */
  async function customer({
    email = `customer-${++customers}@malote.test`,
    phoneConfirmed = true,
  } = {}): Promise<Caller> {
    const profile = { email, name: 'Ana Souza', phone: '+55 11 91234-5678', phoneConfirmed };
    const account = await createAccount(app.db, { ...profile, role: 'customer', passwordHash });
    const signedIn = await app.identity.signIn(email, PASSWORD, `10.1.${(customers >> 8) & 255}.${customers & 255}`);
    if (!signedIn.ok) throw new Error(`cannot sign in: ${signedIn.reason}`);
    return caller(account, signedIn.token.access_token);
  }

  async function stop(): Promise<void> {
    await app.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }

  const operator = await signIn(operatorLogin);
  const proof = app.identity.factorToken({ accountId: operator.id, role: 'operator', epoch: 1 });
  // The same operator, signed in with a second factor.
  const proven = caller(operator, proof.access_token);
  const anonymous = caller({ id: '', email: '' }, '');
  return { app, db: database.db, url, anonymous, operator, proven, customer, signIn, caller, stop };
}

/** Settings of a tested service, on free ports of this machine. */
export const serviceSettings = (databaseUrl: string, dataDir: string) => ({
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: databaseUrl,
  SINGLE_MACHINE: '1',
  DATA_DIR: dataDir,
  OPERATOR_EMAIL: operatorLogin.email,
  OPERATOR_PASSWORD: operatorLogin.password,
});

const testSettings = {
  NODE_ENV: 'test',
  // No request is under way when a test file has ended.
  SHUTDOWN_SECONDS: '0',
  // A machine that runs many tests at once connects slowly.
  DATABASE_CONNECT_TIMEOUT_MS: '60000',
  // Tests of the limits set their own.
  RATE_LIMIT_PUBLIC_PER_HOUR: '100000',
  RATE_LIMIT_ACCOUNT_PER_HOUR: '100000',
};
