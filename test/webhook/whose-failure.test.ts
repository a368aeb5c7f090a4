import { expect, test } from '@jest/globals';
import { createRoutes, ownFailureOf } from '../../src/webhook/own-failures.js';

/** The error of a connection. With several addresses it has one error for each. */
const failed = (first: object, ...others: object[]): Error => {
  const errors = [first, ...others].map((each) => Object.assign(new Error('no'), each));
  return others.length > 0 ? new AggregateError(errors) : Object.assign(new Error('no'), first);
};

interface World {
  namesAnswer?: boolean;
  thisNameToo?: boolean;
  namesAnsweredBefore?: boolean;
  ways?: 'kept' | 'lost' | 'none';
  clockOffMs?: number;
}

const kindOf = async (
  error: Error,
  { namesAnswer = true, thisNameToo = false, namesAnsweredBefore = true, ways = 'kept', clockOffMs = 0 }: World = {},
) => {
  const names = {
    answer: async () => namesAnswer,
    answerFor: async () => thisNameToo,
    haveAnswered: () => namesAnsweredBefore,
  };
  const routes = { look: async () => ways };
  return (await ownFailureOf({ names, routes }, { host: 'example.com', error, startedAt: 0 }, clockOffMs))?.kind;
};

const unanswered = { code: 'ETIMEOUT', syscall: 'queryA' };
const lookupTooLong = { code: 'ETIMEDOUT', event: 'lookup' };
const noRoute = { code: 'ENETUNREACH', syscall: 'connect', address: '203.0.113.1' };
const noRoute6 = { code: 'ENETUNREACH', syscall: 'connect', address: '2001:db8::1' };
const noAddress6 = { code: 'EADDRNOTAVAIL', syscall: 'connect', address: '2001:db8::1' };
const noPort = { code: 'EADDRNOTAVAIL', syscall: 'connect', address: '203.0.113.1' };
const silence = { code: 'ETIMEDOUT', event: 'connect' };
const selfSigned = { code: 'SELF_SIGNED_CERT_IN_CHAIN' };
const noServers = { namesAnswer: false, namesAnsweredBefore: false };
const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
const clockOff = { clockOffMs: -600_000 };

test.each<[string, [object, ...object[]], World, string | undefined]>([
  ['a name gets no answer, and others do', [unanswered], {}, undefined],
  ['no name gets an answer', [unanswered], { namesAnswer: false }, 'names'],
  ['no name gets an answer in time', [lookupTooLong], { namesAnswer: false }, 'names'],
  ['a name gets an answer again', [unanswered], { thisNameToo: true }, 'names'],
  ['a name does not exist', [{ code: 'ENOTFOUND' }], { namesAnswer: false }, undefined],
  ['there is no route to this one', [noRoute], {}, undefined],
  ['there is no route to any', [noRoute], { ways: 'lost' }, 'network'],
  ['there never was a route to any', [noRoute], { ways: 'none' }, 'network'],
  ['it has IPv6 only, and this machine none', [noAddress6], {}, undefined],
  ['it refuses, and there is no IPv6', [refused, noRoute6], { ways: 'lost' }, undefined],
  ['it is silent', [silence], {}, undefined],
  ['it is silent by IPv4, and there is no IPv6', [silence, noRoute6], {}, undefined],
  ['it is silent, where nothing but this machine was ever reached', [silence], { ways: 'none' }, undefined],
  ['it is silent, and there is no route any more', [silence], { ways: 'lost' }, 'network'],
  ['everything is silent', [silence], { namesAnswer: false }, 'network'],
  ['it is silent where there are no name servers', [silence], noServers, undefined],
  ['no file is left', [{ code: 'EMFILE', syscall: 'connect' }], {}, 'resources'],
  ['no port is left', [noPort], {}, 'resources'],
  ['the certificate has expired', [{ code: 'CERT_HAS_EXPIRED' }], {}, undefined],
  ['the clock is behind, and so no certificate is valid yet', [{ code: 'CERT_NOT_YET_VALID' }], clockOff, 'clock'],
  ['the certificate is of nobody known, and the clock is behind', [selfSigned], clockOff, undefined],
  ['it refuses the connection', [refused], { namesAnswer: false, ways: 'lost' }, undefined],
  ['the error has no code', [{}], { namesAnswer: false, ways: 'lost' }, undefined],
])('the failure is assigned to the service or the receiver when %s', async (_, causes, world, kind) => {
  expect(await kindOf(failed(...causes), world)).toBe(kind);
});

test('a route is lost only if there was one; routes to this machine itself do not count', async () => {
  const reachable = new Set<string>();
  const routes = createRoutes(async (address) => reachable.has(address));
  expect(await routes.look()).toBe('none');
  reachable.add('203.0.113.1');
  routes.reached('203.0.113.1');
  routes.reached('127.0.0.1');
  expect(await routes.look()).toBe('kept');
  reachable.clear();
  expect(await routes.look()).toBe('lost');
});

test('a network that has lost its route to the internet counts as lost, even if it reaches other addresses', async () => {
  const reachable = new Set(['198.41.0.4', '10.0.0.1']);
  const routes = createRoutes(async (address) => reachable.has(address));
  routes.reached('10.0.0.1');
  await new Promise(setImmediate);
  expect(await routes.look()).toBe('kept');
  reachable.delete('198.41.0.4');
  expect(await routes.look()).toBe('lost');
});
