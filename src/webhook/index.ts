import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Registry } from 'prom-client';
import type { Config } from '../base/config.js';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import { ConfigError } from '../base/settings.js';
import type { Db } from '../db/connect.js';
import { addressRules } from '../deliveries/addresses.js';
import type { DestinationRules } from '../deliveries/destination.js';
import { type Resolve, resolveName } from '../deliveries/resolve.js';
import { createEngine, type WebhookSender } from './engine.js';
import { type SenderSettings, sharesOf } from './settings.js';

export interface SenderParts {
  db: Db;
  log: Logger;
  config: Pick<
    Config,
    'webhookAllowCidrs' | 'webhookExtraCa' | 'webhookPorts' | 'webhookConcurrency' | 'webhookAccountConcurrency'
  >;
  /** Seals and opens the endpoints' secrets. */
  encryptionKeys: KeyRing;
  metrics: Registry;
  settings?: Partial<SenderSettings>;
  resolve?: Resolve;
}

/** Interface C: the sender, and what the operator's door needs to register endpoints for it. */
export interface Sender extends WebhookSender {
  endpoints: { encryptionKeys: KeyRing; destinations: DestinationRules };
}

/** Throws ConfigError when WEBHOOK_EXTRA_CA is not a file of certificates. Sends nothing until `start`. */
export async function createSender(parts: SenderParts): Promise<Sender> {
  const { db, log, config, encryptionKeys, metrics: registry, resolve = resolveName } = parts;
  const addresses = addressRules(config.webhookAllowCidrs, config.webhookPorts);
  const extraCa = await readCa(config.webhookExtraCa);
  const ca = extraCa === undefined ? {} : { extraCa };
  const places = { ...sharesOf(config.webhookConcurrency), accountConcurrency: config.webhookAccountConcurrency };
  const settings = { ...places, ...parts.settings };
  const engine = createEngine({ db, log, encryptionKeys, addresses, ...ca, registry, settings });
  return { ...engine, endpoints: { encryptionKeys, destinations: { addresses, resolve } } };
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
