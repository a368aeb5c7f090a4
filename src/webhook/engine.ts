import { Registry } from 'prom-client';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import type { Db } from '../db/connect.js';
import type { AddressRules } from '../deliveries/addresses.js';
import { claimLanes } from '../deliveries/claim.js';
import { recordResults } from '../deliveries/record.js';
import { releaseLanes } from '../deliveries/release.js';
import { openSecrets } from '../deliveries/secrets.js';
import { createDispatcher } from './dispatcher.js';
import type { Load } from './load.js';
import { loadBodies } from './load-bodies.js';
import { createMetrics } from './metrics.js';
import { createRecorder } from './recorder.js';
import { withoutCredentials } from './redact.js';
import { toRequest } from './request.js';
import { createHttpSender, type Send, type Sent } from './sender.js';
import { type SenderSettings, standardSettings } from './settings.js';
import { startUpkeep } from './upkeep.js';

export interface EngineOptions {
  db: Db;
  log: Logger;
  /** Opens the endpoints' secrets. */
  encryptionKeys: KeyRing;
  /** Where webhooks may go: from `addressRules` of WEBHOOK_ALLOW_CIDRS and WEBHOOK_PORTS. */
  addresses: AddressRules;
  /** PEM text of authorities that are trusted besides the public ones. */
  extraCa?: string;
  registry?: Registry;
  settings?: Partial<SenderSettings>;
  /** Stands in for the network. */
  send?: Send;
}

export interface WebhookSender {
  start(): void;
  /** Finishes what is under way within `stopMs`, then cuts it off; gives every lane back. */
  stop(): Promise<void>;
  /** Requests under way. */
  underWay(): number;
}

/** A sender of notifications; any number of them may work on one database (the theory is in dispatcher.ts). */
export function createEngine(options: EngineOptions): WebhookSender {
  const { db, log, encryptionKeys, addresses, extraCa, registry = new Registry() } = options;
  const settings = { ...standardSettings, ...options.settings };
  const metrics = createMetrics(registry);
  const network = createHttpSender({ ...settings, addresses, ...(extraCa !== undefined && { extraCa }) });
  const post = options.send ?? network.send;
  const dispatcher = createDispatcher({
    claim: (limits) => claimLanes(db, limits),
    load: (claims) => loadBodies({ db, log }, claims),
    send: (load, sentAt, signal) => sendLoad(encryptionKeys, post, load, sentAt, signal),
    recorder: createRecorder((results) => recordResults(db, results), log),
    release: (claims) => releaseLanes(db, claims, 'ready'),
    settings,
    metrics,
    log,
    random: Math.random,
  });
  let endUpkeep: (() => Promise<void>) | undefined;
  return {
    start: () => {
      if (endUpkeep) return;
      dispatcher.start();
      endUpkeep = startUpkeep({ db, log, metrics, settings });
    },
    stop: async () => {
      await Promise.all([dispatcher.stop(), endUpkeep?.()]);
      network.close();
    },
    underWay: dispatcher.underWay,
  };
}

/** Secrets that cannot be opened are a failure of that endpoint, on its schedule, and of no other. */
async function sendLoad(ring: KeyRing, post: Send, load: Load, sentAt: Date, signal: AbortSignal): Promise<Sent> {
  const { url, username, ...sealed } = load.claim.endpoint;
  try {
    const secrets = openSecrets(ring, sealed);
    const request = toRequest({ ...load, url, username, secrets, sentAt });
    return withoutCredentials(await post(request, signal), request, secrets);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    return {
      outcome: { kind: 'not_sent', error: `the endpoint's secrets do not open: ${reason}`, durationMs: 0 },
      reused: false,
    };
  }
}
