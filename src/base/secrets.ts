import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.js';
import { readOrCreate } from './files.js';
import { type KeyRing, parseKeyRing } from './keys.js';

export interface Secrets {
  jwtKeys: KeyRing;
  apiKeySecrets: KeyRing;
  encryptionKeys: KeyRing;
}

/** The configured rings; outside production, those that are not configured are generated once and kept. */
export async function secretsOf(config: Config): Promise<Secrets> {
  const { jwtKeys, apiKeySecrets, encryptionKeys } = config;
  if (jwtKeys && apiKeySecrets && encryptionKeys) return { jwtKeys, apiKeySecrets, encryptionKeys };
  const kept = await developmentSecrets(config.dataDir);
  return {
    jwtKeys: jwtKeys ?? kept.jwtKeys,
    apiKeySecrets: apiKeySecrets ?? kept.apiKeySecrets,
    encryptionKeys: encryptionKeys ?? kept.encryptionKeys,
  };
}

/** The rings of `dataDir/secrets.json` (mode 0600), which is made on first use. */
export async function developmentSecrets(dataDir: string): Promise<Secrets> {
  const path = join(dataDir, 'secrets.json');
  const text = await readOrCreate(path, () => JSON.stringify(freshRings(), null, 2));
  try {
    const file: unknown = JSON.parse(text);
    return {
      jwtKeys: ringOf(file, 'jwtKeys'),
      apiKeySecrets: ringOf(file, 'apiKeySecrets'),
      encryptionKeys: ringOf(file, 'encryptionKeys'),
    };
  } catch (cause) {
    throw new Error(`${path} does not hold the generated secrets; delete it to have new ones`, { cause });
  }
}

function freshRings(): Record<keyof Secrets, string> {
  const ring = () => `dev:${randomBytes(32).toString('base64url')}`;
  return { jwtKeys: ring(), apiKeySecrets: ring(), encryptionKeys: ring() };
}

function ringOf(file: unknown, name: keyof Secrets): KeyRing {
  const text: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, name) : undefined;
  if (typeof text !== 'string') throw new Error(`lacks ${name}`);
  return parseKeyRing(text);
}
