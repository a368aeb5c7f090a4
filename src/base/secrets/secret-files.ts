import { readFileSync } from 'node:fs';
import { ConfigError } from '../settings.js';

/** Settings whose values are secrets. */
const secretSettings = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'JWT_KEYS',
  'API_KEY_SECRETS',
  'ENCRYPTION_KEYS',
  'CODE_KEYS',
  'OPERATOR_PASSWORD',
  'OPERATOR_KEY',
  'MALOTE_PASSWORD',
  'MALOTE_CLIENT_SECRET',
  'WEBHOOK_PASSWORD',
  'WEBHOOK_SECRET',
];

const fileSetting = (name: string): string => `${name}_FILE`;

/** Settings that name a file with the value of a secret setting. */
export const secretFileNames = secretSettings.map(fileSetting);

/**
 * Reads secrets that are given as files, such as `JWT_KEYS_FILE=/run/secrets/jwt-keys`. Line breaks at the end of a
 * file do not count. Throws ConfigError if a file cannot be read, or if the value is given, too.
 */
export function withSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const values = secretSettings.flatMap((name) => {
    const path = env[fileSetting(name)];
    return path ? [[name, secretIn(env, name, path)] as const] : [];
  });
  return { ...env, ...Object.fromEntries(values) };
}

function secretIn(env: NodeJS.ProcessEnv, name: string, path: string): string {
  const setting = fileSetting(name);
  if (env[name]) throw new ConfigError(`${setting} must not be given together with ${name}`);
  try {
    const value = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '');
    if (value === '') throw new ConfigError(`${setting} names an empty file`);
    return value;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new ConfigError(`${setting} names a file that cannot be read (${code})`);
  }
}
