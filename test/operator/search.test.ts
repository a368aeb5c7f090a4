import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { endpointBody, orderBody } from '../support/bodies.js';
import { recordSettings } from '../support/records.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at, bodyOf, movement, placeOrder, refusalOf, resultsOf, soon } from './fixtures.js';

/** Operators find orders and packages of all users by names, codes and ids. */

const service = await ownService(recordSettings);
const { operator } = service;
const { operator: api } = operator;
const [ana, rui] = [await service.customer(), await service.customer()];

type Query = Readonly<Record<string, string | number | boolean>>;
const ordersOf = async (query: Query) =>
  (await bodyOf(api.GET('/operator/v1/orders', { params: { query } }))).data.map(({ id }) => id);
const packagesOf = async (query: Query) =>
  (await bodyOf(api.GET('/operator/v1/packages', { params: { query } }))).data.map((each) => each.loggi_key);

async function orderTo(shipper: Caller, name: string, phone: string, externalId?: string) {
  const { pickups, packages } = orderBody({ recipient: { name, phone } });
  const body = { pickups, packages, ...(externalId !== undefined && { external_id: externalId }) };
  const order = await bodyOf(shipper.rest.POST('/api/v1/orders', { body }));
  return { id: order.id, key: order.packages[0]?.loggi_key ?? '', package: order.packages[0] };
}

const joao = await orderTo(ana, 'João Araújo', '+55 (11) 95555-1234', 'pedido-77');
const maria = await orderTo(ana, 'Maria Conceição', '+55 21 94444-9876');
const other = await orderTo(rui, 'JOAO de Deus', '+55 31 93333-0000', 'pedido-78');

describe('a searched text', () => {
  test.each([
    ['part of a name, in any case and without accents', 'joao ara', [joao]],
    ['the same with accents', 'JOÃO', [other, joao]],
    ['a name with a cedilla', 'conceicao', [maria]],
    ['a phone as it is spoken', '(11) 95555-1234', [joao]],
    ['the end of a phone', '9876', [maria]],
    ['an external id', 'pedido-77', [joao]],
    ['three digits, which may be of any phone', '987', []],
    ['signs that a pattern would know', 'jo_o%', []],
  ])('finds orders and packages by %s', async (_what, q, expected) => {
    expect(await ordersOf({ q })).toEqual(expected.map(({ id }) => id));
    expect(await packagesOf({ q })).toEqual(expected.map(({ key }) => key));
  });

  test('finds orders and packages by a barcode, and by a tracking code in any spelling', async () => {
    const { tracking_code = '', barcode = '' } = joao.package ?? {};
    for (const q of [tracking_code, tracking_code.toLowerCase().replace(/(.{4})/g, '$1 '), barcode])
      expect([await ordersOf({ q }), await packagesOf({ q })]).toEqual([[joao.id], [joao.key]]);
  });

  test('is combined with the other filters', async () => {
    expect(await ordersOf({ q: 'joao', user_id: rui.id })).toEqual([other.id]);
    expect(await packagesOf({ q: 'joao', user_id: rui.id })).toEqual([other.key]);
    const [tomorrow, yesterday] = [soon(86_400_000), soon(-86_400_000)];
    for (const list of [ordersOf, packagesOf]) {
      expect(await list({ q: 'joao', created_from: tomorrow })).toEqual([]);
      expect(await list({ q: 'joao', created_to: yesterday })).toEqual([]);
      expect(await list({ q: 'joao', created_from: yesterday, created_to: tomorrow })).toHaveLength(2);
    }
    expect(await packagesOf({ q: 'joao', open: true, created_from: yesterday, created_to: tomorrow })).toHaveLength(2);
    expect(await packagesOf({ q: 'joao', open: true, created_to: yesterday })).toEqual([]);
    expect(await packagesOf({ q: 'joao', status_code: 5 })).toEqual([]);
  });
});

test('orders of all users are listed newest first in pages, and filtered by user, status, time and unfinished', async () => {
  expect(await ordersOf({})).toEqual([other.id, maria.id, joao.id]);
  expect(await ordersOf({ page_size: 1, page: 2 })).toEqual([maria.id]);
  expect(await ordersOf({ user_id: ana.id })).toEqual([maria.id, joao.id]);
  await resultsOf(operator, movement(maria.key, { status_code: 5 }));
  expect(await ordersOf({ user_id: ana.id, status: 'completed' })).toEqual([maria.id]);
  expect(await ordersOf({ user_id: ana.id, open: true })).toEqual([joao.id]);
  expect(await ordersOf({ q: 'joao', open: true })).toEqual([other.id, joao.id]);
  expect(await ordersOf({ created_to: soon(-86_400_000) })).toEqual([]);
  const params = { query: { user_id: ana.id, open: true, page_size: 1 } };
  const { data, pagination } = await bodyOf(api.GET('/operator/v1/orders', { params }));
  expect(pagination.total_items).toBe(1);
  expect(data[0]).toMatchObject({ user_id: ana.id, external_id: 'pedido-77', status: 'created', package_count: 1 });
});

describe('GET /operator/v1/names', () => {
  const namesOf = async (...ids: string[]) =>
    (await bodyOf(api.GET('/operator/v1/names', { params: { query: { ids: ids.join(',') } } }))).data;

  test('names users, orders, packages, endpoints and keys; unknown ids are left out', async () => {
    const input = endpointBody(ana.id);
    const { endpoint } = await bodyOf(api.POST('/operator/v1/webhook-endpoints', { body: input }));
    const key = await bodyOf(api.POST('/operator/v1/operator-keys', { body: { name: 'Leitor 7', scope: 'read' } }));
    const unnamed = await placeOrder(rui);
    const ids = [ana.id, joao.id, unnamed.id, joao.key, endpoint.id, key.operator_key.id, randomUUID()];
    const named = await namesOf(...ids.map((id) => id.toUpperCase()));
    const { tracking_code } = joao.package ?? {};
    expect(named).toHaveLength(6);
    expect(named).toEqual(
      expect.arrayContaining([
        { id: ana.id, kind: 'user', name: expect.any(String), email: ana.email },
        { id: joao.id, kind: 'order', name: 'pedido-77' },
        { id: unnamed.id, kind: 'order', name: unnamed.packages[0]?.tracking_code },
        { id: joao.key, kind: 'package', name: tracking_code },
        { id: endpoint.id, kind: 'webhook_endpoint', name: input.url },
        { id: key.operator_key.id, kind: 'operator_key', name: 'Leitor 7' },
      ]),
    );
  });

  test('names a deleted user until it is erased', async () => {
    const { id, email } = await service.customer();
    await operator.rest.DELETE('/api/v1/users/{id}', at(id));
    expect(await namesOf(id)).toMatchObject([{ id, email }]);
    await api.POST('/operator/v1/users/{id}/erasure', at(id));
    expect((await namesOf(id))[0]?.email).not.toBe(email);
  });

  test('takes at most 25 ids, refuses other texts, and answers no name without an id', async () => {
    const refusal = async (ids: string) => refusalOf(api.GET('/operator/v1/names', { params: { query: { ids } } }));
    expect(await namesOf(...Array.from({ length: 25 }, () => randomUUID()))).toEqual([]);
    const many = Array.from({ length: 26 }, () => randomUUID()).join(',');
    for (const ids of [many, 'pedido-77']) expect(await refusal(ids)).toEqual([400, 'VALIDATION_ERROR', 'ids']);
    expect((await bodyOf(api.GET('/operator/v1/names'))).data).toEqual([]);
  });
});
