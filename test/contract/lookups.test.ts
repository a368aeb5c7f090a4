import { expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { answering, startRemote } from '../domain/routing-remote-support.js';
import { anOrder, CREATE_ORDER, startGraphql } from '../graphql/client.js';
import { movement, resultsOf } from '../operator/fixtures.js';
import { orderBody as bodyOf } from '../support/bodies.js';
import { must } from '../support/http.js';

/** Remote planning services are slow and may cost money. An order that is refused anyway does not ask them. */

type OrderCreate = components['schemas']['OrderCreate'];

const remote = await startRemote();
remote.behave(answering([]));
const service = await startGraphql({ GEOCODER_URL: remote.url, OSRM_URL: remote.url, VROOM_URL: remote.url });
const client = await service.client();

/** An address that only a remote service could place. */
const UNKNOWN = 'Rua A, 1, Cidade Inexistente - SP';
const CONTRADICTORY = 'Rua A, 1, Santos - SP, 20040-002';
const ABSENT = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';
const cube = { width: 90, length: 90, height: 90 };

let number = 0;
/** New addresses, because the service remembers the ones that it has searched. */
const fresh = () => ({ address: `Rua A, ${++number}, Santos - SP` });
const orderBody = (change: object = {}) => ({
  ...bodyOf({ address: fresh(), ...change }),
  pickups: [{ address: fresh() }],
});
/** An order with one package and this change. */
const packed = (change: object) => ({ packages: orderBody(change).packages });
const items = [{ product_id: ABSENT, quantity: 1 }];

const searches = () => remote.requested.filter((path) => path.startsWith('/search')).map((path) => path.split('&')[0]);

const create = async (order: OrderCreate) => {
  const { response, error } = await client.caller.rest.POST('/api/v1/orders', { body: order });
  return [response.status, ...(error?.error.details.map(({ field }) => field) ?? [])];
};

test('a valid order is looked up', async () => {
  expect(await create(orderBody())).toEqual([201]);
  // Each address is searched twice, because this service knows no house of the street.
  expect(new Set(searches()).size).toBe(3);
  expect(searches()).toHaveLength(4);
});

test('a change of address looks up only the new address, and a return looks up no address', async () => {
  const { rest } = client.caller;
  const order = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const path = { loggi_key: order.packages[0]?.loggi_key ?? '' };
  remote.requested.length = 0;
  const changing = { params: { path }, body: { address: fresh() } };
  const { order: preview } = must(await rest.POST('/api/v1/packages/{loggi_key}/address-change', changing));
  expect([searches().length, preview.packages[0]?.address]).toEqual([2, changing.body.address]);
  await resultsOf(service.operator, movement(path.loggi_key, { status_code: 5 }));
  remote.requested.length = 0;
  must(await rest.POST('/api/v1/packages/{loggi_key}/return', { params: { path }, body: {} }));
  expect(searches()).toEqual([]);
});

test.each<[string, Partial<OrderCreate>, string]>([
  ['dimensions and items', packed({ items }), 'packages.0'],
  ['neither dimensions nor items', packed({ dimensions: undefined }), 'packages.0'],
  ['a pickup that is missing', packed({ pickup_index: 1 }), 'packages.0.pickup_index'],
  ['sides too long together', packed({ dimensions: { ...cube, weight: 1200 } }), 'packages.0.dimensions'],
  ['a product that is missing', packed({ dimensions: undefined, items }), 'packages.0.items.0.product_id'],
  ['a payment method that is missing', { payment_method_id: 2_000_000_000 }, 'payment_method_id'],
])('no service is asked about an order with %s', async (_, change, field) => {
  expect(await create({ ...orderBody(), ...change })).toEqual([400, field]);
  expect(remote.requested).toEqual([]);
});

test('no service is asked about an order whose external id is taken', async () => {
  const order = orderBody();
  expect(await create(order)).toEqual([201]);
  remote.requested.length = 0;
  expect(await create({ ...orderBody(), external_id: order.external_id })).toEqual([409, 'external_id']);
  expect(remote.requested).toEqual([]);
});

test('no service is asked about the other addresses when one contradicts itself', async () => {
  const order = { ...orderBody(), pickups: [{ address: { address: CONTRADICTORY } }] };
  expect(await create(order)).toEqual([400, 'pickups.0.address.address']);
  expect(remote.requested).toEqual([]);
});

test('wrong addresses are named together with other errors', async () => {
  const packages = [CONTRADICTORY, UNKNOWN].flatMap((address) => orderBody({ items, address: { address } }).packages);
  const fields = [0, 1].flatMap((at) => [`packages.${at}.address.address`, `packages.${at}`]);
  expect(await create({ ...orderBody(), packages })).toEqual([400, ...fields]);
  expect(remote.requested).toEqual([]);
});

test('an address that names no place is refused by its field', async () => {
  const order = { ...orderBody(), ...packed({ address: { address: UNKNOWN } }) };
  expect(await create(order)).toEqual([400, 'packages.0.address.address']);
});

const estimateOrder = CREATE_ORDER.replace('mutation', 'query').replace('createOrder', 'estimateOrder');
test.each([CREATE_ORDER, estimateOrder])('GraphQL asks no service about an order that is refused', async (query) => {
  const pickups = [{ address: { address: CONTRADICTORY } }];
  const input = anOrder(client.paymentMethod, { externalId: '\0', pickups });
  const text = query.replace('orders { pk externalId pricing { totalCm } }', '');
  const { data } = await client.send(text, { variables: { input } });
  const result = data?.createOrder ?? data?.estimateOrder;
  expect(result?.errors.map(({ field }) => field)).toEqual(['externalId', 'pickups.0.address.address']);
  const fine = anOrder(client.paymentMethod, { externalId: '\0', pickups: [{ address: fresh() }] });
  await client.send(text, { variables: { input: fine } });
  expect(remote.requested).toEqual([]);
});
