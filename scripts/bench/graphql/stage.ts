import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createAccount } from '../../../src/accounts/account.js';
import { hashPassword } from '../../../src/accounts/passwords.js';
import { paymentMethods } from '../../../src/accounts/payment-methods.js';
import { createApp } from '../../../src/app.js';
import { loadConfig } from '../../../src/base/config.js';
import { createLog } from '../../../src/base/log.js';
import { startEmbedded } from '../../../src/embedded/embedded.js';
import type { Job, Result } from './load.js';
import { mutation } from './mutation.js';
import { type Statement, statementsOf } from './statements.js';
import { TOKEN } from './template.js';

export const CONNECTIONS = 10;

/** Everything that the runs share: an empty database with one customer, and the process that sends orders. */
export interface Stage {
  directory: string;
  databaseUrl: string;
  /** Settings of a server in a process of its own. */
  env: NodeJS.ProcessEnv;
  customer: Customer;
  /** What one createOrder of many sends to the database, begin and commit included where there are any. */
  statements: Statement[];
  ask(text: string): Promise<Record<string, unknown>>;
  load(job: Job): Promise<Result>;
  close(): Promise<void>;
}

export interface Customer {
  accountId: string;
  authorization: string;
  paymentMethod: number;
}

export async function openStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'malote-bench-'));
  // Else PostgreSQL, which does not run as root, would keep its files elsewhere and leave them there.
  await chmod(directory, 0o755);
  const embedded = await startEmbedded({ dataDir: directory, log: createLog({ level: 'warn' }) });
  const env = environment(directory, embedded.nearUrl);
  const client = new pg.Client({ connectionString: embedded.nearUrl });
  await client.connect();
  const sender = fork(new URL('load.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const ended = once(sender, 'exit').then(() => Promise.reject(new Error('the process that sends orders ended')));
  ended.catch(() => undefined);
  return {
    ...(await prepare(env)),
    directory,
    databaseUrl: embedded.nearUrl,
    env,
    ask: async (text) => (await client.query<Record<string, unknown>>(text)).rows[0] ?? {},
    load: (job) => {
      sender.send(job);
      return Promise.race([answerOf(sender), ended]);
    },
    close: async () => {
      if (sender.connected) sender.disconnect();
      await client.end();
      await embedded.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const answerOf = (sender: ChildProcess): Promise<Result> =>
  new Promise((resolve) => sender.once('message', (result: Result) => resolve(result)));

function environment(directory: string, url: string): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    DATA_DIR: directory,
    LOG_LEVEL: 'warn',
    OPERATOR_PASSWORD: 'a password for the bench',
    // Counted, never reached.
    RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000',
  };
}

/** Makes the tables and the customer, and places an order whose statements are recorded. */
async function prepare(env: NodeJS.ProcessEnv): Promise<Pick<Stage, 'customer' | 'statements'>> {
  const app = await createApp(loadConfig(env), { sender: false });
  const email = 'ana@example.com';
  const profile = { email, name: 'Ana Souza', phone: '+55 11 91234-5678', phoneConfirmed: true };
  const { id: accountId } = await createAccount(app.db, { ...profile, passwordHash: await hashPassword('a password') });
  const [method] = await paymentMethods(app.db, accountId);
  const authorization = `ApiKey ${email}:${await app.identity.apiKeyOf(accountId)}`;
  const customer = { accountId, authorization, paymentMethod: method?.id ?? 0 };
  const place = (number: string) =>
    order(`${app.url}/graphql`, authorization, mutation({ number, paymentMethod: method?.id ?? 0, named: false }));
  // The first order of a process draws package numbers for the next ones as well: it is not one of many.
  await place('1');
  const statements = await statementsOf(() => place(TOKEN));
  await app.stop();
  return { customer, statements };
}

async function order(url: string, authorization: string, query: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: authorization };
  const answer = await (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
  if (!answer.includes('"success":true')) throw new Error(`no order was created: ${answer}`);
}
