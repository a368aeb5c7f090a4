import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Identity } from '../accounts/identity.js';
import type { FirstOperatorResult } from '../accounts/operators.js';
import { useCell } from '../base/cell.js';
import type { Config } from '../base/config.js';
import { createLog, type Logger } from '../base/log.js';
import { type RunningParts, runningParts } from '../base/process.js';
import { createReadiness } from '../base/readiness.js';
import type { Db } from '../db/connect.js';
import { WINDOW_MS } from '../http/limits/rate-limit.js';
import { sharedCounters } from '../http/limits/redis-store.js';
import { type Probes, probesApp } from '../http/server/express-app.js';
import { type Listening, listen } from '../http/server/listen.js';
import { sweepIdempotencyKeys } from '../idempotency/stored-answers.js';
import { startErasing } from '../operator/index.js';
import { startSandbox } from '../orders/sandbox.js';
import { createTrackingFeed } from '../pages/tracking/feed.js';
import { secretFields } from '../rest/index.js';
import { interfaces } from './interfaces.js';
import { serviceMetrics } from './metrics.js';
import { type Overrides, type Parts, startParts } from './parts.js';

export type { Overrides } from './parts.js';
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
  /** Ends the API and the worker, then the database, then the probes; resolves when all are gone. */
  stop(): Promise<void>;
  /** How long that may take. */
  stopMs: number;
}

const SWEEP_MS = 600_000;

/** Builds and starts the service. When a part cannot start, those before it are stopped again. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  useCell(config.cell);
  const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
  const log = overrides.log ?? createLog({ level: config.logLevel, redact, service: config.otelServiceName });
  const running = runningParts(log);
  try {
    const registry = new Registry();
    const metrics = serviceMetrics(registry);
    const readiness = createReadiness(log, registry);
    const probes = { metrics: registry, obstacles: readiness.obstacles };
    const internalUrl = await startProbes(config, overrides, probes, running);
    const parts = await startParts(config, overrides, { log, registry, metrics, readiness }, running);
    const api = overrides.api === false ? undefined : await startApi(config, overrides, parts, running);
    const { db, identity, worker, firstOperator, encryptionKeys: keys } = parts;
    // Building the interfaces blocks the process for longer than it waits for a connection, so the worker begins after that.
    if (overrides.worker !== false) worker.start();
    const { eraseAfterDays, personalDataDays, shutdownDelaySeconds, shutdownSeconds } = config;
    const { runSweep } = parts.metrics;
    if (api) running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays, runSweep }));
    if (config.sandbox) running.add(startSandbox({ db, log, keys, paceSeconds: config.sandboxPaceSeconds }));
    running.add(() => Promise.all([api?.stop(), worker.stop()]));
    running.add(async () => {
      readiness.say({ reason: 'stopping', text: 'the process is stopping' });
      if (api) await sleep(1000 * shutdownDelaySeconds);
    });
    readiness.say(undefined);
    const stopMs = 1000 * (shutdownDelaySeconds + shutdownSeconds);
    return { db, log, identity, firstOperator, url: api?.url, internalUrl, probes, stop: running.stop, stopMs };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function startApi(config: Config, overrides: Overrides, parts: Parts, running: RunningParts): Promise<Listening> {
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
  const trackingFeed = createTrackingFeed({ ...parts, watcher: parts.metrics.openPages });
  const app = interfaces(config, overrides, { ...parts, counters, trackingFeed });
  if (counters) running.add(counters.stop);
  await counters?.start();
  const { url, stop } = await listen(app, config);
  const stopAll = () => {
    // Open answers would keep the listener until its deadline.
    trackingFeed.stop();
    return stop();
  };
  return { url, stop: stopAll };
}

/** Listens before the database answers, and until everything else has ended. */
async function startProbes(
  config: Config,
  overrides: Overrides,
  probes: Probes,
  running: RunningParts,
): Promise<string> {
  if (overrides.supervised) return overrides.supervised.internalUrl;
  const { internalPort: port, internalHost: host } = config;
  const { url, stop } = await listen(probesApp(probes), { port, host, shutdownSeconds: 0 });
  running.add(stop);
  return url;
}
