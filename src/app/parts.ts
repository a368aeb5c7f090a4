import type { Registry } from 'prom-client';
import { createIdentity } from '../accounts/identity.js';
import { ensureFirstOperator, type FirstOperatorResult } from '../accounts/operators.js';
import { type Clock, systemClock } from '../base/clock.js';
import type { Config } from '../base/config.js';
import { type KeyRing, keyRingsOf } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import type { RunningParts } from '../base/process.js';
import type { Check, Obstacle, Readiness } from '../base/readiness.js';
import type { Tracer } from '../base/tracing.js';
import type { Db } from '../db/connect.js';
import { sealObstacle } from '../db/sealed-tables.js';
import { waitOf } from '../db/wait.js';
import { writeObstacle } from '../db/write-check.js';
import { createBulkhead } from '../http/bulkhead.js';
import type { StoreFor } from '../http/limits/rate-limit.js';
import { sealedTables } from '../operator/deps.js';
import { createPlacing } from '../orders/place-order.js';
import { createRecording } from '../orders/record-together.js';
import { createCodeSource } from '../packages/codes.js';
import { createTrackingLinks } from '../packages/tracking-links.js';
import type { Planning } from '../routing/planning.js';
import { createWorkerFromConfig } from '../webhook/index.js';
import { watchClock } from './clock-watch.js';
import { startDatabase } from './database.js';
import { startDatabaseFigures } from './database-figures.js';
import type { ServiceMetrics } from './metrics.js';
import { listReading } from './replica.js';

/** What a process or a test wants to be otherwise than the configuration says. */
export interface Overrides {
  /** Interfaces A, B and D; on by default. */
  api?: boolean;
  /** The worker of interface C; on by default. */
  worker?: boolean;
  log?: Logger;
  clock?: Clock;
  planning?: Planning;
  /** Holds every answer against its contract; a breach becomes a 500. */
  validateResponses?: boolean;
  supervised?: Supervised;
}

/** What a process that is one of several leaves to its supervisor. */
interface Supervised {
  /** Of the embedded database, unless there is another. */
  databaseUrl?: string | undefined;
  /** Where the supervisor answers the probes of all. */
  internalUrl: string;
  /** The supervisor's counters of the rate limits; Redis goes first. */
  storeFor: StoreFor;
}

/** What there is before the parts, so that the probes answer while those are made. */
export interface Ground {
  log: Logger;
  registry: Registry;
  metrics: ServiceMetrics;
  readiness: Readiness;
}

export type Parts = Awaited<ReturnType<typeof startParts>>;

/** What both processes need: database, identity, worker. */
export async function startParts(config: Config, overrides: Overrides, ground: Ground, running: RunningParts) {
  const { log, registry, metrics, readiness } = ground;
  const { clock = systemClock, supervised } = overrides;
  const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = await keyRingsOf(config);
  const tracer = await startTracing(config, running);
  const wait = waitOf(config.waitForDatabaseSeconds, log);
  const { db, pollDb, probeDb } = await startDatabase(config, supervised?.databaseUrl, log, metrics, running, wait);
  readiness.add(() => writeObstacle(probeDb));
  const clockWatch = await wait(() => watchClock(probeDb, log));
  running.add(clockWatch.stop);
  readiness.add(clockWatch.check);
  readiness.add(await startKeyCheck(db, encryptionKeys, log, running));
  const readList = await listReading(config, { db, pollDb, log, metrics: registry, pool: metrics.pool, running });
  const { operatorEmail: email, operatorPassword: password } = config;
  // A worker's output is nobody's place to look for a password.
  const firstOperator: FirstOperatorResult =
    overrides.api === false
      ? { created: false, passwordRefused: false }
      : await wait(() => ensureFirstOperator(db, { email, password }));
  const { accessTokenTtlSeconds: tokenTtlSeconds, publicUrl: issuer } = config;
  const identity = createIdentity({
    db,
    pollDb,
    log,
    clock,
    tokenKeys: jwtKeys,
    apiKeySecrets,
    tokenTtlSeconds,
    issuer,
    onLoginRefused: metrics.onLoginRefused,
    runSweep: metrics.runSweep,
  });
  await wait(identity.start);
  running.add(identity.stop);
  const worker = await createWorkerFromConfig({
    db,
    log,
    config,
    encryptionKeys,
    metrics: registry,
    runSweep: metrics.runSweep,
    tracer,
    mayWork: clockWatch.isRight,
  });
  running.add(worker.stop);
  // An API serves whether or not webhooks can be sent.
  if (overrides.api === false) readiness.add(async () => sendingObstacle(worker.troubles()));
  const codes = createCodeSource(codeKeys);
  const waitMs = config.databaseConnectTimeoutMs;
  const placing = createPlacing({ db, codes, keys: encryptionKeys, waitMs, watcher: metrics.placing, tracer });
  const recording = createRecording({ db, waitMs, watcher: metrics.recording, tracer });
  const bulkhead = createBulkhead({ connections: config.databasePoolSize, waitMs, log });
  running.add(startDatabaseFigures({ db, log, registry, standbys: config.databaseStandbys }));
  const trackingLinks = createTrackingLinks(config.publicUrl, codeKeys);
  const own = { tracer, identity, encryptionKeys, trackingLinks, placing, recording, worker, firstOperator };
  return { ...ground, db, readList, clock, bulkhead, ...own };
}

/** Undefined unless traces are to be exported: then nothing of OpenTelemetry is loaded. */
async function startTracing(config: Config, running: RunningParts): Promise<Tracer | undefined> {
  const { otelExporterOtlpEndpoint: endpoint, otelServiceName: serviceName } = config;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracer } = await import('./otlp-tracer.js');
  const { tracer, stop } = createOtlpTracer({ endpoint, serviceName });
  running.add(stop);
  return tracer;
}

const sendingObstacle = (troubles: readonly string[]): Obstacle | undefined =>
  troubles.length > 0 ? { reason: 'sending', text: `webhooks cannot be sent: ${troubles.join('; ')}` } : undefined;

const KEYS_CHECKED_MS = 60_000;

/** Looks now and again, as another process may seal with a key that this one lacks, or seal anew what this one could not open. */
async function startKeyCheck(db: Db, ring: KeyRing, log: Logger, running: RunningParts): Promise<Check> {
  let obstacle: Obstacle | undefined;
  const look = async (options?: { forget: boolean }) => {
    try {
      obstacle = await sealObstacle(db, ring, sealedTables, options);
    } catch (err) {
      log.warn({ err }, 'cannot check the keys that the database is sealed with');
    }
  };
  await look({ forget: true });
  const timer = setInterval(look, KEYS_CHECKED_MS);
  running.add(async () => clearInterval(timer));
  return async () => obstacle;
}
