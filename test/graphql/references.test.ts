import { expect, test } from '@jest/globals';
import type { CreateOrderInput } from '../../generated/graphql.js';
import { anOrder, present, startGraphql } from './client.js';

/** The account's own names and facts: a package's reference, an order's metadata, a pickup's sender. */

const service = await startGraphql({});
const client = await service.client();

const FIELDS = 'pk metadata { key value } packages { loggiKey reference sender { name phone } }';
const createOrder = `mutation ($input: CreateOrderInput!) {
  createOrder(input: $input) { success orders { ${FIELDS} } errors { field code } }
}`;

const sender = { name: 'Loja Centro', phone: '+55 11 97777-6666' };
const metadata = [
  { key: 'channel', value: 'marketplace' },
  { key: 'carrinho.nº', value: '48213' },
];

const order = (change: Partial<CreateOrderInput> = {}, parcel: object = {}, pickup: object = {}): CreateOrderInput => {
  const whole = anOrder(client.paymentMethod, change);
  return {
    ...whole,
    pickups: whole.pickups.map((each) => ({ ...each, ...pickup })),
    packages: whole.packages.map((each) => ({ ...each, ...parcel })),
  };
};
const create = async (...input: Parameters<typeof order>) =>
  present((await client.send(createOrder, { variables: { input: order(...input) } })).data?.createOrder);
const faults = async (...input: Parameters<typeof order>) =>
  (await create(...input)).errors.map(({ field, code }) => `${field} ${code}`);

test('createOrder keeps references, metadata and the sender, and every answer shows them', async () => {
  const { orders } = await create({ metadata }, { reference: 'Pedido 48213' }, { sender });
  expect(orders).toMatchObject([{ metadata, packages: [{ reference: 'Pedido 48213', sender }] }]);
  const { data } = await client.send(`{ order(pk: "${orders[0]?.pk}") { ${FIELDS} } }`);
  expect(data?.order).toEqual(orders[0]);
  const listed = await client.send(`{ orders(first: 1) { edges { node { ${FIELDS} } } } }`);
  expect(listed.data?.orders?.edges[0]?.node).toEqual(orders[0]);
});

test('an order without references, metadata and sender, or with empty ones, shows null', async () => {
  const none = { metadata: null, packages: [{ reference: null, sender: null }] };
  expect((await create()).orders).toMatchObject([none]);
  const empty = { metadata: [{ key: 'channel', value: '' }] };
  expect((await create(empty, { reference: '' }, { sender: null })).orders).toMatchObject([none]);
  const unreachable = await create({}, {}, { sender: { name: 'Loja', phone: null } });
  expect(unreachable.orders).toMatchObject([{ packages: [{ sender: { name: 'Loja', phone: null } }] }]);
});

test('wrong references, metadata and senders are refused on their fields, together with other errors', async () => {
  const many = Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, value: 'x' }));
  expect(await faults({ metadata: many })).toEqual(['metadata too_many']);
  expect(await faults({ metadata: [...metadata, { key: 'channel', value: 'x' }] })).toEqual(['metadata duplicate']);
  const wrong = [
    { key: '_a', value: 'x' },
    { key: 'a', value: 'x'.repeat(501) },
  ];
  expect(await faults({ metadata: wrong }, { reference: 'x'.repeat(65), pickupIndex: 3 })).toEqual([
    ...['metadata.0.key pattern', 'metadata.1.value too_long', 'packages.0.reference too_long'],
    'packages.0.pickupIndex not_found',
  ]);
  expect(await faults({}, {}, { sender: { name: ' ' } })).toEqual(['pickups.0.sender.name required']);
});

test('orders are found by metadata and references', async () => {
  const of = async (filter: string) => {
    const { data, errors } = await client.send(`{ orders(first: 5, filter: { ${filter} }) { edges { node { pk } } } }`);
    return errors ? errors.map(({ message }) => message) : data?.orders?.edges.map(({ node }) => node.pk);
  };
  const unique = {
    metadata: [
      { key: 'cart', value: 'only' },
      { key: 'channel', value: 'phone' },
    ],
  };
  const { orders } = await create(unique, { reference: 'Only' });
  const pks = orders.map(({ pk }) => pk);
  expect(await of('metadata: [{ key: "cart", value: "only" }]')).toEqual(pks);
  expect(await of('metadata: [{ key: "cart", value: "only" }, { key: "channel", value: "shop" }]')).toEqual([]);
  expect(await of('reference: "Only"')).toEqual(pks);
  expect(await of('metadata: []')).toHaveLength(5);
});
