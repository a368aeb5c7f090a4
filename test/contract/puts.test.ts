import { describe, expect, test } from '@jest/globals';
import { at } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { operatorLogin } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { fields, type Node, resolve } from './contract-files.js';
import { type Described, operations } from './oracle.js';

/** Fields that a PUT leaves out follow contracts/guides/behaviour.md#what-a-put-leaves-out. */

const service = await sharedService();
const { operator } = service;

interface Proof {
  /**
   * Makes a record with all optional fields, then sends only the required ones. Answers the record before and after.
   */
  readonly change: () => Promise<[before: object, after: object]>;
  readonly stays: readonly string[];
  /** The new values of fields that do not stay, as their descriptions say. */
  readonly becomes?: Node;
  /** Optional fields of the request that are not stored. */
  readonly ofRequest?: readonly string[];
}

const optionalOnes: Readonly<Record<string, Proof>> = {
  updateUser: {
    stays: ['phone_confirmed', 'tax_id', 'support_contact', 'role', 'password'],
    ofRequest: ['current_password', 'code', 'keep_operator_keys', 'keep_api_keys'],
    change: changeUser,
  },
  updateUserMember: { stays: [], ofRequest: ['current_password', 'code'], change: changeMember },
  updateProduct: {
    stays: [],
    becomes: { description: '' },
    change: changeProduct,
  },
  updateWebhookEndpoint: { stays: ['password', 'lanes'], change: changeEndpoint },
};

async function changeUser(): Promise<[object, object]> {
  const { id, email } = await service.customer();
  const params = { path: { id } };
  const profile = { email, name: 'Ana Lima', phone: '+55 11 91234-5678' };
  const fields = { phone_confirmed: true, tax_id: '52998224725', support_contact: 'ajuda@example.com' };
  const others = { ...fields, role: 'operator', password: 'another password' } as const;
  const proof = { current_password: operatorLogin.password };
  const changed = { ...profile, ...others, ...proof };
  const before = must(await operator.rest.PUT('/api/v1/users/{id}', { params, body: changed }));
  const after = must(await operator.rest.PUT('/api/v1/users/{id}', { params, body: profile }));
  expect((await service.signIn({ email, password: others.password })).id).toBe(id);
  return [before, after];
}

async function changeMember(): Promise<[object, object]> {
  const { id, rest } = await service.customer();
  const person = { name: 'Bia Ramos', role: 'viewer' } as const;
  const body = { ...person, email: `bia-${id}@malote.test` };
  const { member } = must(await rest.POST('/api/v1/members', { body }));
  const params = { path: { id, member_id: member.id } };
  const changed = { ...person, current_password: operatorLogin.password };
  const path = '/operator/v1/users/{id}/members/{member_id}';
  return [member, must(await operator.operator.PUT(path, { params, body: changed }))];
}

async function changeProduct(): Promise<[object, object]> {
  const { rest } = await service.customer();
  const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
  const body = { sku: 'CAFE-500', name: 'Café torrado', price: '38.50', dimensions };
  const before = must(await rest.POST('/api/v1/products', { body: { ...body, description: 'Arábica.' } }));
  return [before, must(await rest.PUT('/api/v1/products/{id}', { ...at(before.id), body }))];
}

async function changeEndpoint(): Promise<[object, object]> {
  const { id: user_id } = await service.customer();
  const body = { url: 'https://127.0.0.1:8443/hook', username: 'malote' };
  const full = { ...body, user_id, password: 's3cr3t-of-the-receiver', lanes: 4 };
  const { endpoint: before } = must(await operator.operator.POST('/operator/v1/webhook-endpoints', { body: full }));
  const row = service.db.selectFrom('webhook_endpoints').select('password_sealed').where('id', '=', before.id);
  const sealed = () => row.executeTakeFirstOrThrow();
  const password = await sealed();
  const after = must(await operator.operator.PUT('/operator/v1/webhook-endpoints/{id}', { ...at(before.id), body }));
  expect(await sealed()).toEqual(password);
  return [before, after];
}

function optionalFields({ document, node }: Described): string[] {
  const { content } = fields(resolve(document, node['requestBody']));
  const schema = fields(resolve(document, fields(fields(content)['application/json'])['schema']));
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.keys(fields(schema['properties'])).filter((name) => !required.includes(name));
}

const puts = operations.filter(({ method }) => method === 'PUT');

describe.each(puts.map((put): [string, Described] => [put.id, put]))('%s', (id, put) => {
  const { stays = [], becomes = {}, ofRequest = [] } = optionalOnes[id] ?? {};

  test('refers to the rule for every PUT', () => {
    expect(put.node['description']).toContain('(/docs/guide/rest-over-http#what-a-put-leaves-out)');
  });

  test('has all of its optional fields in this test', () => {
    expect(optionalFields(put).sort()).toEqual([...stays, ...Object.keys(becomes), ...ofRequest].sort());
  });
});

test.each(Object.entries(optionalOnes))('%s keeps the fields that are left out', async (_id, { change, becomes }) => {
  const [before, after] = await change();
  expect(after).toEqual({ ...before, ...becomes, ...('updated_at' in before && { updated_at: expect.any(String) }) });
});
