import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { TrackedPackage } from '../../generated/tracking-webhook.js';
import { type AddressRules, addressRules } from '../../src/endpoints/addresses.js';
import { newKeyPair, toPublicKey } from '../../src/endpoints/key-pairs.js';
import type { CheckResult, ReceiverToVerify } from '../../src/endpoints/verification.js';
import { createHttpClient } from '../../src/webhook/http-client.js';
import { createNames } from '../../src/webhook/lookup.js';
import type { Limits } from '../../src/webhook/receiver-checks/trial.js';
import { createVerifier } from '../../src/webhook/receiver-checks/verify.js';
import { freePort } from '../support/port.js';
import { play, type Received, type Receiver, type ReceiverOptions, startReceiver } from '../support/receiver.js';
import { authority, rulesFor } from './support.js';
import { answering, login, oldSecret, type Parts, rightBy, secret } from './trial-receiver.js';

/** Receivers with one fault each, and the checks of `malote verify-receiver` that find it. */

const patience = { deadlineMs: 30_000, connectMs: 30_000 };

/** A client like the worker's, as the command makes it. */
function wayTo(addresses: AddressRules, extraCa?: string) {
  const { lookup } = createNames(addresses);
  const ca = extraCa === undefined ? {} : { extraCa };
  return { lookup, ...createHttpClient({ ...patience, idleConnections: 1, addresses, ...ca, lookup }) };
}

const receiver = await startReceiver({ authority });
const way = wayTo(rulesFor([receiver]), authority.cert);
afterAll(async () => {
  way.close();
  await receiver.close();
});

/** Checks the receiver, or the one that `other` describes. No answer is late unless `limits` say so. */
async function verify(other: Partial<ReceiverToVerify> = {}, limits: Partial<Limits> = {}): Promise<CheckResult[]> {
  const own = { url: receiver.url, addresses: rulesFor([receiver]), extraCa: authority.cert };
  const tried = { ...own, ...login, secret, oldSecret, ...other };
  const isOther = tried.addresses !== own.addresses || tried.extraCa !== own.extraCa;
  const tryingWay = isOther ? wayTo(tried.addresses, tried.extraCa) : way;
  const verifier = createVerifier(tryingWay, { ...patience, slowMs: 30_000, totalMs: 60_000, ...limits });
  const results = await verifier(tried, () => undefined);
  if (isOther) tryingWay.close();
  return results;
}

/** The checks that did not pass, with their results. */
const faultsIn = (results: readonly CheckResult[]): string[] =>
  results.filter(({ result }) => result !== 'passed').map(({ check, result }) => `${check} ${result}`);

const behave = (parts: Partial<Parts>, headers: Record<string, string> = {}): void => {
  const answer = answering(parts);
  receiver.always((request, response, received) => play({ status: answer(received), headers }, request, response));
};

// Warnings in every result: the port is unusual, and the certificate is from today.
const ofThisMachine = ['address warning', 'certificate warning'];

test('a sound receiver passes, and the result explains each check', async () => {
  behave({});
  const results = await verify();
  expect(faultsIn(results)).toEqual(ofThisMachine);
  expect(results.length).toBeGreaterThan(25);
  expect(results.filter(({ means, seen }) => means === '' || seen === '')).toEqual([]);
  const bodies = receiver.received.map(({ body }) => body.length);
  expect(Math.max(...bodies)).toBeGreaterThan(261_000);
  expect(Math.max(...bodies)).toBeLessThanOrEqual(262_144);
});

const decoded = (given: string): string => Buffer.from(given.replace('Basic ', ''), 'base64').toString('utf8');
const hasUser = (given: string): boolean => decoded(given).startsWith(`${login.username}:`);
const hasPassword = (given: string): boolean => decoded(given).endsWith(`:${login.password}`);
/** Answers with the status for each package for which `is` is true, and for a body that has one. */
const at = (status: number, is: (one: TrackedPackage) => boolean): Partial<Parts> => ({
  handle: (one) => (is(one) ? status : undefined),
});
const atAll = (
  status: number,
  is: (all: readonly TrackedPackage[], received: Received) => boolean,
): Partial<Parts> => ({
  handleAll: (all, received) => (is(all, received) ? status : undefined),
});
const WEEK_MS = 7 * 86_400_000;
const isOld = ({ requestTime }: TrackedPackage): boolean => Date.parse(requestTime) < Date.now() - WEEK_MS;
const hasNoPlace = ({ trackingHistory }: TrackedPackage) => trackingHistory.some(({ location }) => !location);
const unsigned = ['wrong-signature', 'missing-signature', 'changed-body'];
const unnamed = ['wrong-username', 'wrong-password', 'missing-basic'];
const refusals = [...unnamed, ...unsigned, 'old-timestamp', 'future-timestamp'];

