import { describe, expect, test } from '@jest/globals';
import { addressRefusal, addressRules, dialledHost, urlRefusal } from '../../src/endpoints/addresses.js';
import { checkDestination } from '../../src/endpoints/destination.js';

const strict = addressRules([], [443, 8443]);

// Spellings of inner addresses, as the URL standard reads them.
const INNER_ADDRESSES = `
  127.0.0.1 127.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 0.0.0.0 0
  10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 169.254.169.254 169.254.1.1 100.64.0.1
  100.100.100.200 168.63.129.16 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255
  [::] [::1] [::127.0.0.1] [::7f00:1] [::a00:1] [::ffff:127.0.0.1] [::ffff:a9fe:a9fe] [0:0:0:0:0:ffff:7f00:1]
  [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::1]
  [fe80::1] [febf::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1] [2001:db8::1] [3fff::1]
  [2606:4700::5efe:7f00:1] [2606:4700::200:5efe:a00:1] [4000::1]`;

describe('inner addresses are refused in every spelling', () => {
  test.each(INNER_ADDRESSES.trim().split(/\s+/))('%s', (host) => {
    const url = `https://${host}/hook`;
    expect(urlRefusal(strict, url)).toMatch(/not a public address/);
    expect(addressRefusal(strict, dialledHost(new URL(url)))).toBeDefined();
  });
});

test('public addresses are allowed', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1']) {
    expect(addressRefusal(strict, address)).toBeUndefined();
  }
});

test('inner addresses that the settings allow are allowed in their own family only', () => {
  const rules = addressRules(['127.0.0.0/8', 'fd00::/8', '10.1.2.3'], [443]);
  const refused = ['127.0.0.1', 'fd00::1', '10.1.2.3', '10.1.2.4', '::1', '::ffff:127.0.0.1'].map(
    (address) => addressRefusal(rules, address) !== undefined,
  );
  expect(refused).toEqual([false, false, false, true, true, true]);
  expect(() => addressRules(['10.0.0.0/33'], [443])).toThrow();
});

describe('a URL is refused with the reason', () => {
  test.each([
    ['http://example.com/', 'must begin with https://'],
    ['ftp://example.com/', 'must begin with https://'],
    ['example.com/hook', 'is not a URL'],
    ['https://', 'is not a URL'],
    ['https://user:pass@example.com/', 'must not contain a user name or password'],
    ['https://user@example.com/', 'must not contain a user name or password'],
    ['https://example.com/#part', 'must not contain a fragment'],
    ['https://example.com:80/', 'must use one of the ports 443, 8443'],
    ['https://example.com:22/', 'must use one of the ports 443, 8443'],
    [' https://example.com/', 'must not contain spaces or control characters'],
    ['https://exa\tmple.com/', 'must not contain spaces or control characters'],
    [`https://example.com/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
    ['https://localhost/', 'localhost is a name of the local network'],
    ['https://db.internal/', 'db.internal is a name of the local network'],
    ['https://printer.local./', 'printer.local. is a name of the local network'],
  ])('%s', (url, reason) => {
    expect(urlRefusal(strict, url)).toBe(reason);
  });

  test('a usable endpoint is not refused', () => {
    for (const rest of ['example.com/hook?a=1', 'example.com:8443', 'xn--caf-dma.example/', '8.8.8.8/'])
      expect(urlRefusal(strict, `https://${rest}`)).toBeUndefined();
  });
});

describe('a destination', () => {
  const input = { url: 'https://example.com/hook', username: 'malote', password: 's3cr3t' };
  const check = (resolved: readonly string[] | 'unknown', more: Partial<typeof input> = {}) =>
    checkDestination({ addresses: strict, resolve: async () => resolved }, { ...input, ...more });

  test('is accepted if its name leads to a public address', async () => {
    expect((await check(['8.8.8.8', '2606:4700::1'])).url.href).toBe('https://example.com/hook');
    expect((await check('unknown')).username).toBe('malote');
  });

  test.each([
    ['url', ['127.0.0.1'], {}],
    ['url', ['8.8.8.8', '10.0.0.1'], {}],
    ['url', ['::ffff:10.0.0.1'], {}],
    ['url', [], {}],
    ['username', ['8.8.8.8'], { username: 'a:b' }],
    ['username', ['8.8.8.8'], { username: '' }],
    ['password', ['8.8.8.8'], { password: 'a\nb' }],
    ['password', ['8.8.8.8'], { password: 'x'.repeat(256) }],
  ])('is refused for its %s', async (field, resolved, more) => {
    await expect(check(resolved, more)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  test('names every wrong field at once', async () => {
    const wrong = check([], { url: 'http://x', username: 'a:b', password: '\0' });
    const details = ['url', 'username', 'password'].map((field) => ({ field }));
    await expect(wrong).rejects.toMatchObject({ details });
  });
});
