import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { components } from '../../generated/operator.js';
import { resetOperator } from '../../src/accounts/operators.js';
import { PASSWORD } from '../support/password.js';
import { enrolledOperator, newOperator } from '../support/second-factor.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at } from './fixtures.js';

/** Operator keys: how they are made, how long they last, and which changes end them. */

const now = Date.now();

const service = await ownService({}, { worker: false, clock: () => new Date(now) });
const { operator: api } = service.operator;

type NewKey = Partial<components['schemas']['OperatorKeyInput']>;

/** Makes a key. Resolves to the status with the reason or field of a refusal, and to the key. */
async function make({ operator }: Caller, { name = 'Scanner', scope = 'read', ...other }: NewKey = {}) {
  const body = { name, scope, ...other };
  const { data, error, response } = await operator.POST('/operator/v1/operator-keys', { body });
  const why = error && (error.error.details[0]?.field ?? error.error.reason);
  return { outcome: [response.status, why], key: data?.operator_key };
}

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(now + days * DAY_MS).toISOString();

const isRevoked = async (id = '') =>
  (await api.GET('/operator/v1/operator-keys/{id}', at(id))).data?.revoked_at !== undefined;

describe('a key ends', () => {
  test('after 90 days, or at a chosen time that is at most a year ahead', async () => {
    expect((await make(service.operator)).key?.expires_at).toBe(inDays(90));
    expect((await make(service.operator, { expires_at: inDays(365) })).outcome).toEqual([201, undefined]);
    expect((await make(service.operator, { expires_at: inDays(367) })).outcome).toEqual([400, 'expires_at']);
  });

  test('never, if a release before 1.4 made it without an end', async () => {
    const { key } = await make(service.operator);
    await sql`update operator_keys set expires_at = null where id = ${key?.id}`.execute(service.db);
    const { data } = await api.GET('/operator/v1/operator-keys/{id}', at(key?.id ?? ''));
    expect([data?.id, data?.expires_at]).toEqual([key?.id, undefined]);
  });

  const newPassword = 'another password';
  const profileOf = (email: string) => ({ email, name: 'Olga', phone: '+55 11 91234-5678' });

  test.each([
    [undefined, true],
    [false, true],
    [true, false],
  ])("when any operator changes its maker's password, with keep_operator_keys %s: %s", async (keep, ends) => {
    for (const isOwn of [true, false]) {
      const login = await newOperator(service);
      const maker = await service.signIn(login);
      const { key } = await make(maker);
      const proof = { current_password: isOwn ? PASSWORD : operatorLogin.password };
      const kept = keep === undefined ? {} : { keep_operator_keys: keep };
      const body = { ...profileOf(login.email), password: newPassword, ...proof, ...kept };
      const by = isOwn ? maker : service.operator;
      const { response } = await by.rest.PUT('/api/v1/users/{id}', { ...at(login.id), body });
      expect([response.status, await isRevoked(key?.id)]).toEqual([200, ends]);
    }
  });

  test('not when another field of its maker changes, nor when the password of another operator changes', async () => {
    const [one, two] = [await newOperator(service), await newOperator(service)];
    const { key } = await make(await service.signIn(one));
    const { rest } = service.operator;
    await rest.PUT('/api/v1/users/{id}', { ...at(one.id), body: { ...profileOf(one.email), name: 'Rui' } });
    const other = { ...profileOf(two.email), password: newPassword, current_password: operatorLogin.password };
    await rest.PUT('/api/v1/users/{id}', { ...at(two.id), body: other });
    expect(await isRevoked(key?.id)).toBe(false);
  });

  test.each([
    [true, false],
    [false, true],
  ])('when the password is reset by command, unless keys are kept (%s)', async (keepKeys, ends) => {
    const { email, ...login } = await newOperator(service);
    const { key } = await make(await service.signIn({ email, ...login }));
    await resetOperator(service.db, { email, keepKeys });
    expect(await isRevoked(key?.id)).toBe(ends);
  });
});

describe('a key of scope all', () => {
  test('needs the password again to be made; other scopes do not', async () => {
    const caller = await service.signIn(await newOperator(service));
    const all = (proof: NewKey = {}) => make(caller, { scope: 'all', ...proof });
    expect((await all()).outcome).toEqual([403, 'reauthentication_required']);
    expect((await all({ current_password: 'wrong' })).outcome).toEqual([400, 'current_password']);
    expect((await all({ code: '123456' })).outcome).toEqual([400, 'code']);
    expect((await all({ current_password: PASSWORD })).outcome).toEqual([201, undefined]);
    expect((await make(caller, { scope: 'movements' })).outcome).toEqual([201, undefined]);
  });

  test('can be made with the Idempotency-Key of an earlier request that lacked the password', async () => {
    const { operator } = await service.signIn(await newOperator(service));
    const header = { 'Idempotency-Key': 'make-once' };
    const make = async (proof: { current_password?: string }) => {
      const body = { name: 'Backoffice', scope: 'all' as const, ...proof };
      return (await operator.POST('/operator/v1/operator-keys', { params: { header }, body })).response.status;
    };
    expect([await make({}), await make({ current_password: PASSWORD })]).toEqual([403, 201]);
  });

  test('can be made with a code in place of the password, and each code works once', async () => {
    const { caller, codeOf } = await enrolledOperator(service, now);
    const all = (proof: NewKey) => make(caller, { scope: 'all', ...proof });
    expect((await all({ code: codeOf() })).outcome).toEqual([400, 'code']);
    expect((await all({ code: codeOf(1) })).outcome).toEqual([201, undefined]);
    expect((await all({ code: codeOf(1) })).outcome).toEqual([400, 'code']);
    expect((await all({ current_password: PASSWORD })).outcome).toEqual([201, undefined]);
  });
});
