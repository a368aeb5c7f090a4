import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { type ErrorCode, type ErrorReason, ServiceError } from '../../src/base/errors.js';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import type { Database } from '../../src/db/tables/database.js';
import { fingerprintOf } from '../../src/idempotency/once.js';
import { storeAnswers } from '../../src/idempotency/stored-answers.js';
import { at, atPackage, bodyOf, movement, placeOrder, resultsOf } from '../operator/fixtures.js';
import { endpointBody } from '../support/bodies.js';
import { lockWaiters } from '../support/database.js';
import { PASSWORD } from '../support/password.js';
import { waitFor } from '../support/receiver.js';
import { recordSettings } from '../support/records.js';
import { begunFactor, newOperator } from '../support/second-factor.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { bundles, fields } from './contract-files.js';

/** The parts of each reason, and reasons without another test. A whole run checks that all are answered. */

const encryptionKeys = `test:${randomBytes(32).toString('base64url')}`;
const service = await ownService({ ...recordSettings, ENCRYPTION_KEYS: encryptionKeys });
const { rest, operator } = service.operator;

type Meaning = { codes: readonly ErrorCode[]; retry_after?: number };
const meanings = fields(fields(fields(bundles.rest['components'])['schemas'])['ErrorReason'])['x-meanings'];
const reasons = Object.entries(fields(meanings)) as [ErrorReason, Meaning][];

test.each(reasons)('%s has a Retry-After if the contract says so', (reason, { codes, retry_after: seconds }) => {
  for (const code of codes) {
    const pause = (retryAfter?: number) => new ServiceError(code, reason, 'No.', { retryAfter }).headers['Retry-After'];
    const expected = seconds === undefined ? [undefined, undefined] : [String(seconds), '13'];
    expect([pause(), pause(12.1)]).toEqual(expected);
  }
});

const reasonOf = async (call: Promise<{ error?: unknown }>): Promise<unknown> =>
  fields(fields((await call).error)['error'])['reason'];

/** Changes a row that the request must lock, while the request is under way. Resolves to the answer. */
async function meanwhile<T>(change: (trx: Kysely<Database>) => Promise<unknown>, send: () => Promise<T>): Promise<T> {
  let answer: Promise<T> | undefined;
  await service.db.transaction().execute(async (trx) => {
    await change(trx);
    answer = send();
    await waitFor(async () => (await lockWaiters(service.db)) > 0, 'the request to wait');
  });
  return answer ?? send();
}

const deleted = async ({ id }: { id: string }) => void (await rest.DELETE('/api/v1/users/{id}', at(id)));

