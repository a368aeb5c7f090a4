import { type BinaryLike, createHmac, generateKeyPairSync } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import type { Account } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { createNamedKey } from '../../src/accounts/named-keys.js';
import type { Actor } from '../../src/base/actor.js';
import { newId } from '../../src/base/ids.js';
import type { KeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect } from '../../src/db/connect.js';
import { timesTheCost } from '../support/cost.js';
import { ownDatabase } from '../support/services.js';
import {
  actorOf,
  faultOf,
  makeAccount,
  newIp,
  PASSWORD,
  ring,
  startIdentity,
  tokenOf,
  updateAccount,
} from './accounts-fixtures.js';
import { counting } from './orders-fixtures.js';

const database = await ownDatabase();
let identity: Identity;
let ana: Account;
let good: string;
const keys: KeyRing = ring('k2', 'k1');
let operator: Actor;

beforeAll(async () => {
  identity = await startIdentity(database.db, { tokenKeys: keys });
  ana = await makeAccount(database.db);
  operator = actorOf(await makeAccount(database.db, { role: 'operator' }));
  good = await tokenOf(identity, ana);
});
afterAll(() => identity.stop());

const started: Identity[] = [];
/** Starts another process, which runs until the test ends. */
const startAnother = async (options: Parameters<typeof startIdentity>[1]): Promise<Identity> => {
  const another = await startIdentity(database.db, options);
  started.push(another);
  return another;
};
afterEach(() => Promise.all(started.splice(0).map((each) => each.stop())));

describe('an access token', () => {
  test('says who signed in, for which service, and until when', async () => {
    const signedIn = await identity.signIn(ana.email.toUpperCase(), PASSWORD, newIp());
    expect(signedIn).toMatchObject({ ok: true, accountId: ana.id, role: 'customer', epoch: 1 });
    const { header, payload } = jwt.verify(good, keys[0].secret, { complete: true });
    expect(header).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: 'k2' });
    const { iat = 0, exp = 0, ...claims } = payload instanceof Object ? payload : {};
    const account = { sub: ana.id, role: 'customer', epoch: 1, amr: ['pwd'], jti: expect.any(String) };
    expect(claims).toEqual({ iss: 'https://malote.example', aud: 'malote', ...account });
    expect(exp - iat).toBe(3600);
  });

  test('is valid until its last second, and not longer', async () => {
    let now = new Date('2026-11-20T12:00:00.900Z');
    const moved = await startAnother({ clock: () => now });
    const token = await tokenOf(moved, ana);
    now = new Date('2026-11-20T12:59:59.999Z');
    expect(await moved.actorOfToken(token)).toMatchObject({ accountId: ana.id, role: 'customer' });
    now = new Date('2026-11-20T13:00:00.000Z');
    expect(await moved.actorOfToken(token)).toBeUndefined();
  });

  test('is refused when it is older than the present lifetime, even if it was issued with a longer one', async () => {
    let now = new Date('2026-11-20T12:00:00.000Z');
    const clock = () => now;
    const long = await startAnother({ clock, tokenTtlSeconds: 86_400 });
    const token = await tokenOf(long, ana);
    const short = await startAnother({ clock, tokenTtlSeconds: 60 });
    now = new Date('2026-11-20T12:00:59.999Z');
    expect(await short.actorOfToken(token)).toMatchObject({ accountId: ana.id, role: 'customer' });
    now = new Date('2026-11-20T12:01:00.000Z');
    expect(await short.actorOfToken(token)).toBeUndefined();
    expect(await long.actorOfToken(token)).toMatchObject({ accountId: ana.id, role: 'customer' });
  });

  test('is valid when an older key of the ring signed it, and refused when a removed key did', async () => {
    const before = await startAnother({ tokenKeys: ring('k1') });
    const token = await tokenOf(before, ana);
    expect(await identity.actorOfToken(token)).toMatchObject({ accountId: ana.id, role: 'customer' });
    const after = await startAnother({ tokenKeys: ring('k3', 'k2') });
    expect(await after.actorOfToken(token)).toBeUndefined();
  });
});

