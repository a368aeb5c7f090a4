import { inBackground } from '../base/background.js';
import { sweepIdempotencyKeys } from '../idempotency/stored-answers.js';
import { startErasing } from '../operator/index.js';
import { startDatabaseFigures } from './database-figures.js';
import type { Parts } from './parts.js';

const SWEEP_MS = 600_000;

/** Work beside requests: figures of the database; with the API, erasure and the sweep of keys; the sandbox. */
export async function start(parts: Parts, hasApi: boolean): Promise<void> {
  const { config, db, log, registry, running } = parts;
  const { encryptionKeys: keys } = parts.keys;
  const { runSweep } = parts.metrics;
  running.add(startDatabaseFigures({ db, log, registry, standbys: config.databaseStandbys }));
  if (hasApi) {
    const { eraseAfterDays, personalDataDays } = config;
    running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays, runSweep }));
    running.add(inBackground(() => sweep(parts), SWEEP_MS));
  }
  if (config.sandbox) {
    const { startSandbox } = await import('../orders/sandbox.js');
    running.add(startSandbox({ db, log, keys, paceSeconds: config.sandboxPaceSeconds }));
  }
}

async function sweep({ db, log, metrics }: Parts): Promise<number> {
  await metrics
    .runSweep('idempotency_keys', SWEEP_MS, () => sweepIdempotencyKeys(db))
    .catch((err) => log.warn({ err }, 'cannot sweep idempotency keys'));
  return SWEEP_MS;
}
