import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadConfig, readEnvironment } from '../../src/base/config.js';
import { newId } from '../../src/base/ids.js';
import { withSecretFiles } from '../../src/base/secrets/secret-files.js';
import { ownFolder } from '../support/folder.js';

const folder = await ownFolder();
const secret = Buffer.alloc(32, 7).toString('base64');

function fileOf(content: string): string {
  const path = join(folder, newId());
  writeFileSync(path, content);
  return path;
}

describe('a secret from a file', () => {
  test.each(['', '\n', '\r\n'])('is its content without the line break at its end (%j)', (end) => {
    const env = withSecretFiles({ REDIS_URL_FILE: fileOf(`redis://:p4ss@redis:6379${end}`), PORT: '3100' });
    expect(loadConfig(env)).toMatchObject({ redisUrl: 'redis://:p4ss@redis:6379', port: 3100 });
  });

  test('may be a ring of several keys, on lines of their own', () => {
    const env = withSecretFiles({ JWT_KEYS_FILE: fileOf(`a:${secret},\nb:${secret}\n`) });
    expect(loadConfig(env).jwtKeys).toHaveLength(2);
  });

  test("is read from the process's environment", () => {
    process.env['CODE_KEYS_FILE'] = fileOf(`a:${secret}`);
    try {
      expect(readEnvironment()['CODE_KEYS']).toBe(`a:${secret}`);
    } finally {
      delete process.env['CODE_KEYS_FILE'];
    }
  });

  test('is missing when the name of the file is empty', () => {
    expect(withSecretFiles({ JWT_KEYS_FILE: '', JWT_KEYS: '' })).toEqual({ JWT_KEYS_FILE: '', JWT_KEYS: '' });
  });

  test.each([
    [
      'is given beside the value',
      { JWT_KEYS: 'hidden' },
      'hidden',
      'JWT_KEYS_FILE must not be given together with JWT_KEYS',
    ],
    ['is empty', {}, '\n', 'JWT_KEYS_FILE names an empty file'],
  ])('is refused when it %s', (_, env, content, message) => {
    expect(() => withSecretFiles({ ...env, JWT_KEYS_FILE: fileOf(content) })).toThrow(new Error(message));
  });

  test.each([
    ['missing', join(folder, 'missing'), 'ENOENT'],
    ['a folder', folder, 'EISDIR'],
  ])('is refused when the file is %s, with the reason', (_, path, code) => {
    const message = `JWT_KEYS_FILE names a file that cannot be read (${code})`;
    expect(() => withSecretFiles({ JWT_KEYS_FILE: path })).toThrow(message);
  });
});
