import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.js';
import { readOrCreate } from './files.js';
import { type KeyRing, parseKeyRing } from './keys.js';

export interface Secrets {
  jwtKeys: KeyRing;
  apiKeySecrets: KeyRing;
  encryptionKeys: KeyRing;
  codeKeys: KeyRing;
}

/** The configured rings; outside production, those that are not configured are generated once and kept. */
export async function secretsOf(config: Config): Promise<Secrets> {
  const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = config;
  if (jwtKeys && apiKeySecrets && encryptionKeys && codeKeys) {
    return { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys };
  }
  const kept = await developmentSecrets(config.dataDir);
  return {
    jwtKeys: jwtKeys ?? kept.jwtKeys,
    apiKeySecrets: apiKeySecrets ?? kept.apiKeySecrets,
    encryptionKeys: encryptionKeys ?? kept.encryptionKeys,
    codeKeys: codeKeys ?? kept.codeKeys,
  };
}

/** The rings of two files of `dataDir` (mode 0600), which are made on first use. */
export async function developmentSecrets(dataDir: string): Promise<Secrets> {
  const ring = await ringsIn(join(dataDir, 'secrets.json'), ['jwtKeys', 'apiKeySecrets', 'encryptionKeys']);
  // A directory of an earlier version has the first file without this ring.
  const codeRing = await ringsIn(join(dataDir, 'code-keys.json'), ['codeKeys']);
  return {
    jwtKeys: ring('jwtKeys'),
    apiKeySecrets: ring('apiKeySecrets'),
    encryptionKeys: ring('encryptionKeys'),
    codeKeys: codeRing('codeKeys'),
  };
}

type RingName = keyof Secrets;

async function ringsIn(path: string, names: readonly RingName[]): Promise<(name: RingName) => KeyRing> {
  const fresh = () => Object.fromEntries(names.map((name) => [name, `dev:${randomBytes(32).toString('base64url')}`]));
  const text = await readOrCreate(path, () => JSON.stringify(fresh(), null, 2));
  return (name) => {
    try {
      return ringOf(JSON.parse(text), name);
    } catch (cause) {
      throw new Error(`${path} does not hold the generated secrets; delete it to have new ones`, { cause });
    }
  };
}

function ringOf(file: unknown, name: RingName): KeyRing {
  const text: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, name) : undefined;
  if (typeof text !== 'string') throw new Error(`lacks ${name}`);
  return parseKeyRing(text);
}
