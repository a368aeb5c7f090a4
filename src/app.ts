import type { Express } from 'express';
import { sql } from 'kysely';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { recordAudit } from './accounts/audit.js';
import { createIdentity, type Identity } from './accounts/identity.js';
import { operatorAuthentication } from './accounts/operator-key-check.js';
import { ensureFirstOperator, type FirstOperatorResult } from './accounts/operators.js';
import { type Clock, systemClock } from './base/clock.js';
import type { Config } from './base/config.js';
import { keyRingsOf } from './base/keys.js';
import { createLog, type Logger } from './base/log.js';
import { type RunningParts, runningParts } from './base/process.js';
import { connect, type Db } from './db/connect.js';
import { migrate } from './db/migrate.js';
import { probeAccess } from './db/pooler.js';
import { demandSealingKeys } from './db/sealed-tables.js';
import { startEmbedded } from './embedded/embedded.js';
import { graphqlRouter } from './graphql/index.js';
import { errorHandler, unknownPath } from './http/errors.js';
import { sweepIdempotencyKeys } from './http/idempotency/stored-answers.js';
import { createLimits, type StoreFor, WINDOW_MS } from './http/limits/rate-limit.js';
import { type SharedCounters, sharedCounters } from './http/limits/redis-store.js';
import { expressApp, type Probes, probesApp } from './http/server/express-app.js';
import { listen } from './http/server/listen.js';
import { sealedTables } from './operator/deps.js';
import { operatorRouter, spec as operatorSpec, startErasing } from './operator/index.js';
import { createPlacing } from './orders/place-order.js';
import { createRecording } from './orders/record-together.js';
import { startSandbox } from './orders/sandbox.js';
import { createCodeSource } from './packages/codes.js';
import { docsRouter } from './rest/docs.js';
import { restRouter, spec as restSpec, secretFields } from './rest/index.js';
import { createPlanning, type Planning } from './routing/planning.js';
import { createWorkerFromConfig } from './webhook/index.js';

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

type Parts = Awaited<ReturnType<typeof startParts>>;
/** Undefined without Redis. */
type Shared = { counters: SharedCounters | undefined };

const SWEEP_MS = 600_000;

/** Builds and starts the service. When a part cannot start, those before it are stopped again. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
  const own = overrides.log ?? createLog({ level: config.logLevel, redact });
  const log = overrides.supervised ? own.child({ pid: process.pid }) : own;
  const running = runningParts(log);
  try {
    const parts = await startParts(config, overrides, log, running);
    const { internalUrl, probes, withdraw } = await startProbes(config, overrides, parts, running);
    const url = overrides.api === false ? undefined : await startApi(config, overrides, parts, running);
    const { db, identity, worker, firstOperator, encryptionKeys: keys } = parts;
    // Building the interfaces blocks the process for longer than it waits for a connection, so the worker begins after that.
    if (overrides.worker !== false) worker.start();
    const { eraseAfterDays, personalDataDays } = config;
    if (url !== undefined) running.add(startErasing({ db, log, keys, eraseAfterDays, personalDataDays }));
    if (config.sandbox) running.add(startSandbox({ db, log, paceSeconds: config.sandboxPaceSeconds }));
    running.add(withdraw);
    return { db, log, identity, firstOperator, url, internalUrl, probes, stop: running.stop };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** What both processes need: database, identity, worker. */
async function startParts(config: Config, overrides: Overrides, log: Logger, running: RunningParts) {
  const { clock = systemClock } = overrides;
  const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = await keyRingsOf(config);
  const { db, pollDb } = await startDatabase(config, overrides, log, running);
  await demandSealingKeys(db, encryptionKeys, sealedTables);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
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
  });
  await identity.start();
  running.add(identity.stop);
  const worker = await createWorkerFromConfig({ db, log, config, encryptionKeys, metrics });
  running.add(worker.stop);
  const codes = createCodeSource(codeKeys);
  const waitMs = config.databaseConnectTimeoutMs;
  const placing = createPlacing({ db, codes, waitMs });
  const recording = createRecording({ db, waitMs });
  return { db, log, clock, metrics, identity, encryptionKeys, placing, recording, worker, firstOperator };
}

