import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '../../src/accounts/identity.js';
import { createOperatorKey } from '../../src/accounts/operator-keys.js';
import { useCell } from '../../src/base/cell.js';
import { newId } from '../../src/base/ids.js';
import { codeMaker, createCodeSource } from '../../src/packages/codes.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, makeAccount, ring, startIdentity, tokenOf } from './accounts-fixtures.js';

const { db } = await ownDatabase();
let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity(db);
});
afterEach(() => useCell(0));
afterAll(() => identity.stop());

/** The identity of another process, whose memory holds nothing. */
const elsewhere = () => startIdentity(db);

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

const lastBytes = (ids: readonly string[]): Set<string> => new Set(ids.map((id) => id.slice(-2)));

describe('cell 0', () => {
  test('leaves no mark in ids, tokens and keys', async () => {
    const account = await makeAccount(db, { role: 'operator' });
    expect(lastBytes(Array.from({ length: 5_000 }, newId)).size).toBeGreaterThan(200);
    const claims = claimsOf(await tokenOf(identity, account));
    expect(Object.keys(claims)).toEqual(['sub', 'role', 'epoch', 'aud', 'amr', 'jti', 'iss', 'iat', 'exp']);
    const [{ secret }] = ring('a1');
    const derived = createHmac('sha256', secret).update(`${account.id}:1`).digest('base64url');
    expect(await identity.apiKeyOf(account.id)).toBe(derived);
  });

  test('numbers packages from 1', async () => {
    const [first] = await createCodeSource(ring('c1')).take(db, 1);
    const numbers = Array.from({ length: 1_000 }, (_, at) => BigInt(at + 1));
    expect(codeMaker(ring('c1'))(numbers)).toContainEqual(first);
  });
});

describe('any other cell', () => {
  test('ids end in its number, and sort in the order in which they are made', () => {
    useCell(200);
    const ids = Array.from({ length: 20_000 }, newId);
    expect(lastBytes(ids)).toEqual(new Set(['c8']));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a token holds in its own cell only', async () => {
    const account = await makeAccount(db);
    const tokens = new Map<number, string>();
    for (const cell of [0, 7, 8]) {
      useCell(cell);
      tokens.set(cell, await tokenOf(identity, account));
    }
    expect(claimsOf(tokens.get(7) ?? '')['cell']).toBe(7);
    for (const cell of [0, 7, 8]) {
      useCell(cell);
      const other = await elsewhere();
      for (const [issuer, token] of tokens) {
        const actor = await other.actorOfToken(token);
        expect([cell, issuer, actor?.accountId]).toEqual([cell, issuer, issuer === cell ? account.id : undefined]);
      }
      await other.stop();
    }
  });

  test('an API key names its cell, stays the same, and holds in its own cell only', async () => {
    const account = await makeAccount(db, { phoneConfirmed: true });
    useCell(7);
    const key = await identity.apiKeyOf(account.id);
    expect(key).toMatch(/^[\w-]{39}007_$/);
    const header = `ApiKey ${account.email}:${key}`;
    for (const cell of [7, 8, 0]) {
      useCell(cell);
      const other = await elsewhere();
      const { code } = await faultOf(other.authenticateApiKey(header));
      expect([cell, code]).toEqual([cell, cell === 7 ? 'none' : 'UNAUTHENTICATED']);
      expect((await other.apiKeyOf(account.id)) === key).toBe(cell === 7);
      await other.stop();
    }
  });

  test('an operator key names its cell, in the form that the contract has', async () => {
    const { id } = await makeAccount(db, { role: 'operator' });
    useCell(255);
    const key = { name: 'Scanner', scope: 'all', expiresAt: new Date('2099-01-01'), withFactor: false } as const;
    const { secret } = await createOperatorKey(db, { ...key, createdBy: id });
    expect(secret).toMatch(/^mok_[A-Za-z0-9_-]{39}255_$/);
  });

  test('numbers packages in a range of its own, the last one of all cells included', async () => {
    const ranges = [1n, 255n].map((cell) => Array.from({ length: 1_000 }, (_, at) => cell * 2n ** 47n + BigInt(at)));
    for (const [at, cell] of [1, 255].entries()) {
      useCell(cell);
      const [code] = await createCodeSource(ring('c1')).take(db, 1);
      expect(codeMaker(ring('c1'))(ranges[at] ?? [])).toContainEqual(code);
    }
    const last = 2n ** 55n - 1n;
    expect(codeMaker(ring('c1'))([last])).toHaveLength(1);
    expect(() => codeMaker(ring('c1'))([last + 1n])).toThrow(RangeError);
  });
});
