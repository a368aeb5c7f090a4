import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { sharedService } from '../support/services.js';
import { bodyOf, refusalOf } from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;

const of = (id: string) => ({ params: { path: { id } } });

async function apiLogin(email: string): Promise<string | null> {
  const query = `mutation { login(input: {email: "${email}", password: "${PASSWORD}"}) { user { apiKey } } }`;
  const answer = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data } = JSON.parse(await answer.text());
  return data.login.user?.apiKey ?? null;
}

describe('payment methods', () => {
  test('are added to an account and listed after its first', async () => {
    const { id } = await service.customer();
    const body = { kind: 'credit_card', label: 'Visa final 1234' } as const;
    const { data, response } = await api.POST('/operator/v1/users/{id}/payment-methods', {
      ...of(id),
      body,
    });
    expect(response.status).toBe(201);
    expect(data).toMatchObject(body);
    expect(response.headers.get('location')).toBe(`/operator/v1/users/${id}/payment-methods/${data?.id}`);
    const list = await bodyOf(api.GET('/operator/v1/users/{id}/payment-methods', of(id)));
    expect(list.data.map((method) => method.kind)).toEqual(['invoice', 'credit_card']);
    const params = { path: { id, payment_method_id: data?.id ?? 0 } };
    const call = api.GET('/operator/v1/users/{id}/payment-methods/{payment_method_id}', { params });
    expect(await bodyOf(call)).toEqual(data);
  });

  test("of another account are not this account's", async () => {
    const [one, other] = [await service.customer(), await service.customer()];
    const { data } = await bodyOf(api.GET('/operator/v1/users/{id}/payment-methods', of(other.id)));
    const params = { path: { id: one.id, payment_method_id: data[0]?.id ?? 0 } };
    const call = api.GET('/operator/v1/users/{id}/payment-methods/{payment_method_id}', { params });
    expect(await refusalOf(call)).toEqual([404, 'NOT_FOUND']);
  });

  test('refuse a kind that there is not, and an empty label', async () => {
    const { id } = await service.customer();
    const body = JSON.parse('{"kind": "barter", "label": ""}');
    const call = api.POST('/operator/v1/users/{id}/payment-methods', { ...of(id), body });
    expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', 'kind', 'label']);
  });
});

describe('phone confirmation', () => {
  test('lets the account have its API key, until the phone changes', async () => {
    const customer = await service.customer({ phoneConfirmed: false });
    expect(await apiLogin(customer.email)).toBeNull();
    const { data, response } = await api.POST('/operator/v1/users/{id}/phone-confirmation', of(customer.id));
    expect([response.status, data?.phone_confirmed]).toEqual([200, true]);
    expect(response.headers.get('etag')).toBe('"2"');
    expect(await apiLogin(customer.email)).not.toBeNull();
    const body = { email: customer.email, name: 'Ana Souza', phone: '+55 11 90000-0000', current_password: PASSWORD };
    await bodyOf(customer.rest.PUT('/api/v1/users/{id}', { ...of(customer.id), body }));
    expect(await apiLogin(customer.email)).toBeNull();
  });
});

describe('rotation of the API key', () => {
  test('gives the account another key, which is not shown here', async () => {
    const customer = await service.customer();
    const before = await apiLogin(customer.email);
    const rotated = await bodyOf(api.POST('/operator/v1/users/{id}/api-key-rotation', of(customer.id)));
    expect(rotated).toEqual({ user_id: customer.id, version: 2, rotated_at: expect.any(String) });
    const after = await apiLogin(customer.email);
    expect(after).not.toBe(before);
    expect(JSON.stringify(rotated)).not.toContain(after);
  });
});

test('everything of an account that is absent or deleted is 404', async () => {
  const { id: gone } = await service.customer();
  await operator.rest.DELETE('/api/v1/users/{id}', of(gone));
  const body = { kind: 'pix', label: 'Pix' } as const;
  for (const id of [gone, randomUUID()]) {
    const calls = [
      api.GET('/operator/v1/users/{id}/payment-methods', of(id)),
      api.POST('/operator/v1/users/{id}/payment-methods', { ...of(id), body }),
      api.POST('/operator/v1/users/{id}/phone-confirmation', of(id)),
      api.POST('/operator/v1/users/{id}/api-key-rotation', of(id)),
    ];
    for (const call of calls) expect(await refusalOf(call)).toEqual([404, 'NOT_FOUND']);
  }
});
