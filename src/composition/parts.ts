import { Registry } from 'prom-client';
import { createIdentity } from '../accounts/identity.js';
import { ensureFirstOperator } from '../accounts/operators.js';
import { type Clock, systemClock } from '../base/clock.js';
import type { Config } from '../base/config.js';
import { keyRingsOf } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import type { RunningParts } from '../base/process.js';
import type { Tracer } from '../base/tracing.js';
import { demandSealingKeys } from '../db/sealed-tables.js';
import type { StoreFor } from '../http/limits/rate-limit.js';
import { sealedTables } from '../operator/deps.js';
import { createPlacing } from '../orders/place-order.js';
import { createRecording } from '../orders/record-together.js';
import { createCodeSource } from '../packages/codes.js';
import type { Planning } from '../routing/planning.js';
import { createWorkerFromConfig } from '../webhook/index.js';
import { startDatabase } from './database.js';
import { startDatabaseFigures } from './database-figures.js';
import { serviceMetrics } from './metrics.js';
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

export type Parts = Awaited<ReturnType<typeof startParts>>;

/** What both processes need: database, identity, worker. */
export async function startParts(config: Config, overrides: Overrides, log: Logger, running: RunningParts) {
  const { clock = systemClock } = overrides;
  const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = await keyRingsOf(config);
  const registry = new Registry();
  const metrics = serviceMetrics(registry);
  const tracer = await startTracing(config, running);
  const { db, pollDb } = await startDatabase(config, overrides.supervised?.databaseUrl, log, metrics, running);
  await demandSealingKeys(db, encryptionKeys, sealedTables);
  const readList = await listReading(config, { db, pollDb, log, metrics: registry, pool: metrics.pool, running });
  const { operatorEmail: email, operatorPassword: password } = config;
  const firstOperator = await ensureFirstOperator(db, { email, password });
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
  await identity.start();
  running.add(identity.stop);
  const worker = await createWorkerFromConfig({
    db,
    log,
    config,
    encryptionKeys,
    metrics: registry,
    runSweep: metrics.runSweep,
    tracer,
  });
  running.add(worker.stop);
  const codes = createCodeSource(codeKeys);
  const waitMs = config.databaseConnectTimeoutMs;
  const placing = createPlacing({ db, codes, waitMs, watcher: metrics.placing, tracer });
  const recording = createRecording({ db, waitMs, watcher: metrics.recording, tracer });
  running.add(startDatabaseFigures({ db, log, registry }));
  return {
    db,
    readList,
    log,
    clock,
    registry,
    metrics,
    tracer,
    identity,
    encryptionKeys,
    placing,
    recording,
    worker,
    firstOperator,
  };
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
