import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { KeyRing } from '../../src/base/keys.js';
import { open, SealError, seal, sealedBy } from '../../src/base/seal.js';

const key = (id: string) => ({ id, secret: randomBytes(40) });
const old: KeyRing = [key('old')];
const ring: KeyRing = [key('new'), ...old];

describe('sealing', () => {
  test.each(['', 'senha: çã 🔒', 'x'.repeat(100_000)])('opens what was sealed, byte for byte', (plain) => {
    const sealed = seal(ring, plain, 'endpoint-1');
    expect(open(ring, sealed, 'endpoint-1').toString()).toBe(plain);
    expect(sealed.includes('senha')).toBe(false);
  });

  test('bytes are sealed as they are', () => {
    const plain = new Uint8Array(randomBytes(300).buffer, 0, 299);
    expect(Buffer.compare(open(ring, seal(ring, plain, 'a'), 'a'), plain)).toBe(0);
  });

  test('the same secret never looks the same twice', () => {
    expect(seal(ring, 'x', 'a').equals(seal(ring, 'x', 'a'))).toBe(false);
  });

  test('an older key of the ring opens, a removed one does not', () => {
    const sealed = seal(old, 'x', 'a');
    expect(open(ring, sealed, 'a').toString()).toBe('x');
    expect(() => open([ring[0]], sealed, 'a')).toThrow(SealError);
  });

  test('says by its first 34 bytes which key sealed', () => {
    const longest: KeyRing = [key('k'.repeat(32))];
    expect(sealedBy(seal(ring, 'x', 'a'))).toBe('new');
    expect(sealedBy(seal(longest, 'x', 'a').subarray(0, 34))).toBe('k'.repeat(32));
    expect(sealedBy(Buffer.from(''))).toBeUndefined();
    expect(sealedBy(Buffer.from('plain'))).toBeUndefined();
  });

  test('another secret under the same id does not open', () => {
    expect(() => open([key('new')], seal(ring, 'x', 'a'), 'a')).toThrow(SealError);
  });

  test('does not open for another owner', () => {
    expect(() => open(ring, seal(ring, 'x', 'endpoint-1'), 'endpoint-2')).toThrow(SealError);
  });

  test('every single altered byte is noticed', () => {
    const sealed = seal(ring, 'secret', 'a');
    for (let at = 0; at < sealed.length; at += 1) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => open(ring, altered, 'a')).toThrow(SealError);
    }
  });

  test('every truncation is noticed', () => {
    const sealed = seal(ring, 'secret', 'a');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(ring, sealed.subarray(0, length), 'a')).toThrow(SealError);
    }
  });
});
