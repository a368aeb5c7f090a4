import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Registry } from 'prom-client';
import { type Sweep, unwatchedSweep } from '../base/background.js';
import type { Config } from '../base/config.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { ConfigError } from '../base/settings.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Tracer } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import { type AddressRules, addressRules } from '../endpoints/addresses.js';
import { type DestinationRules, resolveName } from '../endpoints/destination.js';
import { createClaiming } from '../queue/claim.js';
import { createFloors } from '../queue/floors.js';
import { releaseLanes } from '../queue/lanes.js';
import { recordResults } from '../queue/record.js';
import { createDispatcher } from './dispatcher.js';
import { createHttpClient, type Send } from './http-client.js';
import { createNames, type Names } from './lookup.js';
import { createMetrics } from './metrics.js';
import { nextDeliveries } from './next-deliveries.js';
import { createRoutes, ownFailureOf } from './own-failures.js';
import { createRecorder } from './recorder.js';
import { createOpenKeys, sendDelivery } from './request.js';
import { sharesOf, standardSettings, type WorkerSettings } from './settings.js';
import { createBlame, createTroubles } from './troubles.js';
import { startUpkeep } from './upkeep.js';

export interface WebhookWorker {
  start(): void;
  /** Waits up to `stopMs` for running attempts, then cuts them off. Gives every lane back. */
  stop(): Promise<void>;
  underWay(): number;
  /** The reasons of this machine that keep it from sending, in words. */
  troubles(): string[];
}

/**
 * Creates a worker from the configuration, and the rules by which D registers endpoints. Throws ConfigError if
 * WEBHOOK_EXTRA_CA is not a file of certificates.
 */
export async function createWorkerFromConfig(
  config: Config,
  parts: Omit<WorkerOptions, 'addresses' | 'extraCa' | 'settings'>,
) {
  const addresses = addressRules(config.webhookAllowCidrs, config.webhookPorts);
  const extraCa = await readCa(config.webhookExtraCa);
  const settings = {
    ...sharesOf(config.webhookConcurrency),
    accountConcurrency: config.webhookAccountConcurrency,
    retention: {
      attempts: config.retentionAttemptsDays,
      deliveries: config.retentionDeliveriesDays,
      deadLetters: config.retentionDeadLettersDays,
    },
    // The rest of the time is for giving back the lanes of requests that were cut off.
    stopMs: 900 * config.shutdownSeconds,
  };
  const worker = createWorker({ ...parts, addresses, extraCa, settings });
  const destinations: DestinationRules = { addresses, resolve: resolveName };
  return { ...worker, endpoints: { encryptionKeys: parts.encryptionKeys, destinations } };
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
  encryptionKeys: KeyRing;
  addresses: AddressRules;
  extraCa?: string | undefined;
  registry?: Registry;
  runSweep?: Sweep;
  tracer?: Tracer | undefined;
  settings?: Partial<WorkerSettings>;
  send?: Send;
  names?: Names;
  /** False while this process must leave all lanes to other workers. */
  mayWork?: () => boolean;
}

/**
 * Creates a worker, which sends the notifications of interface C after `start`. Any number of workers may share one
 * database (theory: dispatcher.ts).
 */
export function createWorker(options: WorkerOptions): WebhookWorker {
  const { db, log, encryptionKeys, addresses, extraCa, registry = new Registry(), tracer } = options;
  const { runSweep = unwatchedSweep, mayWork = () => true, names = createNames(addresses) } = options;
  const settings = { ...standardSettings, ...options.settings };
  const metrics = createMetrics(registry);
  const routes = createRoutes();
  const client = createHttpClient({ ...settings, addresses, extraCa, lookup: names.lookup, reached: routes.reached });
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
    start: (): void => {
      if (endUpkeep) return;
      dispatcher.start();
      endUpkeep = startUpkeep({ db, log, runSweep, settings, encryptionKeys, keys, troubles });
    },
    stop: (): Promise<void> => {
      stopped ??= Promise.all([dispatcher.stop(), endUpkeep?.()]).then(client.close);
      return stopped;
    },
    underWay: dispatcher.underWay,
    troubles: troubles.now,
  };
}
