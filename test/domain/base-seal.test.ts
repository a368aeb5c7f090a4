import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { open, SealError, seal, sealedBy } from '../../src/base/secrets/seal.js';

const key = (id: string) => ({ id, secret: randomBytes(40) });
const old: KeyRing = [key('old')];
const ring: KeyRing = [key('new'), ...old];

describe('sealing', () => {
  test.each(['', 'senha: çã 🔒', 'x'.repeat(100_000)])('opens what was sealed, byte for byte', (plain) => {
    const sealed = seal(ring, plain, 'endpoint-1');
    expect(open(ring, sealed, 'endpoint-1').toString()).toBe(plain);
    expect(sealed.includes('senha')).toBe(false);
  });

  test('keeps bytes unchanged', () => {
    const plain = new Uint8Array(randomBytes(300).buffer, 0, 299);
    expect(Buffer.compare(open(ring, seal(ring, plain, 'a'), 'a'), plain)).toBe(0);
  });

  test('makes different bytes of the same secret each time', () => {
    expect(seal(ring, 'x', 'a').equals(seal(ring, 'x', 'a'))).toBe(false);
  });

  test('opens with an older key of the ring, but not with a removed key, a wrong secret or another owner', () => {
    const sealed = seal(old, 'x', 'a');
    expect(open(ring, sealed, 'a').toString()).toBe('x');
    expect(() => open([ring[0]], sealed, 'a')).toThrow(SealError);
    expect(() => open([key('old')], sealed, 'a')).toThrow(SealError);
    expect(() => open(ring, sealed, 'b')).toThrow(SealError);
  });

  test('names the key in its first 34 bytes', () => {
    const longest: KeyRing = [key('k'.repeat(32))];
    expect(sealedBy(seal(ring, 'x', 'a'))).toBe('new');
    expect(sealedBy(seal(longest, 'x', 'a').subarray(0, 34))).toBe('k'.repeat(32));
    expect(sealedBy(Buffer.from(''))).toBeUndefined();
    expect(sealedBy(Buffer.from('plain'))).toBeUndefined();
  });

  test('detects every altered byte and every truncation', () => {
    const sealed = seal(ring, 'secret', 'a');
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      for (const wrong of [altered, sealed.subarray(0, at)]) expect(() => open(ring, wrong, 'a')).toThrow(SealError);
    }
  });
});
