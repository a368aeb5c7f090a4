import { describe, expect, test } from '@jest/globals';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { createTrackingLinks } from '../../src/packages/tracking-links.js';

const key = (id: string, byte: number) => ({ id, secret: Buffer.alloc(32, byte) });
const old = key('2025', 1);
const ring: KeyRing = [key('2026', 2), old];

const URL_OF_SERVICE = 'https://malote.example';
const links = createTrackingLinks(URL_OF_SERVICE, ring);
const LOGGI_KEY = '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53';

const tokenOf = (trackingLink = 0, of = links, loggiKey = LOGGI_KEY, view: 'recipient' | 'public' = 'recipient') =>
  of.urlOf({ loggiKey, trackingLink }, view)?.slice(`${URL_OF_SERVICE}/t/`.length) ?? '';

/** True if the token is no link of a package. */
const isUnknown = (token: string, of = links): boolean => of.read(token) === undefined;

test('a link is the address of the service, /t/ and a token that needs no escaping in a path or QR code', () => {
  expect(links.urlOf({ loggiKey: LOGGI_KEY, trackingLink: 0 })).toMatch(/^https:\/\/malote\.example\/t\/[\w-]{52}$/);
});

test('a package and a key always give the same link', () => {
  expect(tokenOf()).toBe(tokenOf(0, createTrackingLinks(URL_OF_SERVICE, [key('2026', 2)])));
  expect(tokenOf()).toBe('FQAAAAAAAKzEblFOU1-aXK-l--IAXcW9w1Za3360ieR79kG_AOqA');
});

test('a package whose link is revoked has no link', () => {
  expect(links.urlOf({ loggiKey: LOGGI_KEY, trackingLink: null })).toBeUndefined();
});

test.each([0, 1, 77_000, 2 ** 31 - 1])('the token of link %i can be read back', (number) => {
  expect(links.read(tokenOf(number))).toEqual({ loggiKey: LOGGI_KEY, number, view: 'recipient' });
});

test('the public view has its own token, made by its own keys', () => {
  const [own, open] = [tokenOf(3), tokenOf(3, links, LOGGI_KEY, 'public')];
  expect(open).toMatch(/^[\w-]{52}$/);
  expect(links.read(open)).toEqual({ loggiKey: LOGGI_KEY, number: 3, view: 'public' });
  const bytes = (token: string) => Buffer.from(token, 'base64url');
  // Equal: the name of the key, the mark and the number. Different: the package's key and the code.
  expect(bytes(open).subarray(0, 7)).toEqual(bytes(own).subarray(0, 7));
  for (const [from, to] of [
    [7, 23],
    [23, 39],
  ] as const) {
    expect(bytes(open).subarray(from, to)).not.toEqual(bytes(own).subarray(from, to));
    const mixed = bytes(own);
    bytes(open).copy(mixed, from, from, to);
    expect(isUnknown(mixed.toString('base64url'))).toBe(true);
  }
});

test('a token shows neither the key of its package nor a common part with packages of the same order', () => {
  const neighbour = '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b54';
  const hex = (token: string) => Buffer.from(token, 'base64url').toString('hex');
  const [one, other] = [hex(tokenOf()), hex(tokenOf(0, links, neighbour))];
  const plain = LOGGI_KEY.replaceAll('-', '');
  for (let at = 0; at + 6 <= plain.length; at += 1) expect(one).not.toContain(plain.slice(at, at + 6));
  // These characters come after the name of the key, the mark and the number of the link.
  expect(one.slice(14, 22)).not.toBe(other.slice(14, 22));
  expect(one.slice(46, 54)).not.toBe(other.slice(46, 54));
});

describe('keys', () => {
  const before = createTrackingLinks(URL_OF_SERVICE, [old]);

  test('a link of a former key is valid while that key is in the ring', () => {
    const token = tokenOf(0, before);
    expect(token).not.toBe(tokenOf());
    expect(links.read(token)).toEqual({ loggiKey: LOGGI_KEY, number: 0, view: 'recipient' });
    expect(isUnknown(token, createTrackingLinks(URL_OF_SERVICE, [key('2026', 2)]))).toBe(true);
    expect(links.read(tokenOf(0, before, LOGGI_KEY, 'public'))?.view).toBe('public');
  });

  test('another secret under the same name reads no token', () => {
    expect(isUnknown(tokenOf(), createTrackingLinks(URL_OF_SERVICE, [key('2026', 3)]))).toBe(true);
  });
});

test('other texts are no tokens', () => {
  const token = tokenOf();
  for (let at = 0; at < token.length; at += 1) {
    const altered = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    expect(isUnknown(altered)).toBe(true);
  }
  const others = ['', token.slice(1), `${token}A`, `${token}=`, ` ${token}`, token.replace(/./, '.'), 'A'.repeat(52)];
  for (const other of [...others, LOGGI_KEY, `${token}\n`]) expect(isUnknown(other)).toBe(true);
});
