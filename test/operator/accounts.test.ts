import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { sharedService } from '../support/services.js';
import { at, bodyOf, refusalOf } from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;

async function apiLogin(email: string): Promise<string | null> {
  const query = `mutation { login(input: {email: "${email}", password: "${PASSWORD}"}) { user { apiKey } } }`;
  const { text } = await ask(service.url, 'POST', '/graphql', { body: { query } });
  return JSON.parse(text).data.login.user?.apiKey ?? null;
}

/** The status of a GraphQL request with this API key. */
async function statusOf(email: string, key: string | null): Promise<number> {
  const headers = { Authorization: `ApiKey ${email}:${key}` };
  return (await ask(service.url, 'POST', '/graphql', { headers, body: { query: '{ me { pk } }' } })).status;
}

describe('payment methods', () => {
  test('are added to an account, and listed after its first payment method', async () => {
    const { id } = await service.customer();
    const body = { kind: 'credit_card', label: 'Visa final 1234' } as const;
    const { data, response } = await api.POST('/operator/v1/users/{id}/payment-methods', { ...at(id), body });
    expect(response.status).toBe(201);
    expect(data).toMatchObject(body);
    expect(response.headers.get('location')).toBe(`/operator/v1/users/${id}/payment-methods/${data?.id}`);
    const list = await bodyOf(api.GET('/operator/v1/users/{id}/payment-methods', at(id)));
    expect(list.data.map((method) => method.kind)).toEqual(['invoice', 'credit_card']);
    const params = { path: { id, payment_method_id: data?.id ?? 0 } };
    const call = api.GET('/operator/v1/users/{id}/payment-methods/{payment_method_id}', { params });
    expect(await bodyOf(call)).toEqual(data);
  });

  test('of one account are not shown by another', async () => {
    const [one, other] = [await service.customer(), await service.customer()];
    const { data } = await bodyOf(api.GET('/operator/v1/users/{id}/payment-methods', at(other.id)));
    const params = { path: { id: one.id, payment_method_id: data[0]?.id ?? 0 } };
    const call = api.GET('/operator/v1/users/{id}/payment-methods/{payment_method_id}', { params });
    expect(await refusalOf(call)).toEqual([404, 'NOT_FOUND']);
  });
});

test('an account has its API key from the confirmation of its phone until the phone changes', async () => {
  const { id, email, rest } = await service.customer({ phoneConfirmed: false });
  expect(await apiLogin(email)).toBeNull();
  for (const _ of [1, 2]) {
    const { data, response } = await api.POST('/operator/v1/users/{id}/phone-confirmation', at(id));
    expect([response.status, data?.phone_confirmed, response.headers.get('etag')]).toEqual([200, true, '"2"']);
  }
  expect(await apiLogin(email)).not.toBeNull();
  const body = { email, name: 'Ana Souza', phone: '+55 11 90000-0000', current_password: PASSWORD };
  await bodyOf(rest.PUT('/api/v1/users/{id}', { ...at(id), body }));
  expect(await apiLogin(email)).toBeNull();
});

describe('rotation of the API key', () => {
  test('gives the account another key, which is not shown here', async () => {
    const { id, email } = await service.customer();
    const before = await apiLogin(email);
    const rotated = await bodyOf(api.POST('/operator/v1/users/{id}/api-key-rotation', at(id)));
    expect(rotated).toEqual({ user_id: id, version: 2, rotated_at: expect.any(String) });
    const after = await apiLogin(email);
    expect(after).not.toBe(before);
    expect(JSON.stringify(rotated)).not.toContain(after);
  });

  test('can let the old key work for a while', async () => {
    const { id, email } = await service.customer();
    const before = await apiLogin(email);
    const rotate = (overlap_seconds: number) =>
      api.POST('/operator/v1/users/{id}/api-key-rotation', { ...at(id), body: { overlap_seconds } });
    expect(await refusalOf(rotate(604_801))).toEqual([400, 'VALIDATION_ERROR', 'overlap_seconds']);
    await bodyOf(rotate(604_800));
    expect(await statusOf(email, before)).toBe(200);
    await bodyOf(rotate(0));
    expect(await statusOf(email, before)).toBe(401);
  });
});

test('named API keys are listed without their secrets, and can be revoked', async () => {
  const [ana, other] = [await service.customer(), await service.customer()];
  const make = () => bodyOf(ana.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'read' } }));
  const [{ api_key: first }, { api_key: second, secret }] = [await make(), await make()];
  const list = async (id: string) => (await bodyOf(api.GET('/operator/v1/users/{id}/api-keys', at(id)))).data;
  expect(await list(ana.id)).toEqual([second, first]);
  expect(await list(other.id)).toEqual([]);
  const revoke = (id: string) =>
    api.DELETE('/operator/v1/users/{id}/api-keys/{key_id}', { params: { path: { id, key_id: second.id } } });
  expect(await refusalOf(revoke(other.id))).toEqual([404, 'NOT_FOUND']);
  expect((await revoke(ana.id)).response.status).toBe(204);
  expect(await list(ana.id)).toEqual([{ ...second, revoked_at: expect.any(String) }, first]);
  expect(await statusOf(ana.email, secret)).toBe(401);
});

test('every path below an unknown or deleted account is 404', async () => {
  const { id: gone } = await service.customer();
  await operator.rest.DELETE('/api/v1/users/{id}', at(gone));
  const body = { kind: 'pix', label: 'Pix' } as const;
  for (const id of [gone, randomUUID()]) {
    const calls = [
      api.GET('/operator/v1/users/{id}/payment-methods', at(id)),
      api.POST('/operator/v1/users/{id}/payment-methods', { ...at(id), body }),
      api.POST('/operator/v1/users/{id}/phone-confirmation', at(id)),
      api.POST('/operator/v1/users/{id}/api-key-rotation', at(id)),
      api.GET('/operator/v1/users/{id}/api-keys', at(id)),
    ];
    for (const call of calls) expect(await refusalOf(call)).toEqual([404, 'NOT_FOUND']);
  }
});
