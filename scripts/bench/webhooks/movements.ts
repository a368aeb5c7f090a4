import { createApp } from '../../../src/app.js';
import { loadConfig } from '../../../src/base/config.js';
import { newId } from '../../../src/base/ids.js';
import { createLog } from '../../../src/base/log.js';
import { judge, spread } from '../../../test/support/figures.js';
import { seed } from '../../../test/support/processes/seed.js';
import { cost, remaining } from './counted.js';
import type { Stage } from './stage.js';

const GOAL = 5_000;
const ROUNDS = 5;
const BATCHES = 24;
const ITEMS = 500;
const SCANNERS = 4;
const operator = { email: 'operator@malote.local', password: 'a password for the bench' };

/** Movements per second through the operator's door, 500 for each request, each notified to an endpoint. */
export async function movements(stage: Stage): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: (BATCHES * ITEMS) / stage.urls.length, movements: 2 });
  const keys = (await stage.db.selectFrom('packages').select('loggi_key').execute()).map((row) => row.loggi_key);
  const app = await createApp(loadConfig(environment(stage)), { sender: false, log: createLog({ level: 'error' }) });
  const token = await login(`${app.url}`);
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await remaining(stage);
    const bodies = Array.from({ length: BATCHES }, (_, batch) =>
      bodyOf(keys.slice(batch * ITEMS, (batch + 1) * ITEMS)),
    );
    const { took } = await cost(() => scan(`${app.url}/operator/v1/movements`, token, bodies));
    const enqueued = (await remaining(stage)) - before;
    if (enqueued !== keys.length) throw new Error(`${keys.length} movements were notified ${enqueued} times`);
    all.push(keys.length / took);
  }
  await app.stop();
  return judge(`movements/s in batches of ${ITEMS}`, spread(all), GOAL, 'at least');
}

const environment = ({ url, folder }: Stage): NodeJS.ProcessEnv => ({
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: '0',
  INTERNAL_PORT: '0',
  DATABASE_URL: url,
  DATA_DIR: folder,
  OPERATOR_EMAIL: operator.email,
  OPERATOR_PASSWORD: operator.password,
});

/** Each scanner sends a batch when the one before is answered. */
async function scan(url: string, token: string, bodies: readonly string[]): Promise<void> {
  const waiting = [...bodies];
  const scanner = async (): Promise<void> => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const answer = await post(url, body, { authorization: `Bearer ${token}` });
      const recorded = answer.split('"recorded"').length - 1;
      if (recorded !== ITEMS) throw new Error(`${recorded} of ${ITEMS} movements were recorded: ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: SCANNERS }, scanner));
}

function bodyOf(keys: readonly string[]): string {
  const happened_at = new Date().toISOString();
  const location = { city: 'Campinas', state: 'SP' };
  const movements = keys.map((loggi_key) => ({ id: newId(), loggi_key, status_code: 17, happened_at, location }));
  return JSON.stringify({ movements });
}

async function login(url: string): Promise<string> {
  const { access_token: token } = JSON.parse(await post(`${url}/auth/login`, JSON.stringify(operator)));
  return token;
}

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.text();
}
