import { setTimeout as sleep } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { sweepLoginFailures } from '../accounts/login-budget.js';
import { sweepNamedKeys } from '../accounts/named-keys.js';
import { sweepSignInNetworks } from '../accounts/networks.js';
import { sweepSessions } from '../accounts/sessions/session.js';
import { every } from '../base/background.js';
import type { Config } from '../base/config.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { markChanges } from '../db/lists/changed-since.js';
import { type Probes, probesApp } from '../http/server/express-app.js';
import { listen } from '../http/server/http-server.js';
import { sweepIdempotencyKeys } from '../idempotency/stored-answers.js';
import { startErasing } from '../operator/erasing.js';
import { keepDays } from '../orders/days/keep-days.js';
import { startRateTables } from '../orders/rate-table/rate-tables.js';
import { closeMonthsAlone } from '../orders/statements/close-months.js';
import { type Context, createContext, type Overrides } from './context.js';
import * as database from './database.js';
import { startDatabaseFigures } from './database-figures.js';
import { type Parts, startParts } from './parts.js';

export type { Overrides } from './context.js';

export interface App extends Internal, Pick<Parts, 'identity' | 'firstOperator'> {
  db: Db;
  log: Logger;
  /** Address of the API. Undefined in a process without the API. */
  url: string | undefined;
  /** Stops the API and the worker, then the database, then the probes. Resolves when all have stopped. */
  stop(): Promise<void>;
  stopMs: number;
}

/** Builds and starts the service. If a part cannot start, the parts before it are stopped. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const context = await createContext(config, overrides);
  try {
    return await start(context);
  } catch (error) {
    await context.running.stop();
    throw error;
  }
}

/** Starts the parts in the order in which they need each other. They stop in the reverse order. */
async function start(context: Context): Promise<App> {
  const { config, overrides, log, readiness, running } = context;
  const internal = await startProbes(context);
  const parts = await startParts(context, await database.start(context));
  const { db, identity, firstOperator, worker } = parts;
  // Load this late: a worker does not need it, and it costs a second of CPU and 70 MB on a busy machine.
  const api = overrides.api === false ? undefined : await (await import('./interfaces.js')).start(parts);
  // Start the worker after the interfaces. Building them blocks for longer than the worker waits for a connection.
  if (overrides.worker !== false) worker.start();
  await startChores(parts, api !== undefined);
  running.add(() => Promise.all([api?.stop(), worker.stop()]));
  running.add(async () => {
    readiness.say({ reason: 'stopping', text: 'the process is stopping' });
    if (api) await sleep(1000 * config.shutdownDelaySeconds);
  });
  readiness.say(undefined);
  const stopMs = 1000 * (config.shutdownDelaySeconds + config.shutdownSeconds);
  return { ...internal, identity, firstOperator, db, log, url: api?.url, stop: running.stop, stopMs };
}

/** The internal port and the sources of its answers. */
interface Internal {
  probes: Probes & { metrics: Registry };
  internalUrl: string;
}

/** Starts the internal port before the database answers. It stops last. */
async function startProbes({ config, registry, readiness, running }: Context): Promise<Internal> {
  const probes = { metrics: registry, obstacles: readiness.obstacles };
  const { internalPort: port, internalHost: host } = config;
  const { url, stop } = await listen(probesApp(probes), { port, host, shutdownSeconds: 0, setting: 'INTERNAL_PORT' });
  running.add(stop);
  return { probes, internalUrl: url };
}

/** Starts the periodic work: figures, sweeps, erasure (only with the API), and the sandbox. */
async function startChores(parts: Parts, hasApi: boolean): Promise<void> {
  const { config, db, log, metrics, registry, running } = parts;
  const { encryptionKeys: keys } = parts.keys;
  const { runSweep } = metrics;
  const sweep = (name: string, ms: number, work: (db: Db) => Promise<unknown>) =>
    running.add(
      every(ms, { log: log.child({ sweep: name }), event: 'upkeep.sweep_failed' }, () =>
        runSweep(name, ms, () => work(db)),
      ),
    );
  running.add(startDatabaseFigures({ db, log, registry, standbys: config.databaseStandbys }));
  sweep('login_failures', 300_000, sweepLoginFailures);
  sweep('sign_in_networks', 300_000, sweepSignInNetworks);
  sweep('operator_sessions', 300_000, sweepSessions);
  sweep('api_keys', 300_000, sweepNamedKeys);
  sweep('change_marks', 600_000, markChanges);
  if (hasApi) {
    const { eraseAfterDays, personalDataDays, lostAfterDays } = config;
    running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays, lostAfterDays, runSweep }));
    sweep('idempotency_keys', 600_000, sweepIdempotencyKeys);
    sweep('statements', 600_000, closeMonthsAlone);
    sweep('day_results', 600_000, keepDays);
    running.add(startRateTables({ db, log }));
  }
  if (config.sandbox) {
    const { startSandbox } = await import('../orders/sandbox.js');
    running.add(startSandbox({ db, log, keys, paceSeconds: config.sandboxPaceSeconds }));
  }
}
