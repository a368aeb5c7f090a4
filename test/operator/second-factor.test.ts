import { describe, expect, test } from '@jest/globals';
import { type Described, operations } from '../contract/oracle.js';
import { absentRecords, bodyFor } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { newMember } from '../support/members.js';
import { PASSWORD } from '../support/password.js';
import { pathFor } from '../support/records.js';
import { enrolledOperator, giveFactor, newOperator } from '../support/second-factor.js';
import type { Caller, Service } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at } from './fixtures.js';

/** Rights of operators who sign in with the password alone: tokens with and without the second factor. */

const now = Date.now();
const clock = () => new Date(now);

const service = await ownService({ TRUST_PROXY: '1' }, { worker: false, clock });
const strict = await ownService({ REQUIRE_SECOND_FACTOR: '1' }, { worker: false, clock });
const records = absentRecords('');
/** An operator who has a second factor, but signed in without it. */
const reader = await service.signIn(await enrolledOperator(service, now));

/** Calls the operation with the token. Resolves to the status, and to the reason of a refusal. */
async function answerTo(operation: Described, token: string, { url }: Service) {
  const request = { token, body: bodyFor(operation, records) };
  const { status, text } = await ask(url, operation.method, pathFor(operation, records), request);
  const body = /^\{/.test(text) ? JSON.parse(text) : {};
  return [status, body.error?.reason];
}

const guarded = operations.filter(({ isPublic, isStatic }) => !isPublic && !isStatic);
const reads = guarded.filter(({ method }) => method === 'GET');
const enrolments = guarded.filter(({ node }) => node['x-second-factor'] === 'enrolment');
const changes = guarded.filter((each) => !reads.includes(each) && !enrolments.includes(each));
const named = (all: readonly Described[]) =>
  all.map((each): [string, Described] => [`${each.contract} ${each.id}`, each]);
const refused = [403, 'second_factor_required'];

/** Makes a change as the caller. Resolves to the status, and to the reason of a refusal. */
async function refusalTo({ operator }: Caller) {
  const body = { name: 'x', scope: 'read' } as const;
  const { response, error } = await operator.POST('/operator/v1/operator-keys', { body });
  return [response.status, error?.error.reason];
}

test('the contracts have reads and changes, and each contract has the two operations of an enrolment', () => {
  expect([reads.length > 20, changes.length > 30]).toEqual([true, true]);
  expect(enrolments.map(({ id }) => id)).toEqual([
    ...['beginOwnSecondFactor', 'confirmOwnSecondFactor'],
    ...['beginSecondFactor', 'confirmSecondFactor'],
  ]);
});

describe('for an operator who has a second factor, but signed in without it', () => {
  test.each(named(changes))('%s is refused', async (_id, operation) => {
    expect(await answerTo(operation, reader.token, service)).toEqual(refused);
  });

  test.each(named(reads))('%s is answered', async (_id, operation) => {
    expect(await answerTo(operation, reader.token, service)).not.toEqual(refused);
  });

  test('a key that was made without it can only read, and a key that was made with it can do all', async () => {
    const { id, email, ...login } = await newOperator(service);
    const { operator } = await service.signIn({ email, ...login });
    const body = { name: 'Scanner', scope: 'movements' } as const;
    const before = await operator.POST('/operator/v1/operator-keys', { body });
    await giveFactor(service, id);
    const { access_token } = service.app.identity.factorToken({ accountId: id, role: 'operator', epoch: 1 });
    const proven = service.caller({ id, email }, access_token);
    const after = await proven.operator.POST('/operator/v1/operator-keys', { body });
    const keys = [before, after].map(({ data }) => data?.secret ?? '');
    const made = [before, after].map(({ data }) => data?.operator_key.second_factor);
    expect(made).toEqual([false, true]);
    const [record, look] = ['recordMovements', 'listPackageStatuses'].map((name) =>
      guarded.find(({ id }) => id === name),
    );
    if (!record || !look) throw new Error('the contract has neither');
    const answers = keys.flatMap((key) => [answerTo(record, key, service), answerTo(look, key, service)]);
    expect(await Promise.all(answers)).toEqual([refused, [200, undefined], [200, undefined], [200, undefined]]);
  });
});

describe('when a second factor is required', () => {
  const others = guarded.filter((each) => !enrolments.includes(each));

  test.each(named(others))('%s is refused to an operator who has no second factor', async (_id, operation) => {
    expect(await answerTo(operation, strict.operator.token, strict)).toEqual(refused);
  });

  test('setting one up is allowed and gives a token for everything; the password alone then gives only reads', async () => {
    const { caller, ...login } = await enrolledOperator(strict, now);
    expect((await caller.rest.GET('/api/v1/users/me')).response.status).toBe(200);
    const again = await strict.signIn(login);
    expect((await again.rest.GET('/api/v1/users/me')).response.status).toBe(200);
    expect(await refusalTo(again)).toEqual(refused);
  });

  test('customers can do the same as before', async () => {
    const { rest, email } = await strict.customer();
    expect((await rest.GET('/api/v1/users/me')).data).toMatchObject({ email });
    expect((await rest.GET('/api/v1/orders')).response.status).toBe(200);
  });
});

describe('signing in', () => {
  let addresses = 0;
  /** Signs in, from a new address unless `ip` is given. Resolves to status and reason, and to the token. */
  async function signIn(body: object, ip = `10.9.0.${++addresses}`, path = '/operator/v1/sign-in') {
    const { status, text } = await ask(service.url, 'POST', path, { body, headers: { 'X-Forwarded-For': ip } });
    const { error, access_token: token } = JSON.parse(text);
    return { outcome: [status, error?.reason], token: String(token) };
  }
  const changesSomething = async (token: string): Promise<boolean> => {
    const body = { name: 'Scanner', scope: 'read' };
    return (await ask(service.url, 'POST', '/operator/v1/operator-keys', { token, body })).status === 201;
  };

  test('asks for a code when the password is right; each code works once', async () => {
    const { email, password, codeOf, recoveryCodes } = await enrolledOperator(service, now);
    const login = { email, password };
    const [recovery = ''] = recoveryCodes;
    expect((await signIn(login)).outcome).toEqual([403, 'second_factor_required']);
    expect((await signIn({ email, password: 'wrong' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: '000000' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: codeOf() })).outcome).toEqual([401, 'login_failed']);
    const { outcome, token } = await signIn({ ...login, code: codeOf(1) });
    expect([outcome, await changesSomething(token)]).toEqual([[200, undefined], true]);
    expect((await signIn({ ...login, code: codeOf(1) })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ ...login, code: recovery.toLowerCase() })).outcome).toEqual([200, undefined]);
    expect((await signIn({ ...login, code: recovery })).outcome).toEqual([401, 'login_failed']);
  });

  test('takes a code at POST /auth/login, too; there the password alone gives only reads', async () => {
    const { email, password, codeOf } = await enrolledOperator(service, now);
    const login = { email, password };
    const alone = await signIn(login, undefined, '/auth/login');
    expect([alone.outcome, await changesSomething(alone.token)]).toEqual([[200, undefined], false]);
    const { outcome, token } = await signIn({ ...login, code: codeOf(1) }, undefined, '/auth/login');
    expect([outcome, await changesSomething(token)]).toEqual([[200, undefined], true]);
  });

  test('needs no code of an operator who has no second factor, and refuses customers', async () => {
    const { email, password } = await newOperator(service);
    const { token, outcome } = await signIn({ email, password });
    expect([outcome, await changesSomething(token)]).toEqual([[200, undefined], true]);
    const customer = await service.customer();
    expect((await signIn({ email: customer.email, password: PASSWORD })).outcome).toEqual([403, 'role_not_allowed']);
  });

  test('is refused after ten wrong codes from any addresses, and at both logins after ten wrong passwords', async () => {
    const { email, password, codeOf } = await enrolledOperator(service, now);
    for (let failure = 1; failure <= 10; failure += 1)
      expect((await signIn({ email, password, code: '000000' })).outcome).toEqual([401, 'login_failed']);
    expect((await signIn({ email, password, code: codeOf(1) })).outcome).toEqual([429, 'too_many_failures']);

    const { id: _, ...login } = await newOperator(service);
    for (let failure = 1; failure <= 10; failure += 1) await signIn({ ...login, password: 'wrong' }, '10.9.9.9');
    expect((await signIn(login, '10.9.9.9')).outcome).toEqual([429, 'too_many_failures']);
    expect((await signIn(login, '10.9.9.9', '/auth/login')).outcome).toEqual([429, 'too_many_failures']);
  });
});