describe('a request is refused with', () => {
  test('idempotency_answer_erased, when the stored answer was about an erased person', async () => {
    const body = { email: `${randomUUID()}@malote.test`, name: 'Zé', phone: '+5511912345678', password: PASSWORD };
    const headers = { 'Idempotency-Key': randomUUID() };
    const user = await bodyOf(rest.POST('/api/v1/users', { body, headers }));
    await deleted(user);
    await bodyOf(operator.POST('/operator/v1/users/{id}/erasure', at(user.id)));
    expect(await reasonOf(rest.POST('/api/v1/users', { body, headers }))).toBe('idempotency_answer_erased');
  });

  test('account_held and account_erased, because a hold and an erasure exclude each other', async () => {
    const [held, erased] = [await service.customer(), await service.customer()];
    for (const each of [held, erased]) await deleted(each);
    await bodyOf(operator.POST('/operator/v1/users/{id}/hold', at(held.id)));
    await bodyOf(operator.POST('/operator/v1/users/{id}/erasure', at(erased.id)));
    expect(await reasonOf(operator.POST('/operator/v1/users/{id}/erasure', at(held.id)))).toBe('account_held');
    expect(await reasonOf(operator.POST('/operator/v1/users/{id}/hold', at(erased.id)))).toBe('account_erased');
  });

  test('account_deleted, when the account of a return is deleted', async () => {
    const { customer, key } = await ordered();
    await resultsOf(service.operator, movement(key, { status_code: 5 }));
    await deleted(customer);
    const call = rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(key), body: {} });
    expect(await reasonOf(call)).toBe('account_deleted');
  });

  test('order_changed, when the order changes during a change of address', async () => {
    const { customer, order, key } = await ordered();
    const change = (total?: string) => {
      const body = { address: { address: 'Rua XV de Novembro, 100, Santos - SP' }, ...(total && { total }) };
      return customer.rest.POST('/api/v1/packages/{loggi_key}/address-change', { ...atPackage(key), body });
    };
    const { total } = (await bodyOf(change())).order.pricing;
    const answer = meanwhile(
      async (trx) => {
        await sql`select loggi_key from packages where order_id = ${order.id} for update`.execute(trx);
        await sql`update orders set version = version + 1 where id = ${order.id}`.execute(trx);
      },
      () => change(total),
    );
    expect(await reasonOf(answer)).toBe('order_changed');
  });

  test('sign_in_ended, when the password changes while a second factor is confirmed', async () => {
    const caller = await service.signIn(await newOperator(service));
    const { body } = await begunFactor(caller);
    const answer = meanwhile(
      (trx) => sql`update accounts set epoch = epoch + 1 where id = ${caller.id}`.execute(trx),
      () => caller.operator.POST('/operator/v1/second-factor/confirmation', { body }),
    );
    expect(await reasonOf(answer)).toBe('sign_in_ended');
  });

  test('delivery_not_repeatable, when a test delivery is replayed', async () => {
    const { id } = await service.customer();
    const body = { ...endpointBody(id), url: 'https://127.0.0.1:8443/tests' };
    const { endpoint } = await bodyOf(operator.POST('/operator/v1/webhook-endpoints', { body }));
    const { webhook_id } = await bodyOf(operator.POST('/operator/v1/webhook-endpoints/{id}/test', at(endpoint.id)));
    const call = operator.POST('/operator/v1/deliveries/{webhook_id}/replay', { params: { path: { webhook_id } } });
    expect(await reasonOf(call)).toBe('delivery_not_repeatable');
  });

  test('unspecified, when a release without reasons stored the answer for the key', async () => {
    const { id: accountId, rest: customer } = await service.customer();
    const body = { sku: 'A', name: 'A', price: '1.00', dimensions: { width: 1, height: 1, length: 1, weight: 1 } };
    const key = randomUUID();
    const fingerprint = fingerprintOf({ params: {}, query: {}, body });
    const place = { accountId, operation: 'createProduct', key, interfaceName: 'rest' };
    const scope = { ...place, fingerprint, keys: parseKeyRing(encryptionKeys) };
    const fault = { code: 'CONFLICT', message: 'Taken.' } as const;
    const detail = { field: 'sku', message: 'is taken' };
    const stored = { kind: 'fault', ...fault, details: [detail], headers: {} } as const;
    await storeAnswers(service.db, [{ scope, stored }]);
    const answer = await customer.POST('/api/v1/products', { body, params: { header: { 'Idempotency-Key': key } } });
    const details = [{ ...detail, code: 'unspecified' }];
    expect(answer.error?.error).toEqual({ ...fault, reason: 'unspecified', details });
  });
});

async function ordered(): Promise<{ customer: Caller; order: { id: string }; key: string }> {
  const customer = await service.customer();
  const order = await placeOrder(customer);
  return { customer, order, key: order.packages[0]?.loggi_key ?? '' };
}

test('a refusal that may be repeated is not stored, so the same key works for the next try', async () => {
  const caller = await service.signIn(await newOperator(service));
  const make = (current_password: string, key: string) =>
    caller.operator.POST('/operator/v1/operator-keys', {
      body: { name: 'All', scope: 'all', current_password },
      headers: { 'Idempotency-Key': key },
    });
  for (let failure = 1; failure <= 10; failure += 1) await make('wrong', randomUUID());
  const refused = [await make(PASSWORD, 'again'), await make(PASSWORD, 'again')];
  for (const { response } of refused)
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([429, null]);
  await service.db.deleteFrom('login_failures').execute();
  expect((await make(PASSWORD, 'again')).response.status).toBe(201);
});
