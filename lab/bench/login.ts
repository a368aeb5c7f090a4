/**
 * Tries to find out from the time of a refused login why it was refused: npx tsx lab/bench/login.ts [--tries 2000].
 * Refusals for every reason alternate, over HTTP, on interfaces A and B. For each reason the script prints the area
 * under the ROC curve against an unknown address. That is the chance that an answer for this reason takes longer than
 * one for the unknown address, 0.5 if time reveals nothing. Exits non-zero if a chance is outside 0.47 to 0.53.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createAccount } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import { hashPassword } from '../../src/accounts/passwords.js';
import { createApp } from '../../src/app/index.js';
import { loadConfig } from '../../src/base/config.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import type { Login } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { serviceSettings } from '../../test/support/service.js';
import { machine, mention, spread } from '../figures.js';

const { values } = parseArgs({ options: { tries: { type: 'string', default: '2000' } } });
const tries = Number(values.tries);
const [LEAST, MOST] = [0.47, 0.53];
const PASSWORD = 'the right password';

/** Logins that are refused for the reason in their name. Each function returns the next login to try. */
type Causes = Readonly<Record<string, () => Login>>;

const unknown = (): Login => ({ email: `${randomBytes(9).toString('hex')}@bench.test`, password: PASSWORD });

async function createCustomer(db: Db, email: string, phoneConfirmed: boolean): Promise<string> {
  const passwordHash = await hashPassword(PASSWORD);
  const profile = { email, name: 'Bench', phone: '+55 11 91234-5678', role: 'customer' as const, phoneConfirmed };
  const { id } = await createAccount(db, { ...profile, passwordHash });
  return id;
}

async function createCauses(db: Db): Promise<{ rest: Causes; graphql: Causes }> {
  await createCustomer(db, 'confirmed@bench.test', true);
  await createCustomer(db, 'here@bench.test', true);
  await createCustomer(db, 'unconfirmed@bench.test', false);
  const id = await createCustomer(db, 'deleted@bench.test', true);
  await deleteAccount(db, { accountId: id, role: 'operator' }, id);
  const rest = {
    'unknown address': unknown,
    'unknown address again': unknown,
    'wrong password': () => ({ email: 'confirmed@bench.test', password: randomBytes(9).toString('hex') }),
    'wrong password, known network': () => ({ email: 'here@bench.test', password: randomBytes(9).toString('hex') }),
    'deleted account': () => ({ email: 'deleted@bench.test', password: PASSWORD }),
  };
  // Interface A lets this account in.
  const unconfirmed = () => ({ email: 'unconfirmed@bench.test', password: PASSWORD });
  return { rest, graphql: { ...rest, 'phone not confirmed': unconfirmed } };
}

const QUERY = 'mutation ($input: LoginInput!) { login(input: $input) { user { apiKey } } }';

/** Milliseconds until the end of the answer. Throws if the login is not refused. */
async function timeOf(url: string, body: object): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  const started = performance.now();
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  const took = performance.now() - started;
  if (answer.status === 401 || text === '{"data":{"login":{"user":null}}}') return took;
  throw new Error(`not refused: ${answer.status} ${text}`);
}

/** The chance that a value of `a` is greater than one of `b`. Ties are too rare to matter. */
function auc(a: readonly number[], b: readonly number[]): number {
  const ordered = [...a.map((value) => ({ value, own: true })), ...b.map((value) => ({ value, own: false }))];
  ordered.sort((x, y) => x.value - y.value);
  let [below, wins] = [0, 0];
  for (const { own } of ordered) {
    if (own) wins += below;
    else below += 1;
  }
  return wins / (a.length * b.length);
}

/** Reasons alternate, so that other work of the machine slows all of them. */
async function measure(db: Db, causes: Causes, ask: (login: Login) => Promise<number>): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(causes).map((name): [string, number[]] => [name, []]));
  for (let turn = -20; turn < tries; turn += 1) {
    for (const [name, next] of Object.entries(causes)) {
      // Emptied, because used-up budgets would end the measurement. A row costs the same whether or not it is there.
      await db.deleteFrom('login_failures').execute();
      const took = await ask(next());
      if (turn >= 0) times.get(name)?.push(took);
    }
  }
  return times;
}

function report(name: string, times: Map<string, number[]>): boolean {
  const [[, base] = ['', []], ...others] = times;
  const typical = spread(base).median.toFixed(1);
  console.log(`${name}: ${base.length} tries of each cause, an unknown address takes ${typical} ms (median)`);
  const areas = others.map(([cause, all]) => ({ cause, area: auc(all, base) }));
  for (const { cause, area } of areas) mention(`${name}: AUC of ${cause}, ${LEAST} to ${MOST}`, spread([area]));
  return areas.every(({ area }) => area >= LEAST && area <= MOST);
}

const postgres = await startPostgres();
const config = loadConfig({
  ...serviceSettings(postgres.nearUrl, postgres.folder),
  RATE_LIMIT_PUBLIC_PER_HOUR: '1000000000',
});
const log = createLog({ level: 'warn' });
const app = await createApp(config, { worker: false, log });
// Waits longer for locks than a request, because a disk may stall.
const db = connect({ url: postgres.nearUrl, poolSize: 1, applicationName: 'bench', log, lockTimeoutMs: 30_000 });
try {
  console.log(machine());
  const causes = await createCauses(app.db);
  await app.identity.signIn('here@bench.test', PASSWORD, '127.0.0.1');
  const rest = await measure(db, causes.rest, (login) => timeOf(`${app.url}/auth/login`, login));
  const graphql = await measure(db, causes.graphql, (input) =>
    timeOf(`${app.url}/graphql`, { query: QUERY, variables: { input } }),
  );
  const equal = [report('A', rest), report('B', graphql)].every(Boolean);
  console.log(`equal time, AUC ${LEAST} to ${MOST}: ${equal ? 'met' : 'MISSED'}`);
  process.exitCode = equal ? 0 : 1;
} finally {
  await db.destroy();
  await app.stop();
  await postgres.stop();
}
