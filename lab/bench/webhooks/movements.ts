import { createApp } from '../../../src/app/index.js';
import { loadConfig } from '../../../src/base/config.js';
import { newId } from '../../../src/base/ids.js';
import { createLog } from '../../../src/base/telemetry/log.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { seed } from '../../../test/support/processes/endpoints.js';
import { pending } from '../../../test/support/queue.js';
import { operatorLogin, serviceSettings } from '../../../test/support/service.js';
import { judge, spread } from '../../figures.js';
import { cost, type Stage } from './stage.js';

const GOAL = 5_000;
const ROUNDS = 5;
const BATCHES = 24;
const ITEMS = 500;
const SCANNERS = 4;

/** Movements per second through the operator's interface, 500 per request. An endpoint is notified of each. */
export async function movements(stage: Stage, rounds = ROUNDS): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: (BATCHES * ITEMS) / stage.urls.length, movements: 2 });
  const keys = (await stage.db.selectFrom('packages').select('loggi_key').execute()).map((row) => row.loggi_key);
  const encryptionKeys = stage.ring.map(({ id, secret }) => `${id}:${secret.toString('base64url')}`).join();
  const app = await createApp(
    loadConfig({ ...serviceSettings(stage.url, stage.folder), ENCRYPTION_KEYS: encryptionKeys }),
    {
      worker: false,
      log: createLog({ level: 'error' }),
    },
  );
  const token = await accessToken(`${app.url}`, operatorLogin);
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await pending(stage.db);
    const bodies = Array.from({ length: BATCHES }, (_, batch) =>
      bodyOf(keys.slice(batch * ITEMS, (batch + 1) * ITEMS)),
    );
    const { took } = await cost(() => scan(`${app.url}`, token, bodies));
    const enqueued = (await pending(stage.db)) - before;
    if (enqueued !== keys.length) throw new Error(`${keys.length} movements were notified ${enqueued} times`);
    all.push(keys.length / took);
  }
  await app.stop();
  return judge(`movements/s in batches of ${ITEMS}`, spread(all), GOAL, 'at least');
}

/** Each scanner sends its next batch after the answer to the last one. */
async function scan(url: string, token: string, bodies: readonly string[]): Promise<void> {
  const waiting = [...bodies];
  const scanner = async (): Promise<void> => {
    for (let body = waiting.pop(); body !== undefined; body = waiting.pop()) {
      const { text } = await ask(url, 'POST', '/operator/v1/movements', { token, body });
      const recorded = text.split('"recorded"').length - 1;
      if (recorded !== ITEMS) throw new Error(`${recorded} of ${ITEMS} movements were recorded: ${text}`);
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
