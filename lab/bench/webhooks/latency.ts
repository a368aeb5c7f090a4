import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/base/ids.js';
import { movePackages } from '../../../src/packages/move-packages.js';
import { seed } from '../../../test/support/processes/endpoints.js';
import { judge, quantile, spread } from '../../figures.js';
import { counted, type Stage, until } from './stage.js';

const goals = { p50: 30, p99: 150 };
const MOVEMENTS = 3_000;
const BETWEEN_MS = 5;

/**
 * The time from a movement's commit to the receiver's answer, at 200 movements/s. Every endpoint got one request
 * before, so connections are open.
 */
export async function latency(stage: Stage): Promise<boolean> {
  await seed(stage.db, stage.ring, { urls: stage.urls, packages: 4, movements: 2 });
  const committed = new Map<string, number>();
  const lags: number[] = [];
  const { worker, stop } = counted(stage, (body) => {
    const { packages } = JSON.parse(body.toString('utf8'));
    for (const { loggiKey } of packages) lags.push(performance.now() - (committed.get(loggiKey) ?? Number.NaN));
  });
  // The first package of each order comes first, so each endpoint gets one.
  const keys = await stage.db.selectFrom('packages').select('loggi_key').orderBy('position').limit(MOVEMENTS).execute();
  const opening = stage.urls.length;
  worker.start();
  await move(stage, committed, keys.slice(0, opening));
  await until(() => lags.length >= opening);
  await move(stage, committed, keys.slice(opening));
  await until(() => lags.length >= MOVEMENTS);
  await stop();
  const at = (share: number) => spread([quantile(lags.slice(opening), share)]);
  const typical = judge('latency at 200 movements/s: p50, ms', at(0.5), goals.p50, 'below');
  const late = judge('latency at 200 movements/s: p99, ms', at(0.99), goals.p99, 'below');
  return typical && late;
}

async function move(
  { db }: Stage,
  committed: Map<string, number>,
  keys: readonly { loggi_key: string }[],
): Promise<void> {
  const location = { city: 'Campinas', state: 'SP' };
  const started = performance.now();
  for (const [index, { loggi_key: loggiKey }] of keys.entries()) {
    await sleep(Math.max(0, started + index * BETWEEN_MS - performance.now()));
    const happenedAt = new Date().toISOString();
    void movePackages(db, [{ id: newId(), loggiKey, statusCode: 11, happenedAt, location }]).then(() =>
      committed.set(loggiKey, performance.now()),
    );
  }
}