test('no operator removes their own second factor by a code, or removes a member’s without having one', async () => {
  const { caller, recoveryCodes } = await enrolledOperator(service, now);
  const body = { code: recoveryCodes[0] ?? '' };
  const own = await caller.rest.POST('/api/v1/members/me/second-factor/removal', { body });
  expect([own.response.status, own.error?.error.reason]).toEqual([403, 'own_second_factor']);
  const member = await newMember(service.url, await service.customer());
  await giveFactor(service, member.id);
  const removals = [service.operator, service.proven].map(({ rest }) =>
    rest.DELETE('/api/v1/members/{id}/second-factor', at(member.id)),
  );
  const [alone, proven] = await Promise.all(removals);
  expect([alone?.error?.error.reason, proven?.response.status]).toEqual(['second_factor_required', 204]);
});

test('only another operator who signed in with a second factor can remove one, which ends both kinds of tokens', async () => {
  const victim = await enrolledOperator(service, now);
  const thief = await service.signIn(victim);
  const outcomes = [];
  for (const { operator } of [service.operator, victim.caller, service.proven])
    outcomes.push(await operator.DELETE('/operator/v1/users/{id}/second-factor', at(victim.id)));
  const reasons = outcomes.map(({ response, error }) => [response.status, error?.error.reason]);
  expect(reasons).toEqual([refused, [403, 'own_second_factor'], [204, undefined]]);
  for (const { rest } of [thief, victim.caller]) expect((await rest.GET('/api/v1/users/me')).response.status).toBe(401);
  expect(await refusalTo(await service.signIn(victim))).toEqual([201, undefined]);
});