describe('a forged token is refused', () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    role: 'operator',
    epoch: 1,
    jti: 'one',
    iss: 'https://malote.example',
    aud: 'malote',
    iat: now,
    exp: now + 600,
  };
  const header = { alg: 'HS256', typ: 'at+jwt', kid: 'k2' };
  const secret = keys[0].secret;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (changes: object, head: object = {}, key: BinaryLike = secret) => {
    const signed = `${part({ ...header, ...head })}.${part({ sub: ana.id, ...claims, ...changes })}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  };
  const signBy = (alg: jwt.Algorithm, key: jwt.Secret) =>
    jwt.sign({ sub: ana.id, ...claims }, key, { header: { ...header, alg } });
  const altered = (token: string, place: number, change: (text: string) => string) => {
    const parts = token.split('.');
    return parts.with(place, change(parts[place] ?? '')).join('.');
  };

  test('but the same token with valid parts is accepted', async () => {
    const actor = { accountId: ana.id, role: 'operator', withFactor: false };
    expect(await identity.actorOfToken(sign({}))).toEqual({ ...actor, signIn: { epoch: 1, tokenId: 'one' } });
    const { access_token } = identity.factorToken({ accountId: ana.id, role: 'operator', epoch: 1 });
    const signIn = { epoch: 1, tokenId: expect.any(String) };
    expect(await identity.actorOfToken(access_token)).toEqual({ ...actor, withFactor: true, signIn });
    expect(jwt.decode(access_token)).toMatchObject({ amr: ['pwd', 'otp'] });
  });

  const forgeries: Record<string, () => string> = {
    'without a signature, alg none': () => `${part({ ...header, alg: 'none' })}.${part({ sub: ana.id, ...claims })}.`,
    'alg None in other case': () => `${part({ ...header, alg: 'nOnE' })}.${part({ sub: ana.id, ...claims })}.`,
    'with its signature cut off': () => altered(good, 2, () => ''),
    'signed by RS256': () => signBy('RS256', privateKey),
    'signed by HS256 with a public key as the secret': () =>
      sign({}, {}, publicKey.export({ type: 'spki', format: 'der' })),
    'signed by HS512 with the right secret': () => signBy('HS512', secret),
    'signed with another secret': () => sign({}, {}, ring('k9')[0].secret),
    'of an unknown key id': () => sign({}, { kid: 'k9' }),
    'of no key id': () => sign({}, { kid: undefined }),
    'of a key id that is a path': () => sign({}, { kid: '../../dev/null' }),
    'of another key of the ring than it names': () => sign({}, { kid: 'k1' }),
    'with an embedded jwk': () =>
      sign({}, { jwk: { kty: 'oct', k: Buffer.from('x'.repeat(32)).toString('base64url') } }, 'x'.repeat(32)),
    'with a jku': () => sign({}, { jku: 'https://evil.example/keys' }),
    'of another type': () => sign({}, { typ: 'JWT' }),
    'for another audience': () => sign({ aud: 'someone-else' }),
    'of another issuer': () => sign({ iss: 'https://evil.example' }),
    'that has expired': () => sign({ iat: now - 3601, exp: now - 1 }),
    'that never expires': () => sign({ exp: undefined }),
    'that does not say when it was issued': () => sign({ iat: undefined }),
    'that is not valid yet': () => sign({ nbf: now + 60 }),
    'whose subject is not an id': () => sign({ sub: "' or 1=1 --" }),
    'of a role that does not exist': () => sign({ role: 'root' }),
    'without an epoch': () => sign({ epoch: undefined }),
    'without an id of its own': () => sign({ jti: undefined }),
    'whose claims were changed': () => altered(good, 1, () => part({ sub: ana.id, ...claims })),
    'whose signature was changed': () =>
      altered(good, 2, (text) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`),
    'whose claims are not JSON': () => altered(good, 1, () => 'AAAA'),
    'that is not a token': () => 'not-a-token',
  };

  test.each(Object.entries(forgeries))('%s', async (_, forge) => {
    expect(await identity.actorOfToken(forge())).toBeUndefined();
  });
});

