import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/base/config.js';
import { developmentSecrets, secretsOf } from '../../src/base/secrets.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malote-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('development secrets', () => {
  test('are made once, kept, and readable by their owner only', async () => {
    const dataDir = join(folder, 'deep', 'er');
    const made = await developmentSecrets(dataDir);
    expect(await developmentSecrets(dataDir)).toEqual(made);
    expect(made.jwtKeys[0].secret).toHaveLength(32);
    expect(made.jwtKeys[0].secret.equals(made.encryptionKeys[0].secret)).toBe(false);
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  test('are the same for all who start together', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => developmentSecrets(folder)));
    expect(new Set(all.map(({ jwtKeys }) => jwtKeys[0].secret.toString('hex'))).size).toBe(1);
    expect(new Set(all.map(({ codeKeys }) => codeKeys[0].secret.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['code-keys.json', 'secrets.json']);
  });

  test('that an earlier version made stay, with the ring that they lack beside them', async () => {
    const { codeKeys: _, ...made } = await developmentSecrets(folder);
    await rm(join(folder, 'code-keys.json'));
    expect(await developmentSecrets(folder)).toMatchObject(made);
    expect((await stat(join(folder, 'code-keys.json'))).mode & 0o777).toBe(0o600);
  });

  test('a spoilt file is named, not replaced', async () => {
    await writeFile(join(folder, 'secrets.json'), '{"jwtKeys":');
    await expect(developmentSecrets(folder)).rejects.toThrow(`${folder}/secrets.json does not hold`);
  });

  test('give way to what is configured', async () => {
    const given = `a:${Buffer.alloc(32, 1).toString('base64')}`;
    const secrets = await secretsOf(loadConfig({ DATA_DIR: folder, JWT_KEYS: given }));
    expect(secrets.jwtKeys[0].id).toBe('a');
    expect(secrets.apiKeySecrets[0].id).toBe('dev');
  });

  test('are not made when all are configured', async () => {
    const given = `a:${Buffer.alloc(32, 1).toString('base64')}`;
    const rings = { JWT_KEYS: given, API_KEY_SECRETS: given, ENCRYPTION_KEYS: given, CODE_KEYS: given };
    await secretsOf(loadConfig({ DATA_DIR: folder, ...rings }));
    expect(await readdir(folder)).toEqual([]);
  });
});
