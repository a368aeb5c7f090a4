import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashPassword, usePasswordCost, verifyPassword } from '../../src/accounts/passwords.js';
import { faultOf } from './accounts-fixtures.js';

// Sets the cost of production again, because other files of this worker may have changed it.
beforeAll(() => usePasswordCost());

describe('passwords', () => {
  test('are hashed by argon2id with the parameters that OWASP recommends', async () => {
    expect(await hashPassword('correct horse battery')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('have 8 to 128 characters, of any number of bytes', async () => {
    await expect(hashPassword('🐎'.repeat(128))).resolves.toBeDefined();
    for (const wrong of ['seven77', 'x'.repeat(129), '🐎'.repeat(7)]) {
      expect(await faultOf(hashPassword(wrong))).toEqual({ code: 'VALIDATION_ERROR', fields: ['password'] });
    }
  });

  test('are not cut off: the last of 128 characters counts', async () => {
    const hash = await hashPassword(`${'é'.repeat(127)}a`);
    expect(await verifyPassword(hash, `${'é'.repeat(127)}a`)).toBe(true);
    expect(await verifyPassword(hash, `${'é'.repeat(127)}b`)).toBe(false);
  });

  test('are refused with NUL or half a surrogate pair, which cannot be stored unchanged', async () => {
    for (const wrong of ['with \0 inside', 'half of a \ud83d horse']) {
      expect(await faultOf(hashPassword(wrong))).toEqual({ code: 'VALIDATION_ERROR', fields: ['password'] });
    }
  });

  test('are refused with UNAVAILABLE when too many wait, and hashing goes on', async () => {
    const flood = await Promise.all(Array.from({ length: 150 }, () => faultOf(hashPassword('correct horse battery'))));
    const codes = new Set(flood.map(({ code }) => code));
    expect(codes).toEqual(new Set(['none', 'UNAVAILABLE']));
    expect(await faultOf(hashPassword('correct horse battery'))).toEqual({ code: 'none', fields: [] });
  });
});
