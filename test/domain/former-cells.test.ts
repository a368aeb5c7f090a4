import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { Account } from '../../src/accounts/account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { codeMaker, createCodeSource } from '../../src/packages/codes.js';
import { createTrackingLinks } from '../../src/packages/tracking-links.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, makeAccount, ring, startIdentity, tokenOf } from './accounts-fixtures.js';

// Releases before 1.9 divided accounts among databases. A database with a CELL above 0 marked its keys and tokens.
const { db } = await ownDatabase();
let identity: Identity;
let account: Account;
beforeAll(async () => {
  identity = await startIdentity(db);
  account = await makeAccount(db, { phoneConfirmed: true });
});
afterAll(() => identity.stop());

const [{ secret }] = ring('a1');
const derivedKey = (version: number): string =>
  createHmac('sha256', secret).update(`${account.id}:${version}`).digest('base64url');
const outcomeOf = async (key: string) =>
  (await faultOf(identity.authenticateApiKey(`ApiKey ${account.email}:${key}`))).code;

test('an API key that carries the mark of a cell is still valid, as is the key without a mark', async () => {
  const key = derivedKey(1);
  expect(await identity.apiKeyOf(account.id)).toBe(key);
  for (const mark of ['007_', '255_']) expect(await outcomeOf(`${key.slice(0, -4)}${mark}`)).toBe('none');
  expect(await outcomeOf(key)).toBe('none');
});

test('other texts are no API keys, even with a mark', async () => {
  const [key, revoked] = [derivedKey(1), derivedKey(2)];
  const others = [
    `${revoked.slice(0, -4)}007_`,
    key.slice(0, -4),
    `${key.slice(0, -5)}007_`,
    `${key.slice(0, -4)}7_`,
    `${key.slice(0, -4)}007`,
    `${key}007_`,
    `${key.slice(0, -4)}007_007_`,
    '007_',
  ];
  for (const other of others) expect([other, await outcomeOf(other)]).toEqual([other, 'UNAUTHENTICATED']);
});

test('a token of a cell is refused, because databases that share JWT_KEYS have other accounts', async () => {
  const token = await tokenOf(identity, account);
  expect(await identity.actorOfToken(token)).toMatchObject({ accountId: account.id });
  const { header, payload } = jwt.decode(token, { complete: true }) ?? {};
  if (!header || typeof payload !== 'object') throw new Error('the token is no JWT');
  const [key] = ring('k1');
  const signed = (claims: object) => jwt.sign({ ...payload, ...claims }, key.secret, { algorithm: 'HS256', header });
  expect(await identity.actorOfToken(signed({ jti: 'another' }))).toMatchObject({ accountId: account.id });
  expect(await identity.actorOfToken(signed({ cell: 7 }))).toBeUndefined();
});

test.each([
  ['recipient', 'FQcAAAAAA6zEblFOU1-aXK-l--IAXcVFjIeSJQMyHi26EsE9ZhlI'],
  ['public', 'FQcAAAAAA2XrjqXaVIk2o_n40-e9J5TBhPcJlVLCTC3JkGFqkbqb'],
] as const)('the %s link of a package that cell 7 made leads to the package', (view, token) => {
  const links = createTrackingLinks('', [{ id: '2026', secret: Buffer.alloc(32, 2) }]);
  expect(links.read(token)).toEqual({ loggiKey: '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53', number: 3, view });
  // The authentication code of the token covers the mark, too.
  expect(links.read(`${token.slice(0, 2)}g${token.slice(3)}`)).toBeUndefined();
});

test('package numbers come from the sequence, so they never equal those of a cell', async () => {
  const [first] = await createCodeSource(ring('c1')).take(db, 1);
  const make = codeMaker(ring('c1'));
  expect(make(Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1)))).toContainEqual(first);
  // The first number, the first number of cell 1, and the last number of all.
  expect(new Set(make([1n, 2n ** 47n + 1n, 2n ** 55n - 1n]).map(({ trackingCode }) => trackingCode)).size).toBe(3);
});