describe('every token of an account ends', () => {
  const endings: Record<string, (account: Account) => Promise<unknown>> = {
    'when its password changes': (account) =>
      updateAccount(database.db, operator, account, { password: 'another long password' }),
    'when its role changes': (account) => updateAccount(database.db, operator, account, { role: 'operator' }),
    'when it is deleted': (account) => deleteAccount(database.db, operator, account.id),
  };

  test.each(Object.entries(endings))(
    '%s: in this process at once, in another process within a second',
    async (_, end) => {
      const elsewhere = await startAnother({ tokenKeys: keys });
      const account = await makeAccount(database.db);
      const token = await tokenOf(identity, account);
      expect(await elsewhere.actorOfToken(token)).toBeDefined();
      await end(account);
      await identity.refresh();
      expect(await identity.actorOfToken(token)).toBeUndefined();
      expect(await lastAdmitted(elsewhere, token)).toBeLessThan(1000);
    },
  );

  test('also in a process that starts later, and also when the change is committed late', async () => {
    const account = await makeAccount(database.db);
    const token = await tokenOf(identity, account);
    await database.db.transaction().execute(async (trx) => {
      await updateAccount(trx, operator, account, { password: 'another long password' });
      // The process polls twice before the commit.
      await pause(650);
      expect(await identity.actorOfToken(token)).toBeDefined();
    });
    expect(await lastAdmitted(identity, token)).toBeLessThan(1000);
    const later = await startAnother({ tokenKeys: keys });
    expect(await later.actorOfToken(token)).toBeUndefined();
  });

  test.each([60, 3600])('also when a restart shortens the lifetime from a day to %d s', async (tokenTtlSeconds) => {
    const before = await startAnother({ tokenKeys: keys, tokenTtlSeconds: 86_400 });
    const account = await makeAccount(database.db);
    const token = await tokenOf(before, account);
    await deleteAccount(database.db, operator, account.id);
    const hours = sql<Date>`epoch_changed_at - interval '23 hours'`;
    await database.db.updateTable('accounts').set({ epoch_changed_at: hours }).where('id', '=', account.id).execute();
    const replicas = await Promise.all([1, 2].map(() => startAnother({ tokenKeys: keys, tokenTtlSeconds })));
    for (const replica of replicas) expect(await replica.actorOfToken(token)).toBeUndefined();
  });

  test('but not when the name of the account changes', async () => {
    const account = await makeAccount(database.db);
    const token = await tokenOf(identity, account);
    await updateAccount(database.db, operator, account, { name: 'Ana Lima' });
    await identity.refresh();
    expect(await identity.actorOfToken(token)).toBeDefined();
  });
});

