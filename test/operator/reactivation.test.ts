import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { endpointBody } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { recordSettings } from '../support/records.js';
import { giveFactor, newOperator } from '../support/second-factor.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at, bodyOf, placeOrder } from './fixtures.js';

/** A deleted user can be reactivated until its personal data is erased. */

const service = await ownService(recordSettings);
const { operator: api, rest } = service.operator;

const remove = (id: string) => rest.DELETE('/api/v1/users/{id}', at(id));
const reactivate = (id: string, password = 'another horse battery') =>
  api.POST('/operator/v1/users/{id}/reactivation', {
    ...at(id),
    body: { password, current_password: operatorLogin.password },
  });
const login = (email: string, password: string) =>
  ask(service.url, 'POST', '/auth/login', { body: { email, password } });

async function reasonOf(call: ReturnType<typeof reactivate>) {
  const { error, response } = await call;
  return [response.status, error?.error.reason];
}

test('a reactivated user signs in only with the new password, and has its orders again', async () => {
  const customer = await service.customer();
  const { id, email } = customer;
  const order = await placeOrder(customer);
  await remove(id);
  const { data, response } = await reactivate(id);
  expect([response.status, data]).toEqual([200, expect.objectContaining({ id, email, phone_confirmed: true })]);
  expect(response.headers.get('etag')).toMatch(/^"\d+"$/);
  expect((await login(email, PASSWORD)).status).toBe(401);
  const again = await service.signIn({ email, password: 'another horse battery' });
  expect((await bodyOf(again.rest.GET('/api/v1/orders'))).data.map((each) => each.id)).toEqual([order.id]);
  expect((await bodyOf(api.GET('/operator/v1/deleted-users'))).data.map((each) => each.id)).not.toContain(id);
});

test('a reactivated user gets back no endpoint, no key, no token and no second factor', async () => {
  const customer = await service.customer();
  const { id, email, token } = customer;
  await bodyOf(api.POST('/operator/v1/webhook-endpoints', { body: endpointBody(id) }));
  await bodyOf(customer.rest.POST('/api/v1/api-keys', { body: { name: 'Loja', scope: 'all' } }));
  const keyOf = async (password: string) => {
    const query = `mutation { login(input: {email: "${email}", password: "${password}"}) { user { apiKey } } }`;
    return JSON.parse((await ask(service.url, 'POST', '/graphql', { body: { query } })).text).data.login.user.apiKey;
  };
  const before = await keyOf(PASSWORD);
  // Two keys are valid now. Neither may outlive the deletion.
  await api.POST('/operator/v1/users/{id}/api-key-rotation', { ...at(id), body: { overlap_seconds: 3600 } });
  await remove(id);
  await bodyOf(reactivate(id, PASSWORD));
  const query = { params: { query: { user_id: id } } };
  expect((await bodyOf(api.GET('/operator/v1/webhook-endpoints', query))).data).toEqual([]);
  expect((await bodyOf(api.GET('/operator/v1/users/{id}/api-keys', at(id)))).data).toEqual([]);
  expect((await ask(service.url, 'GET', '/api/v1/orders', { token })).status).toBe(401);
  const headers = { Authorization: `ApiKey ${email}:${before}` };
  const body = { query: '{ orders { edges { cursor } } }' };
  const orders = await ask(service.url, 'POST', '/graphql', { headers, body });
  expect(JSON.parse(orders.text).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  expect(await keyOf(PASSWORD)).not.toBe(before);

  const colleague = await newOperator(service);
  const { id: operatorId } = await service.signIn(colleague);
  await giveFactor(service, operatorId);
  await remove(operatorId);
  await bodyOf(reactivate(operatorId, colleague.password));
  expect((await login(colleague.email, colleague.password)).status).toBe(200);
  const factors = service.db.selectFrom('second_factors').selectAll().where('account_id', '=', operatorId);
  expect(await factors.execute()).toEqual([]);
});

test('reactivation is refused for a user that is not deleted, is erased or unknown, or whose address is taken', async () => {
  const { id, email } = await service.customer();
  expect(await reasonOf(reactivate(id))).toEqual([409, 'account_not_deleted']);
  await remove(id);
  const body = { email: email.toUpperCase(), name: 'Ana', phone: '+55 11 91234-5678', password: PASSWORD };
  const other = await bodyOf(rest.POST('/api/v1/users', { body }));
  expect(await reasonOf(reactivate(id))).toEqual([409, 'email_taken']);
  await remove(other.id);
  expect((await reactivate(id)).response.status).toBe(200);
  await remove(id);
  await api.POST('/operator/v1/users/{id}/erasure', at(id));
  expect(await reasonOf(reactivate(id))).toEqual([404, 'record_not_found']);
  expect(await reasonOf(reactivate(randomUUID()))).toEqual([404, 'record_not_found']);
});

test('reactivation removes the deletion from the record for restored backups; a second deletion is recorded again', async () => {
  const { id } = await service.customer();
  const entries = async () => {
    const { data } = await bodyOf(api.GET('/operator/v1/erasures', { params: { query: { page_size: 100 } } }));
    return data.filter((each) => each.user_id === id).length;
  };
  await remove(id);
  expect(await entries()).toBe(1);
  await bodyOf(reactivate(id));
  expect(await entries()).toBe(0);
  await remove(id);
  expect(await entries()).toBe(1);
});