test.each<[string, Partial<Parts>, string[]]>([
  ['checks no signature', { isSigned: () => true }, unsigned],
  ['signs what it parsed', { signedText: (body) => JSON.stringify(JSON.parse(body)) }, ['raw-bytes']],
  ['accepts any password', { isLogin: hasUser }, ['wrong-password']],
  ['accepts any user name', { isLogin: hasPassword }, ['wrong-username']],
  ['wants no password', { isLogin: () => true }, unnamed],
  ['looks at the first signature', { signatures: (all) => all.split(' ', 1) }, ['rotation', 'unknown-scheme']],
  ['refuses unknown schemes', { signatures: (all) => (/v1a/.test(all) ? [] : all.split(' ')) }, ['unknown-scheme']],
  ['does not look at the time', { isTimely: () => true }, ['old-timestamp', 'future-timestamp']],
  ['lets the future in', { isTimely: (age) => age <= 300 }, ['future-timestamp']],
  ['refuses a repeated body', { repeated: 409 }, ['duplicate']],
  ['refuses an outdated update', { outdated: 409 }, ['late-update']],
  ['takes old updates for forged', at(400, isOld), ['replay']],
  ['fails at codes that it does not know', at(500, ({ status }) => status.code > 18), ['unknown-code']],
  ['refuses fields that it does not know', at(422, (one) => Object.keys(one).length > 8), ['unknown-field']],
  ['fails when nothing is to do', at(500, ({ status }) => status.actionRequired === null), ['null-action', 'test']],
  ['expects a place everywhere', at(500, hasNoPlace), ['history']],
  ['refuses tests', atAll(400, (_, { headers }) => headers['malote-test'] === 'true'), ['test']],
  ['takes ten packages', atAll(413, ({ length }) => length > 10), ['batch']],
  ['takes 100 KB', atAll(413, (_, { body }) => body.length > 100_000), ['largest-body']],
  ['answers 202', { accepted: 202 }, ['status']],
  ['answers repeated bodies 202', { repeated: 202 }, ['status']],
])('a receiver that %s', async (_, parts, found) => {
  behave(parts);
  const failed = (await verify()).filter(({ result }) => result === 'failed' || result === 'not_tried');
  expect(failed.map(({ check }) => check)).toEqual(found);
  expect(failed.filter(({ result, advice }) => result === 'failed' && !advice)).toEqual([]);
});

test.each([
  ['closes each connection', {}, { Connection: 'close' }, {}, ['keep-alive warning']],
  ['is slow', {}, {}, { slowMs: 0 }, ['answer-time warning']],
  ['takes longer than an attempt may', {}, {}, { deadlineMs: 0 }, ['answer-time failed']],
  ['refuses by failing', { refused: 500 }, {}, {}, refusals.map((check) => `${check} warning`)],
])('a receiver that %s', async (_, parts, headers, limits, found) => {
  behave(parts, headers);
  expect(faultsIn(await verify({}, limits))).toEqual([...ofThisMachine, ...found]);
});

describe('a receiver that verifies by a public key alone', () => {
  const { publicKey, privateKey } = newKeyPair();
  const isRight = rightBy(toPublicKey(publicKey));
  test.each<[string, Partial<Parts>, string[]]>([
    ['is sound', {}, []],
    ['checks no signature', { isSigned: () => true }, unsigned],
    ['signs what it parsed', { signedText: (body) => JSON.stringify(JSON.parse(body)) }, ['raw-bytes']],
    ['looks at the first signature', { signatures: (all) => all.split(' ', 1) }, ['rotation', 'unknown-scheme']],
  ])('and %s', async (_, parts, found) => {
    behave({ isRight, ...parts });
    const results = await verify({ secret: privateKey, oldSecret: undefined });
    expect(faultsIn(results)).toEqual([...ofThisMachine, ...found.map((check) => `${check} failed`)]);
  });
});