describe('a token of a named API key', () => {
  test('needs no statement to be checked, and costs about as much as the token of a user', async () => {
    const counted = counting(database.db);
    // The process polls over another connection, so that polls are not counted.
    const process_ = await startAnother({ tokenKeys: keys, db: counted.db, pollDb: database.db });
    const input = { accountId: ana.id, name: 'Shop', scope: 'all', expiresAt: null } as const;
    const { key, secret } = await createNamedKey(database.db, input);
    const { token } = Object(await process_.keyToken({ id: key.id, secret, ip: '' }));
    const before = counted.statements();
    const requests = (sent: string) => async () => {
      for (let request = 0; request < 5_000; request += 1) await process_.actorOfToken(sent);
    };
    expect(await timesTheCost(requests(token.access_token), requests(good), 2)).toBeLessThan(2);
    expect(counted.statements()).toBe(before);
    const statementsOf = async (wrong: { id: string; secret: string }) => {
      const sofar = counted.statements();
      expect(await process_.keyToken({ ...wrong, ip: '192.0.2.1' })).toEqual({ refusal: 'invalid_client' });
      return counted.statements() - sofar;
    };
    expect(await statementsOf({ id: 'nobody', secret })).toBe(0);
    const ofUnknown = await statementsOf({ id: newId(), secret });
    expect(await statementsOf({ id: key.id, secret: 'wrong' })).toBe(ofUnknown);
  });

  test('ends with the last whole second of its key', async () => {
    let now = new Date('2099-11-20T12:00:00.500Z');
    const moved = await startAnother({ tokenKeys: keys, clock: () => now });
    const { id: accountId } = await makeAccount(database.db);
    const expiresAt = new Date('2099-11-20T12:00:10.900Z');
    const { key, secret } = await createNamedKey(database.db, { accountId, name: 'Shop', scope: 'read', expiresAt });
    const { token, scope } = Object(await moved.keyToken({ id: key.id, secret, ip: '' }));
    expect([scope, token.expires_in]).toEqual(['read', 10]);
    now = new Date('2099-11-20T12:00:09.999Z');
    const apiKey = { id: key.id, scope: 'read' };
    expect(await moved.actorOfToken(token.access_token)).toMatchObject({ accountId, role: 'customer', apiKey });
    now = new Date('2099-11-20T12:00:10.000Z');
    expect(await moved.actorOfToken(token.access_token)).toBeUndefined();
    expect(await moved.keyToken({ id: key.id, secret, ip: '' })).toEqual({ refusal: 'invalid_client' });
  });
});

describe('when a process cannot read which tokens have ended', () => {
  const log = createLog({ level: 'silent' });

  test('because a read is late, requests wait together for the next read, and none uses an outdated read', async () => {
    const pool = { poolSize: 1, applicationName: 'poll', log, connectionTimeoutMs: 10_000 };
    const pollDb = connect({ url: database.url, ...pool });
    const late = await startAnother({ tokenKeys: keys, pollDb });
    const [ended, other] = [await makeAccount(database.db), await makeAccount(database.db)];
    const [endedToken, otherToken] = [await tokenOf(identity, ended), await tokenOf(identity, other)];
    const busy = sql`select pg_sleep(1.8)`.execute(pollDb);
    await deleteAccount(database.db, operator, ended.id);
    await pause(1200);
    const answers = Array.from({ length: 50 }, () => Promise.all([endedToken, otherToken].map(late.actorOfToken)));
    for (const [first, second] of await Promise.all(answers)) {
      expect(first).toBeUndefined();
      expect(second).toMatchObject({ accountId: other.id, role: 'customer' });
    }
    await busy;
    await late.stop();
    await pollDb.destroy();
  });

  test('because the database fails, valid tokens are UNAVAILABLE after a second, until it works again', async () => {
    const token = await tokenOf(identity, await makeAccount(database.db));
    const outcome = async () => (await faultOf(async () => identity.actorOfToken(token))).code;
    const untilIt = async (is: string) => {
      for (let tries = 0; tries < 500 && (await outcome()) !== is; tries += 1) await pause(20);
      return outcome();
    };
    await database.db.schema.alterTable('accounts').renameTo('accounts_elsewhere').execute();
    expect(await untilIt('UNAVAILABLE')).toBe('UNAVAILABLE');
    expect(await identity.actorOfToken('not-a-token')).toBeUndefined();
    await database.db.schema.alterTable('accounts_elsewhere').renameTo('accounts').execute();
    expect(await untilIt('none')).toBe('none');
  });
});

/** Milliseconds from now until the process last accepted a request with the token. */
async function lastAdmitted(process_: Identity, token: string): Promise<number> {
  const start = performance.now();
  for (let last = 0; ; await pause(20)) {
    const sent = performance.now() - start;
    if (sent > 5000 || (await process_.actorOfToken(token)) === undefined) return last;
    last = sent;
  }
}
