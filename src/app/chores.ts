import { sweepLoginFailures } from '../accounts/login-budget.js';
import { sweepSignInNetworks } from '../accounts/networks.js';
import { sweepSessions } from '../accounts/sessions/session.js';
import { every } from '../base/background.js';
import type { Db } from '../db/connect.js';
import { sweepIdempotencyKeys } from '../idempotency/stored-answers.js';
import { startErasing } from '../operator/index.js';
import { startDatabaseFigures } from './database-figures.js';
import type { Parts } from './parts.js';

/** Work beside requests: figures of the database; sweeps; with the API, erasure; the sandbox. */
export async function start(parts: Parts, hasApi: boolean): Promise<void> {
  const { config, db, log, metrics, registry, running } = parts;
  const { encryptionKeys: keys } = parts.keys;
  const { runSweep } = metrics;
  const sweep = (name: string, ms: number, work: (db: Db) => Promise<unknown>) =>
    running.add(every(ms, { log, failure: `cannot sweep ${name}` }, () => runSweep(name, ms, () => work(db))));
  running.add(startDatabaseFigures({ db, log, registry, standbys: config.databaseStandbys }));
  sweep('login_failures', 300_000, sweepLoginFailures);
  sweep('sign_in_networks', 300_000, sweepSignInNetworks);
  sweep('operator_sessions', 300_000, sweepSessions);
  if (hasApi) {
    const { eraseAfterDays, personalDataDays } = config;
    running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays, runSweep }));
    sweep('idempotency_keys', 600_000, sweepIdempotencyKeys);
  }
  if (config.sandbox) {
    const { startSandbox } = await import('../orders/sandbox.js');
    running.add(startSandbox({ db, log, keys, paceSeconds: config.sandboxPaceSeconds }));
  }
}
