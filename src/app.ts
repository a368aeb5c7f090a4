import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Gauge, type Registry } from 'prom-client';
import type { Identity } from './accounts/identity.js';
import type { FirstOperatorResult } from './accounts/operators.js';
import { useCell } from './base/cell.js';
import type { Config } from './base/config.js';
import { createLog, type Logger } from './base/log.js';
import { type RunningParts, runningParts } from './base/process.js';
import { interfaces } from './composition/interfaces.js';
import { type Overrides, type Parts, startParts } from './composition/parts.js';
import type { Db } from './db/connect.js';
import { sweepIdempotencyKeys } from './http/idempotency/stored-answers.js';
import { WINDOW_MS } from './http/limits/rate-limit.js';
import { sharedCounters } from './http/limits/redis-store.js';
import { type Probes, probesApp } from './http/server/express-app.js';
import { listen } from './http/server/listen.js';
import { startErasing } from './operator/index.js';
import { startSandbox } from './orders/sandbox.js';
import { secretFields } from './rest/index.js';

export type { Overrides } from './composition/parts.js';
export interface App {
  db: Db;
  log: Logger;
  identity: Identity;
  firstOperator: FirstOperatorResult;
  /** Undefined in a process without the API. */
  url: string | undefined;
  internalUrl: string;
  /** What the internal listener answers from. */
  probes: Probes & { metrics: Registry };
  /** Ends the listeners, then the worker, then the database; resolves when all are gone. */
  stop(): Promise<void>;
}

const SWEEP_MS = 600_000;
const READY_PATIENCE_MS = 500;

/** Builds and starts the service. When a part cannot start, those before it are stopped again. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  useCell(config.cell);
  const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
  const log = overrides.log ?? createLog({ level: config.logLevel, redact, service: config.otelServiceName });
  const running = runningParts(log);
  try {
    const parts = await startParts(config, overrides, log, running);
    const { internalUrl, probes, withdraw } = await startProbes(config, overrides, parts, running);
    const url = overrides.api === false ? undefined : await startApi(config, overrides, parts, running);
    const { db, identity, worker, firstOperator, encryptionKeys: keys } = parts;
    // Building the interfaces blocks the process for longer than it waits for a connection, so the worker begins after that.
    if (overrides.worker !== false) worker.start();
    const { eraseAfterDays, personalDataDays } = config;
    const { runSweep } = parts.metrics;
    if (url !== undefined) running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays, runSweep }));
    if (config.sandbox) running.add(startSandbox({ db, log, paceSeconds: config.sandboxPaceSeconds }));
    running.add(withdraw);
    return { db, log, identity, firstOperator, url, internalUrl, probes, stop: running.stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function startApi(config: Config, overrides: Overrides, parts: Parts, running: RunningParts): Promise<string> {
  const sweep = () =>
    parts.metrics
      .runSweep('idempotency_keys', SWEEP_MS, () => sweepIdempotencyKeys(parts.db))
      .catch((err) => parts.log.warn({ err }, 'cannot sweep idempotency keys'));
  const timer = setInterval(sweep, SWEEP_MS);
  running.add(async () => clearInterval(timer));
  const { redisUrl, redisTimeoutMs } = config;
  const counters = redisUrl
    ? sharedCounters({ url: redisUrl, timeoutMs: redisTimeoutMs, watcher: parts.metrics.redis() }, WINDOW_MS, parts.log)
    : undefined;
  const app = interfaces(config, overrides, { ...parts, counters });
  if (counters) running.add(counters.stop);
  await counters?.start();
  const { url, stop } = await listen(app, config);
  running.add(stop);
  return url;
}

/** The internal listener outlives the API's, but says "not ready" from the moment a stop is requested. */
async function startProbes(
  config: Config,
  { supervised }: Overrides,
  { db, registry: metrics }: Parts,
  running: RunningParts,
) {
  let stopping = false;
  const ready = async () => !stopping && (await sql`select 1`.execute(db)).rows.length === 1;
  exportReady(metrics, ready);
  const probes = { metrics, ready };
  const withdraw = async () => {
    stopping = true;
  };
  if (supervised) return { internalUrl: supervised.internalUrl, probes, withdraw };
  const { internalPort: port, internalHost: host } = config;
  const { url, stop } = await listen(probesApp(probes), { port, host, shutdownSeconds: 0 });
  running.add(stop);
  return { internalUrl: url, probes, withdraw };
}

/** What the probe says, for alerts: it is asked at each look, and counts as not ready when it does not answer soon. */
function exportReady(registry: Registry, ready: () => Promise<boolean>): void {
  const answer = () => ready().catch(() => false);
  new Gauge({
    name: 'malote_ready',
    help: 'Whether requests should be sent here, as /readyz says; of several processes, how many',
    registers: [registry],
    async collect() {
      this.set((await Promise.race([answer(), sleep(READY_PATIENCE_MS, false, { ref: false })])) ? 1 : 0);
    },
  });
}
