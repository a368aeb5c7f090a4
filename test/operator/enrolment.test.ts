import { describe, expect, test } from '@jest/globals';
import type { Schemas } from '../../src/operator/deps.js';
import { ask, must } from '../support/http.js';
import { begunFactor, enrolledOperator, newOperator } from '../support/second-factor.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at } from './fixtures.js';

let now = Date.now();

const service = await ownService({}, { worker: false, clock: () => new Date(now) });

async function signedIn() {
  const login = await newOperator(service);
  return { login, caller: await service.signIn(login) };
}

type Confirmation = Schemas['SecondFactorConfirmation'];

/** Sends the confirmation. Resolves to the status, and to the field or code of a refusal. */
async function confirm({ operator }: Caller, body: Confirmation) {
  const { response, error } = await operator.POST('/operator/v1/second-factor/confirmation', { body });
  return [response.status, error && (error.error.details[0]?.field ?? error.error.code)];
}

const factors = ({ id }: Caller) =>
  service.db.selectFrom('second_factors').select('confirmed_at').where('account_id', '=', id).execute();

test('beginning a second factor shows a new secret each time, which no cache may store, and stores nothing', async () => {
  const { caller } = await signedIn();
  const begin = () => ask(service.url, 'POST', '/operator/v1/second-factor', { token: caller.token });
  const [first, second] = [await begin(), await begin()].map(({ text }) => JSON.parse(text));
  expect(first.secret).not.toBe(second.secret);
  expect(new URL(first.otpauth_uri).searchParams.get('secret')).toBe(first.secret);
  expect(decodeURIComponent(first.otpauth_uri)).toContain(caller.email);
  expect(Buffer.from(first.enrolment, 'base64url').toString('latin1')).not.toContain(first.secret);
  expect(first.expires_at).toBe(new Date(now + 600_000).toISOString());
  expect((await begin()).headers.get('cache-control')).toBe('no-store');
  expect(await factors(caller)).toEqual([]);
});

test('a right code puts the second factor in force, ends sessions without it, and is in the audit log', async () => {
  const { caller } = await signedIn();
  const { body } = await begunFactor(caller, now);
  expect(await confirm(caller, { ...body, code: '000000' })).toEqual([400, 'code']);
  expect(await factors(caller)).toEqual([]);
  const { data, response } = await caller.operator.POST('/operator/v1/second-factor/confirmation', { body });
  expect(data?.recovery_codes).toEqual(Array.from({ length: 10 }, () => expect.stringMatching(/^\w{4}(-\w{4}){3}$/)));
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await caller.rest.GET('/api/v1/users/me')).response.status).toBe(401);
  const proven = service.caller(caller, data?.access_token ?? '');
  const key = { name: 'Scanner', scope: 'read' } as const;
  expect((await proven.operator.POST('/operator/v1/operator-keys', { body: key })).response.status).toBe(201);
  const query = { operation: 'confirmSecondFactor', actor_id: caller.id };
  const log = must(await proven.operator.GET('/operator/v1/audit-log', { params: { query } }));
  expect(log.data).toEqual([
    expect.objectContaining({ fields: ['enrolment', 'code', 'current_password'], targets: {} }),
  ]);
});

test('the confirmation needs the password, so that the thief of a token cannot set up a second factor', async () => {
  const { caller } = await signedIn();
  const { body } = await begunFactor(caller, now);
  const { current_password: _, ...withoutPassword } = body;
  expect(await confirm(caller, withoutPassword)).toEqual([403, 'FORBIDDEN']);
  expect(await confirm(caller, { ...body, current_password: 'another password' })).toEqual([400, 'current_password']);
  expect(await factors(caller)).toEqual([]);
  expect(await confirm(caller, body)).toEqual([200, undefined]);
});

test('the confirmation refuses even the right password after ten wrong ones', async () => {
  const { caller } = await signedIn();
  const { body } = await begunFactor(caller, now);
  const wrong = { ...body, current_password: 'another password' };
  for (let times = 0; times < 10; times += 1) expect(await confirm(caller, wrong)).toEqual([400, 'current_password']);
  expect(await confirm(caller, body)).toEqual([429, 'RATE_LIMITED']);
});

describe('a second factor that was begun is not put in force', () => {
  test('by another sign-in, by another account, or with an altered enrolment', async () => {
    const { login, caller } = await signedIn();
    const { body } = await begunFactor(caller, now);
    const again = await service.signIn(login);
    const { caller: other } = await signedIn();
    const altered = { ...body, enrolment: `${body.enrolment.slice(0, -2)}AA` };
    const outcomes = [await confirm(again, body), await confirm(other, body), await confirm(caller, altered)];
    expect(outcomes).toEqual(outcomes.map(() => [400, 'enrolment']));
    expect(await confirm(caller, { ...body, enrolment: 'AA' })).toEqual([400, 'enrolment']);
    expect(await confirm(caller, body)).toEqual([200, undefined]);
  });

  test('after 10 minutes', async () => {
    const { caller } = await signedIn();
    const { body, codeOf } = await begunFactor(caller, now);
    now += 10 * 60_000;
    expect(await confirm(caller, { ...body, code: codeOf(20) })).toEqual([400, 'enrolment']);
    const { body: again, codeOf: codeAgain } = await begunFactor(caller, now);
    now += 10 * 60_000 - 1;
    expect(await confirm(caller, { ...again, code: codeAgain(20) })).toEqual([200, undefined]);
  });

  test('after a change of the password', async () => {
    const { login, caller } = await signedIn();
    const { body } = await begunFactor(caller, now);
    const profile = { email: login.email, name: 'Olga', phone: '+55 11 91234-5678', password: 'another password' };
    const changed = { ...profile, current_password: operatorLogin.password };
    must(await service.operator.rest.PUT('/api/v1/users/{id}', { ...at(caller.id), body: changed }));
    expect(await confirm(caller, body)).toEqual([401, 'UNAUTHENTICATED']);
    const after = await service.signIn({ email: login.email, password: 'another password' });
    expect(await confirm(after, body)).toEqual([400, 'enrolment']);
  });

  test('when the account has one meanwhile; then no other can be begun either', async () => {
    const { login, caller } = await signedIn();
    const { body } = await begunFactor(caller, now);
    const elsewhere = await service.signIn(login);
    expect(await confirm(elsewhere, (await begunFactor(elsewhere, now)).body)).toEqual([200, undefined]);
    expect(await confirm(caller, body)).toEqual([401, 'UNAUTHENTICATED']);
    const { caller: enrolled } = await enrolledOperator(service, now);
    const begun = await enrolled.operator.POST('/operator/v1/second-factor');
    expect([begun.response.status, begun.error?.error.code]).toEqual([409, 'CONFLICT']);
  });
});
