import { expect, test } from '@jest/globals';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { newId } from '../../src/base/ids.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { movement } from '../domain/orders-fixtures.js';
import { anOrder, type Client, present, startGraphql } from './client.js';

const service = await startGraphql();
const ana = await service.client();
const schema = buildSchema(sdl);

/** Each leaf field of a type, as a selection of its own, without histories, which lists do not allow. */
function leavesOf(typeName: string): string[] {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no type of objects`);
  return Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (field.name === 'trackingHistory' || field.name === 'packages') return [];
    return isObjectType(inner) ? leavesOf(inner.name).map((leaf) => `${field.name} { ${leaf} }`) : [field.name];
  });
}

/** Creates an order of two packages that have every field that packages may have. */
async function place(client: Client): Promise<string> {
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const order = anOrder(client.paymentMethod, { externalId: 'whole', readyAt: `${dayIn(5)}T12:00:00Z` });
  const [one] = order.packages;
  if (!one) throw new Error('the order has no package');
  const whole = {
    ...one,
    recipient: { ...one.recipient, taxId: '52998224725' },
    address: { ...one.address, complement: 'ap. 12' },
    instructions: 'Deixar na portaria.',
    deliveryPin: true,
    declaredValue: '349.90',
    fiscalDocument: { kind: 'none', reason: 'Sem nota fiscal.' },
    deliverFrom: dayIn(10),
    deliverBy: dayIn(40),
    reference: 'Pedido 48213',
  };
  const create = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
    orders { pk packages { loggiKey } } errors { field message } } }`;
  const pickups = order.pickups.map((each) => ({
    ...each,
    sender: { name: 'Loja Centro', phone: '+55 11 97777-6666' },
  }));
  const metadata = [{ key: 'channel', value: 'marketplace' }];
  const input = { ...order, metadata, pickups, packages: [whole, whole] };
  const { data } = await client.send(create, { variables: { input } });
  const { orders, errors } = present(data?.createOrder);
  expect(errors).toEqual([]);
  const keys = orders.flatMap(({ packages }) => packages.map(({ loggiKey }) => loggiKey));
  const actionRequired = { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' };
  const pickupAgency = { address: 'Rua A, 1', city: 'Campinas', state: 'SP', postalCode: '13010000' };
  const expected = { from: `${dayIn(1)}T12:00:00Z`, to: `${dayIn(1)}T16:00:00Z` };
  await recordMovements(service.db, [
    movement(keys[0] ?? '', 6, { actionRequired, attempt: { outcome: 'absent', nextOn: dayIn(1) }, expected }),
    movement(keys[1] ?? '', 10, { pickupAgency }),
  ]);
  for (const loggi_key of keys)
    await service.db.insertInto('package_returns').values({ loggi_key, order_id: newId() }).execute();
  return orders[0]?.pk ?? '';
}

test('each field of an order and its packages has the same value in a list as alone, whatever else is selected', async () => {
  const pk = await place(ana);
  const ofOrders = leavesOf('Order');
  const ofPackages = leavesOf('Package').map((leaf) => `packages { ${leaf} }`);
  const everything = [...ofOrders, ...ofPackages].join(' ');
  const inList = async (fields: string) => {
    const { data, errors } = await ana.send(`{ orders { edges { node { ${fields} } } } }`);
    expect(errors).toBeUndefined();
    return data?.orders?.edges[0]?.node;
  };
  const alone = async (fields: string) => (await ana.send(`{ order(pk: "${pk}") { ${fields} } }`)).data?.order;
  const whole = present(await alone(everything));
  expect(await inList(everything)).toEqual(whole);
  const [first, second] = whole.packages.map((each) => new Map(Object.entries(each)));
  const unused = [...present(first)].filter(([field, value]) => value === null && second?.get(field) === null);
  // The packages go by courier, so they have no line haul.
  expect(unused).toEqual([['lineHaul', null]]);
  for (const fields of [...ofOrders, ...ofPackages])
    expect([fields, await inList(fields)]).toEqual([fields, await alone(fields)]);
});
