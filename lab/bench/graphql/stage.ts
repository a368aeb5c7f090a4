import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { createAccount } from '../../../src/accounts/account.js';
import { hashPassword } from '../../../src/accounts/passwords.js';
import { paymentMethods } from '../../../src/accounts/payment-methods.js';
import { createApp } from '../../../src/app/index.js';
import { loadConfig } from '../../../src/base/config.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { startPostgres } from '../../../test/support/postgres.js';
import { familyCpuMs } from '../../../test/support/processes/child.js';
import { serviceSettings } from '../../../test/support/service.js';
import type { Job, Result } from './load.js';
import { mutation, restBody } from './mutation.js';
import { type Statement, statementsOf, TOKEN } from './statements.js';

export const CONNECTIONS = 10;

const PASSWORD = 'a password of ana';

/** The parts that all runs share: a database with one customer, and the process that sends orders. */
export interface Stage {
  directory: string;
  databaseUrl: string;
  /** Settings of a server in a separate process. */
  env: NodeJS.ProcessEnv;
  customer: Customer;
  /** The statements of one of many createOrder calls, with begin and commit if there are any. */
  statements: Statement[];
  /** PostgreSQL's CPU so far, in milliseconds. */
  postgresCpu(): Promise<number>;
  query(text: string): Promise<Record<string, unknown>>;
  load(job: Job): Promise<Result>;
  close(): Promise<void>;
}

interface Customer {
  accountId: string;
  /** Keys are the names of interfaces. */
  authorization: Record<Job['interfaceName'], string>;
  paymentMethod: number;
  /** The price of an order with every optional field. */
  wholeTotal: string;
}

/** `settings` extend those of the service. */
export async function openStage(settings: NodeJS.ProcessEnv = {}): Promise<Stage> {
  const postgres = await startPostgres({ level: 'warn' });
  const env = {
    ...serviceSettings(postgres.nearUrl, postgres.folder),
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    LOG_LEVEL: 'warn',
    // Limits that requests count towards but never reach.
    RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
    ...settings,
  };
  const client = new pg.Client({ connectionString: postgres.nearUrl });
  await client.connect();
  const worker = fork(new URL('load.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error('the process that sends orders ended')));
  ended.catch(() => undefined);
  return {
    ...(await prepare(env)),
    directory: postgres.folder,
    databaseUrl: postgres.nearUrl,
    env,
    postgresCpu: async () => familyCpuMs(await postgres.pid()),
    query: async (text) => (await client.query<Record<string, unknown>>(text)).rows[0] ?? {},
    load: (job) => {
      worker.send(job);
      return Promise.race([answerOf(worker), ended]);
    },
    close: async () => {
      if (worker.connected) worker.disconnect();
      await client.end();
      await postgres.stop();
    },
  };
}

const answerOf = (worker: ChildProcess): Promise<Result> =>
  new Promise((resolve) => worker.once('message', (result: Result) => resolve(result)));

/** Makes the tables and the customer, and places an order to record its statements. */
async function prepare(env: NodeJS.ProcessEnv): Promise<Pick<Stage, 'customer' | 'statements'>> {
  const app = await createApp(loadConfig(env), { worker: false });
  const email = 'ana@example.com';
  const profile = { email, name: 'Ana Souza', phone: '+55 11 91234-5678', phoneConfirmed: true };
  const { id: accountId } = await createAccount(app.db, { ...profile, passwordHash: await hashPassword(PASSWORD) });
  const [method] = await paymentMethods(app.db, accountId);
  const apiKey = `ApiKey ${email}:${await app.identity.apiKeyOf(accountId)}`;
  const token = await accessToken(`${app.url}`, { email, password: PASSWORD });
  const authorization = { graphql: apiKey, rest: `Bearer ${token}` };
  const one = { paymentMethod: method?.id ?? 0, named: false };
  const body = restBody({ number: '1', ...one, whole: {} });
  const { text } = await ask(`${app.url}`, 'POST', '/api/v1/estimates', { token, body });
  const customer = { accountId, authorization, ...one, wholeTotal: JSON.parse(text).pricing.total };
  const place = (number: string) => order(`${app.url}`, apiKey, mutation({ number, ...one }));
  // The first order of a process is not typical: it also draws the package numbers for the next orders.
  await place('1');
  const statements = await statementsOf(() => place(TOKEN));
  await app.stop();
  return { customer, statements };
}

async function order(url: string, authorization: string, query: string): Promise<void> {
  const { text } = await ask(url, 'POST', '/graphql', { headers: { Authorization: authorization }, body: { query } });
  if (!text.includes('"success":true')) throw new Error(`no order was created: ${text}`);
}