describe('in the middle of a rotation, when both secrets sign,', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

  test.each([
    ['only the new one', { oldSecret: other }, 'old-secret'],
    ['only the old one', { secret: other }, 'new-secret'],
  ])('a receiver that knows %s passes, and is warned', async (_, secrets, check) => {
    behave({});
    expect(faultsIn(await verify(secrets))).toEqual([...ofThisMachine, `${check} warning`]);
  });

  test('a receiver that knows neither secret fails at its first delivery', async () => {
    behave({ isRight: () => false });
    expect(faultsIn(await verify())).toContain('delivery failed');
  });

  test('no check of a rotation is made when there is only one secret', async () => {
    behave({});
    const checks = (await verify({ oldSecret: undefined })).map(({ check }) => check);
    expect(checks.filter((check) => check.endsWith('-secret'))).toEqual([]);
  });
});

describe('no other check is made when the delivery fails with', () => {
  const first = async (other: Partial<ReceiverToVerify> = {}, limits = {}) => {
    const isOpen = ({ result }: CheckResult) => !['passed', 'warning'].includes(result);
    const [failure, ...rest] = (await verify(other, limits)).filter(isOpen);
    expect(new Set(rest.map(({ result }) => result))).toEqual(new Set(['not_tried']));
    return failure;
  };
  const fault = (check: string, seen: RegExp, advice = /(?:)/) => ({
    check,
    seen: expect.stringMatching(seen),
    advice: expect.stringMatching(advice),
  });

  test.each([
    [401, /^401 in/, /Compare user name/],
    [500, /^500 in/, /receiver's log/],
    [302, /^302 in/, /Redirects/],
    [410, /^410 in/, /disables/],
  ])('%i', async (status, seen, advice) => {
    receiver.always({ status });
    expect(await first()).toMatchObject(fault('delivery', seen, advice));
  });

  test('no answer', async () => {
    receiver.always('reset');
    expect(await first()).toMatchObject(fault('delivery', /ECONNRESET|socket hang up/));
  });

  test('no time left', async () => {
    behave({});
    const results = await verify({}, { totalMs: -1 });
    const outcomes = new Set(results.map(({ result, seen }) => `${result}: ${seen}`));
    expect([...outcomes]).toEqual(['not_tried: the time is over']);
  });

  test('an address that is not public, or no address of a receiver', async () => {
    const addresses = addressRules([], [receiver.port]);
    expect(await first({ addresses })).toMatchObject(fault('address', /local network/));
    const url = 'http://example.com/';
    expect(await first({ url })).toMatchObject(fault('address', /^the URL must begin with https:\/\/$/));
  });

  test('an address without a listener', async () => {
    const url = `https://localhost:${await freePort()}/`;
    const addresses = addressRules(['127.0.0.0/8', '::1/128'], [Number(new URL(url).port)]);
    expect(await first({ url, addresses })).toMatchObject(fault('tls', /ECONNREFUSED/));
  });

  describe('another certificate or protocol', () => {
    let other: Receiver;
    afterEach(() => other.close());
    test.each<[Omit<ReceiverOptions, 'authority'>, string, string, string]>([
      [{ expired: true }, 'certificate', 'CERT_HAS_EXPIRED', 'Renew it.'],
      [{ names: ['x.example'] }, 'certificate', 'ERR_TLS_CERT_ALTNAME_INVALID', 'Use one for the name in the URL.'],
      [{ maxVersion: 'TLSv1.1' }, 'tls', 'TLSv1.1', 'Switch TLS 1.2 and 1.3 on at the receiver or its proxy.'],
    ])('%j', async (options, check, seen, advice) => {
      other = await startReceiver({ authority, ...options });
      expect(await first({ url: other.url, addresses: rulesFor([other]) })).toMatchObject({ check, seen, advice });
      expect(other.received).toEqual([]);
    });

    test('by an unknown authority', async () => {
      other = await startReceiver({ authority });
      const stranger = { url: other.url, addresses: rulesFor([other]), extraCa: undefined };
      expect(await first(stranger)).toMatchObject(fault('certificate', /./, /full chain/));
    });
  });
});
