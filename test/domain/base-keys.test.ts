import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/base/config.js';
import { keyRingsOf } from '../../src/base/secrets/keys.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malote-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const generatedIn = (dataDir: string) => keyRingsOf(loadConfig({ DATA_DIR: dataDir }));

describe('generated key rings', () => {
  test('are generated once, stored, and readable by their owner only', async () => {
    const dataDir = join(folder, 'deep', 'er');
    const first = await generatedIn(dataDir);
    expect(await generatedIn(dataDir)).toEqual(first);
    expect(first.jwtKeys[0].secret).toHaveLength(32);
    expect(first.jwtKeys[0].secret.equals(first.encryptionKeys[0].secret)).toBe(false);
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  test('are the same for all processes that start together', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => generatedIn(folder)));
    expect(new Set(all.map(({ jwtKeys }) => jwtKeys[0].secret.toString('hex'))).size).toBe(1);
    expect(new Set(all.map(({ codeKeys }) => codeKeys[0].secret.toString('hex'))).size).toBe(1);
    expect(await readdir(folder)).toEqual(['code-keys.json', 'secrets.json']);
  });

  test('stay when an earlier release made them, and a missing ring is added', async () => {
    const { codeKeys: _, ...others } = await generatedIn(folder);
    await rm(join(folder, 'code-keys.json'));
    expect(await generatedIn(folder)).toMatchObject(others);
    expect((await stat(join(folder, 'code-keys.json'))).mode & 0o777).toBe(0o600);
  });

  test('are not replaced when their file is damaged: the error names the file', async () => {
    await writeFile(join(folder, 'secrets.json'), '{"jwtKeys":');
    await expect(generatedIn(folder)).rejects.toThrow(`${folder}/secrets.json does not hold`);
  });

  test('are replaced by configured key rings', async () => {
    const configured = `a:${Buffer.alloc(32, 1).toString('base64')}`;
    const secrets = await keyRingsOf(loadConfig({ DATA_DIR: folder, JWT_KEYS: configured }));
    expect(secrets.jwtKeys[0].id).toBe('a');
    expect(secrets.apiKeySecrets[0].id).toBe('dev');
  });

  test('are not generated when all are configured', async () => {
    const configured = `a:${Buffer.alloc(32, 1).toString('base64')}`;
    const rings = {
      JWT_KEYS: configured,
      API_KEY_SECRETS: configured,
      ENCRYPTION_KEYS: configured,
      CODE_KEYS: configured,
    };
    await keyRingsOf(loadConfig({ DATA_DIR: folder, ...rings }));
    expect(await readdir(folder)).toEqual([]);
  });
});
