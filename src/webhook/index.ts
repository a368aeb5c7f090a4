import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import type { Config } from '../base/config.js';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import { ConfigError } from '../base/settings.js';
import { type Sweep, unwatchedSweep } from '../base/sweep.js';
import type { Tracer } from '../base/tracing.js';
import type { Db } from '../db/connect.js';
import { type AddressRules, addressRules } from '../outbox/addresses.js';
import { createClaiming } from '../outbox/claim.js';
import { type DestinationRules, resolveName } from '../outbox/destination.js';
import { createFloors } from '../outbox/floors.js';
import { releaseLanes } from '../outbox/lanes.js';
import { recordResults } from '../outbox/record.js';
import { createBlame } from './blame.js';
import { createDispatcher } from './dispatcher.js';
import { createHttpClient, type Send } from './http-client.js';
import { createNames, type Names } from './lookup.js';
import { createMetrics } from './metrics.js';
import { nextDeliveries } from './next-deliveries.js';
import { createRoutes, ownFailureOf } from './own-failures.js';
import { createRecorder } from './recorder.js';
import { createOpenKeys, sendDelivery } from './request.js';
import { sharesOf, standardSettings, type WorkerSettings } from './settings.js';
import { createTroubles } from './troubles.js';
import { startUpkeep } from './upkeep.js';

/** Sends the notifications of interface C; any number of workers may share one database (the theory is in dispatcher.ts). */
export interface WebhookWorker {
  start(): void;
  /** Finishes what is under way within `stopMs`, then cuts it off; gives every lane back. */
  stop(): Promise<void>;
  /** Requests under way. */
  underWay(): number;
  /** What of this process's own keeps it from sending, in words; empty when nothing does. */
  troubles(): string[];
}

interface WorkerParts {
  db: Db;
  log: Logger;
  config: Pick<
    Config,
    | 'webhookAllowCidrs'
    | 'webhookExtraCa'
    | 'webhookPorts'
    | 'webhookConcurrency'
    | 'webhookAccountConcurrency'
    | 'retentionAttemptsDays'
    | 'retentionDeliveriesDays'
    | 'retentionDeadLettersDays'
    | 'shutdownSeconds'
  >;
  /** Seals and opens the endpoints' secrets. */
  encryptionKeys: KeyRing;
  metrics: Registry;
  runSweep?: Sweep;
  tracer?: Tracer | undefined;
  mayWork?: () => boolean;
}

/** A worker, and what interface D needs to register endpoints for it. */
export interface ConfiguredWorker extends WebhookWorker {
  endpoints: { encryptionKeys: KeyRing; destinations: DestinationRules };
}

/** Throws ConfigError when WEBHOOK_EXTRA_CA is not a file of certificates. Sends nothing until `start`. */
export async function createWorkerFromConfig(parts: WorkerParts): Promise<ConfiguredWorker> {
  const { config, metrics: registry, ...others } = parts;
  const addresses = addressRules(config.webhookAllowCidrs, config.webhookPorts);
  const extraCa = await readCa(config.webhookExtraCa);
  const ca = extraCa === undefined ? {} : { extraCa };
  const settings = {
    ...sharesOf(config.webhookConcurrency),
    accountConcurrency: config.webhookAccountConcurrency,
    retention: {
      attempts: config.retentionAttemptsDays,
      deliveries: config.retentionDeliveriesDays,
      deadLetters: config.retentionDeadLettersDays,
    },
    // The rest is for giving back what is cut off.
    stopMs: 900 * config.shutdownSeconds,
  };
  const worker = createWorker({ ...others, addresses, ...ca, registry, settings });
  return {
    ...worker,
    endpoints: { encryptionKeys: parts.encryptionKeys, destinations: { addresses, resolve: resolveName } },
  };
}

async function readCa(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    const pem = await readFile(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    throw new ConfigError(`WEBHOOK_EXTRA_CA must be the path of a readable PEM file of certificates`);
  }
}

export interface WorkerOptions {
  db: Db;
  log: Logger;
  /** Opens the endpoints' secrets. */
  encryptionKeys: KeyRing;
  /** Where webhooks may go. */
  addresses: AddressRules;
  /** PEM of authorities that are trusted besides the public ones. */
  extraCa?: string;
  registry?: Registry;
  /** Runs the chores beside sending. */
  runSweep?: Sweep;
  tracer?: Tracer | undefined;
  settings?: Partial<WorkerSettings>;
  /** Used instead of the HTTP client. */
  send?: Send;
  /** Used instead of the system's name servers. */
  names?: Names;
  /** False while all lanes are to be left to other workers. */
  mayWork?: () => boolean;
}

export function createWorker(options: WorkerOptions): WebhookWorker {
  const { db, log, encryptionKeys, addresses, extraCa, registry = new Registry(), tracer } = options;
  const { runSweep = unwatchedSweep, mayWork = () => true } = options;
  const settings = { ...standardSettings, ...options.settings };
  const metrics = createMetrics(registry);
  const { names = createNames(addresses) } = options;
  const routes = createRoutes();
  const ca = extraCa === undefined ? {} : { extraCa };
  const client = createHttpClient({ ...settings, addresses, ...ca, lookup: names.lookup, reached: routes.reached });
  const { send = client.send } = options;
  const troubles = createTroubles({ log, metrics });
  const keys = createOpenKeys(encryptionKeys);
  const sending = { keys, send, ownFailureOf: ownFailureOf.bind(undefined, { names, routes }) };
  const floors = createFloors();
  const blame = createBlame(troubles);
  const dispatcher = createDispatcher({
    claim: createClaiming(db),
    nextDeliveries: (claims) => nextDeliveries({ db, floors, log, blame }, claims),
    mayWork,
    send: (...delivery) => sendDelivery(sending, ...delivery),
    recorder: createRecorder((results) => recordResults(db, results, floors), log),
    release: (claims, pauseMs) => releaseLanes(db, claims, 'ready', pauseMs),
    troubles,
    settings,
    metrics,
    log,
    tracer,
    random: Math.random,
  });
  let endUpkeep: (() => Promise<void>) | undefined;
  let stopped: Promise<void> | undefined;
  return {
    start: () => {
      if (endUpkeep) return;
      dispatcher.start();
      endUpkeep = startUpkeep({ db, log, runSweep, settings, encryptionKeys, keys, troubles });
    },
    stop: () => {
      stopped ??= Promise.all([dispatcher.stop(), endUpkeep?.()]).then(client.close);
      return stopped;
    },
    underWay: dispatcher.underWay,
    troubles: troubles.now,
  };
}
