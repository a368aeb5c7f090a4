import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isFields } from '../values.js';
import { readOrCreate } from './read-or-create.js';

/** A named secret of at least 32 bytes. */
export interface Key {
  id: string;
  secret: Buffer;
}

/** A ring of keys. The first key signs and seals; every key verifies and opens. */
export type KeyRing = readonly [Key, ...Key[]];

const KEY_ID = /^[A-Za-z0-9._-]{1,32}$/;
const MINIMUM_BYTES = 32;

/** Reads `id:base64,id:base64`. Throws an Error that shows no part of the text, which may be a secret. */
export function parseKeyRing(text: string): KeyRing {
  const [first, ...others] = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  if (!first) throw new Error('needs at least one key');
  const ids = [first, ...others].map((key) => key.id);
  if (new Set(ids).size < ids.length) throw new Error('names two keys alike');
  return [first, ...others];
}

function parseKey(entry: string, place: number): Key {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, colon);
  if (colon < 1 || !KEY_ID.test(id)) {
    throw new Error(`key ${place}: is not id:base64 with an id of 1 to 32 letters, digits, '.', '_' or '-'`);
  }
  const secret = decode(entry.slice(colon + 1));
  if (!secret) throw new Error(`key ${place}: its secret is not base64`);
  if (secret.length < MINIMUM_BYTES) throw new Error(`key ${place}: its secret has less than ${MINIMUM_BYTES} bytes`);
  return { id, secret };
}

/** Buffer.from skips characters that are not base64. So the bytes are encoded again and compared with the text. */
function decode(text: string): Buffer | undefined {
  const bare = text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(bare, 'base64url');
  return bytes.toString('base64url') === bare ? bytes : undefined;
}

export type KeyRings = Record<'jwtKeys' | 'apiKeySecrets' | 'encryptionKeys' | 'codeKeys', KeyRing>;

export type ConfiguredRings = { [Name in keyof KeyRings]: KeyRing | undefined };

/**
 * The configured rings. Outside production, missing rings are generated once, into two files of `dataDir` (mode 0600).
 */
export async function keyRingsOf(config: ConfiguredRings & { dataDir: string }): Promise<KeyRings> {
  const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = config;
  if (jwtKeys && apiKeySecrets && encryptionKeys && codeKeys) {
    return { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys };
  }
  const ring = await ringsIn(join(config.dataDir, 'secrets.json'), ['jwtKeys', 'apiKeySecrets', 'encryptionKeys']);
  // In a data directory of an earlier release, the first file lacks this ring.
  const codeRing = await ringsIn(join(config.dataDir, 'code-keys.json'), ['codeKeys']);
  return {
    jwtKeys: jwtKeys ?? ring('jwtKeys'),
    apiKeySecrets: apiKeySecrets ?? ring('apiKeySecrets'),
    encryptionKeys: encryptionKeys ?? ring('encryptionKeys'),
    codeKeys: codeKeys ?? codeRing('codeKeys'),
  };
}

async function ringsIn(path: string, names: readonly (keyof KeyRings)[]): Promise<(name: keyof KeyRings) => KeyRing> {
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

function ringOf(file: unknown, name: string): KeyRing {
  const text = isFields(file) ? file[name] : undefined;
  if (typeof text !== 'string') throw new Error(`lacks ${name}`);
  return parseKeyRing(text);
}