async function startDatabase(config: Config, { supervised }: Overrides, log: Logger, running: RunningParts) {
  const { databaseUrl, databaseConnectTimeoutMs: connectionTimeoutMs } = config;
  const url = databaseUrl ?? supervised?.databaseUrl ?? (await startOwnDatabase(config, log, running));
  const { pooled, prepared } = databaseUrl ? await probeAccess(url, log) : { pooled: false, prepared: true };
  await migrate(url, log, { pooled });
  const access = { url, pooled, prepared: prepared && config.databasePrepared, connectionTimeoutMs };
  const pool = (poolSize: number): Db => {
    const db = connect({ ...access, poolSize, applicationName: 'malote', log });
    running.add(() => db.destroy());
    return db;
  };
  // A pool that requests have used up must not keep the process from learning which tokens have ended.
  return { db: pool(config.databasePoolSize), pollDb: pool(1) };
}

async function startOwnDatabase({ dataDir }: Config, log: Logger, running: RunningParts): Promise<string> {
  const embedded = await startEmbedded({ dataDir, log });
  running.add(embedded.stop);
  return embedded.nearUrl;
}

async function startApi(config: Config, overrides: Overrides, parts: Parts, running: RunningParts): Promise<string> {
  const sweep = () =>
    sweepIdempotencyKeys(parts.db).catch((err) => parts.log.warn({ err }, 'cannot sweep idempotency keys'));
  const timer = setInterval(sweep, SWEEP_MS);
  running.add(async () => clearInterval(timer));
  const { redisUrl, redisTimeoutMs } = config;
  const counters = redisUrl
    ? sharedCounters({ url: redisUrl, timeoutMs: redisTimeoutMs }, WINDOW_MS, parts.log)
    : undefined;
  const app = interfaces(config, overrides, { ...parts, counters });
  if (counters) running.add(counters.stop);
  await counters?.start();
  const { url, stop } = await listen(app, config);
  running.add(stop);
  return url;
}

/** All interfaces in one application. */
function interfaces(config: Config, overrides: Overrides, parts: Parts & Shared): Express {
  const { log, identity, worker, counters } = parts;
  const planning = overrides.planning ?? planningOf(config, log);
  const deps = { ...parts, planning, eraseAfterDays: config.eraseAfterDays };
  const limits = createLimits({
    publicPerHour: config.rateLimitPublicPerHour,
    accountPerHour: config.rateLimitAccountPerHour,
    operatorPerHour: config.rateLimitOperatorPerHour,
    storeFor: counters?.storeFor ?? overrides.supervised?.storeFor,
  });
  const router = {
    log,
    authenticate: identity.actorOfToken,
    limits,
    maxBody: config.bodyLimit,
    validateResponses: overrides.validateResponses ?? false,
    keys: parts.encryptionKeys,
    recordAudit,
  };
  const app = expressApp({ trustProxy: config.trustProxy, log });
  app.use(restRouter(deps, router));
  app.use(graphqlRouter(deps, { limits, maxBody: config.bodyLimit }));
  app.use(docsRouter({ rest: restSpec, operator: operatorSpec }));
  app.use(
    operatorRouter(
      { ...deps, endpoints: worker.endpoints },
      {
        ...router,
        authenticate: operatorAuthentication(parts),
        limits: { ...limits, byAccount: limits.operatorByAccount },
      },
    ),
  );
  app.use(unknownPath);
  app.use(errorHandler(log));
  return app;
}

function planningOf({ geocoderUrl, osrmUrl, vroomUrl }: Config, log: Logger): Planning {
  return createPlanning({
    log,
    ...(geocoderUrl ? { geocoderUrl } : {}),
    ...(osrmUrl ? { osrmUrl } : {}),
    ...(vroomUrl ? { vroomUrl } : {}),
  });
}

/** The internal listener outlives the API's, but says "not ready" from the moment a stop is requested. */
async function startProbes(config: Config, { supervised }: Overrides, { db, metrics }: Parts, running: RunningParts) {
  let stopping = false;
  const ready = async () => !stopping && (await sql`select 1`.execute(db)).rows.length === 1;
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
