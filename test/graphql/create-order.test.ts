import { describe, expect, test } from '@jest/globals';
import type { CreateOrderInput } from '../../generated/graphql.js';
import { anOrder, CREATE_ORDER, present, startGraphql } from './client.js';

const service = await startGraphql({});
const client = await service.client();

const create = (input: unknown) => client.send(CREATE_ORDER, { variables: { input } });
const order = (change: Partial<CreateOrderInput> = {}) => anOrder(client.paymentMethod, change);
const parcel = () => present(order().packages[0]);
const ordersOf = async () =>
  (await client.send('{ orders(first: 100) { edges { cursor } } }')).data?.orders?.edges.length;

const ESTIMATE = `query ($input: CreateOrderInput!) {
  estimateOrder(input: $input) {
    success
    estimate {
      distance
      pricing { totalCm lines { kind amount } }
      packages { pickupResolvedAddress { city state precision } resolvedAddress { city precision postalCode } pickupWaypoint { index eta legDistance } waypoint { index eta legDistance } promisedDate }
    }
    errors { field message }
  }
}`;

describe('createOrder', () => {
  test('keeps texts exactly as they were sent', async () => {
    const instructions = `  "Cuidado" 🐕 \\ 'aspas' – ${'ã'.normalize('NFD')} שלום \t fim `;
    const packages = [{ ...parcel(), instructions, address: { ...parcel().address, complement: '' } }];
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { orders { packages { instructions address { address complement } recipient { name phone } } } }
    }`;
    const { data } = await client.send(query, { variables: { input: order({ packages }) } });
    const { address, recipient } = parcel();
    expect(data?.createOrder?.orders[0]?.packages).toEqual([
      { instructions, address: { address: address.address, complement: '' }, recipient },
    ]);
  });

  test('reads an optional field that is null as one that is left out', async () => {
    const bare = { ...parcel(), instructions: null, address: { ...parcel().address, complement: null } };
    const { data } = await create({ ...order(), externalId: null, packages: [bare] });
    expect(data?.createOrder).toMatchObject({ success: true, orders: [{ externalId: null }] });
    for (const externalId of ['', ''])
      expect((await create(order({ externalId }))).data?.createOrder?.orders).toMatchObject([{ externalId: null }]);
  });

  test('the price is the sum of its lines', async () => {
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { orders { distance pricing { totalCm rateCardVersion lines { kind quantity unitPrice amount } } } }
    }`;
    const { data } = await client.send(query, { variables: { input: order() } });
    const { pricing, distance } = present(data?.createOrder?.orders[0]);
    const cents = (money: string) => Number(money.replace('.', ''));
    const lines = [{ kind: 'base' }, { kind: 'distance', quantity: distance / 1000 }, { kind: 'weight' }];
    expect(pricing).toMatchObject({ lines, rateCardVersion: expect.any(Number) });
    expect(pricing.lines.reduce((sum, { amount }) => sum + cents(amount), 0)).toBe(cents(pricing.totalCm));
  });

  test('names every wrong field at once, by its path, and creates nothing', async () => {
    const before = await ordersOf();
    const { status, data, errors } = await create({
      paymentMethod: 999_999,
      externalId: 'x'.repeat(256),
      pickups: [
        { address: { address: '' }, instructions: 'a\u0000b' },
        { address: { address: 'Rua Nenhuma, 1, Cidade Inexistente - SP' } },
      ],
      packages: [
        {
          pickupIndex: 2,
          recipient: { name: '\ud800', phone: 'ring me' },
          address: { address: 'x'.repeat(256), complement: 'y'.repeat(256) },
          dimensions: { width: 0, height: -1, length: 100.5, weight: 30_001 },
        },
        { ...parcel(), pickupIndex: -1, dimensions: { width: 80, height: 80, length: 80, weight: 1 } },
      ],
    });
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
    expect(data?.createOrder).toMatchObject({ success: false, orders: [] });
    const messages = Object.fromEntries(data?.createOrder?.errors.map(({ field, message }) => [field, message]) ?? []);
    expect(messages).toEqual({
      paymentMethod: 'is not a payment method of the account',
      externalId: 'must have at most 255 characters',
      'pickups.0.address.address': 'must have at least 1 character',
      'pickups.0.instructions': 'must be valid Unicode text without NUL',
      'pickups.1.address.address': expect.any(String),
      'packages.0.pickupIndex': 'must name one of the 2 pickups, counted from 0',
      'packages.0.recipient.name': 'must be valid Unicode text without NUL',
      'packages.0.recipient.phone': expect.stringContaining('must be a telephone number'),
      'packages.0.address.address': 'must have at most 255 characters',
      'packages.0.address.complement': 'must have at most 255 characters',
      'packages.0.dimensions.width': 'must be greater than 0',
      'packages.0.dimensions.height': 'must be greater than 0',
      'packages.0.dimensions.length': 'must be at most 100',
      'packages.0.dimensions.weight': 'must be at most 30000',
      'packages.1.pickupIndex': 'must be at least 0',
      'packages.1.dimensions': 'the sum of the sides must be at most 200 cm',
    });
    expect(data?.createOrder?.errors).toHaveLength(Object.keys(messages).length);
    expect(await ordersOf()).toBe(before);
  });

  test('names every field with a forbidden character once, as estimateOrder does', async () => {
    const text = 'a\0';
    const address = { address: text, complement: text };
    const input = {
      ...order({ externalId: text }),
      pickups: [{ address, instructions: text }],
      packages: [{ ...parcel(), address, recipient: { name: text, phone: text }, instructions: text }],
    };
    const created = (await create(input)).data?.createOrder;
    const { data } = await client.send(ESTIMATE, { variables: { input } });
    expect(created?.success).toBe(false);
    expect(created?.errors).toEqual(data?.estimateOrder?.errors);
    const ofStop = ['address.address', 'address.complement', 'instructions'];
    const ofParcel = ['recipient.name', 'recipient.phone', ...ofStop].map((field) => `packages.0.${field}`);
    expect(created?.errors.map(({ field }) => field)).toEqual([
      'externalId',
      ...ofStop.map((field) => `pickups.0.${field}`),
      ...ofParcel,
    ]);
  });

  test.each<[string, Partial<CreateOrderInput>, string]>([
    ['no pickups', { pickups: [] }, 'pickups'],
    ['no packages', { packages: [] }, 'packages'],
    ['11 pickups', { pickups: Array.from({ length: 11 }, () => ({ address: { address: '' } })) }, 'pickups'],
  ])('refuses %s', async (_, change, field) => {
    const { data } = await create(order(change));
    expect(data?.createOrder?.success).toBe(false);
    expect(data?.createOrder?.errors.map((error) => error.field)).toEqual([field]);
  });

  test('may stand several times in one document', async () => {
    const fields = [1, 2].map((n) => `o${n}: createOrder(input: $input) { success }`).join(' ');
    const variables = { input: order() };
    const { data } = await client.send(`mutation ($input: CreateOrderInput!) { ${fields} }`, { variables });
    expect(data).toEqual({ o1: { success: true }, o2: { success: true } });
  });
});

describe('estimateOrder', () => {
  test('answers what createOrder would, and writes nothing', async () => {
    const before = await ordersOf();
    const input = order();
    const { data } = await client.send(ESTIMATE, { variables: { input } });
    expect(await ordersOf()).toBe(before);
    const { estimate: expected, ...rest } = present(data?.estimateOrder);
    expect(rest).toEqual({ success: true, errors: [] });
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { orders { distance pricing { totalCm lines { kind amount } } packages { promisedDate resolvedAddress { city precision postalCode } } } }
    }`;
    const created = (await client.send(query, { variables: { input } })).data?.createOrder?.orders[0];
    const { distance, pricing, packages } = present(expected);
    const { promisedDate, resolvedAddress, pickupResolvedAddress, pickupWaypoint } = present(packages[0]);
    expect(created).toEqual({ distance, pricing, packages: [{ promisedDate, resolvedAddress }] });
    expect(pickupResolvedAddress).toMatchObject({ city: 'São Paulo', state: 'SP' });
    expect(pickupWaypoint).toEqual({ index: 0, eta: expect.any(Number), legDistance: 0 });
  });

  const services = `query ($input: CreateOrderInput!) {
    estimateOrder(input: $input) {
      estimate { pricing { totalCm } packages { lineHaul } services { service promisedDate pricing { totalCm lines { kind } } } }
      errors { field total }
    }
  }`;
  const manaus = { address: 'Av. Eduardo Ribeiro, 520 - Centro, Manaus - AM' };

  test('tells the price of each service; the order then costs exactly that, and another total is refused with the right one', async () => {
    const packages = [{ ...parcel(), address: manaus, declaredValue: '1000.00' }];
    const { data } = await client.send(services, { variables: { input: order({ packages }) } });
    const { pricing, services: each = [], ...rest } = present(data?.estimateOrder?.estimate);
    const lines = ['line_haul', 'ad_valorem'].map((kind) => ({ kind }));
    expect(each.map(({ service, pricing }) => [service, pricing])).toEqual([
      ['express', { totalCm: '100.90', lines }],
      ['economy', { totalCm: '81.90', lines }],
    ]);
    expect([pricing, rest.packages]).toEqual([{ totalCm: '100.90' }, [{ lineHaul: '97.90' }]]);
    const economy = { service: 'economy', packages } as const;
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { success orders { service pricing { totalCm } packages { declaredValue lineHaul promisedDate } } errors { field total } }
    }`;
    const place = async (expectedTotal: string) =>
      (await client.send(query, { variables: { input: order({ ...economy, expectedTotal }) } })).data?.createOrder;
    const errors = [{ field: 'expectedTotal', total: '81.90' }];
    expect(await place('100.90')).toEqual({ success: false, orders: [], errors });
    const placed = present((await place('81.90'))?.orders[0]);
    const promisedDate = each[1]?.promisedDate;
    expect(placed).toEqual({
      service: 'economy',
      pricing: { totalCm: '81.90' },
      packages: [{ declaredValue: '1000.00', lineHaul: '78.90', promisedDate }],
    });
  });

  test('names amounts that cannot be read together with the other errors', async () => {
    const wrong = { ...parcel(), pickupIndex: 3, declaredValue: '1,5' };
    const input = order({ packages: [wrong], expectedTotal: 'dez' });
    const { data } = await client.send(ESTIMATE, { variables: { input } });
    const fields = data?.estimateOrder?.errors.map(({ field }: { field: string }) => field).sort();
    expect(fields).toEqual(['expectedTotal', 'packages.0.declaredValue', 'packages.0.pickupIndex']);
  });

  test('reports a taken externalId as createOrder does, and writes nothing', async () => {
    const input = order({ externalId: 'estimado' });
    const estimated = async () => (await client.send(ESTIMATE, { variables: { input } })).data?.estimateOrder;
    expect(await estimated()).toMatchObject({ success: true });
    await client.send(CREATE_ORDER, { variables: { input } });
    const before = await ordersOf();
    const { status, data } = await client.send(CREATE_ORDER, { variables: { input } });
    const errors = [{ field: 'externalId', message: 'is taken' }];
    expect([status, data?.createOrder]).toEqual([200, { success: false, orders: [], errors }]);
    expect(await estimated()).toEqual({ success: false, estimate: null, errors: data?.createOrder?.errors });
    expect(await ordersOf()).toBe(before);
    const other = await service.client();
    const theirs = { ...input, paymentMethod: other.paymentMethod };
    expect((await other.send(ESTIMATE, { variables: { input: theirs } })).data?.estimateOrder?.success).toBe(true);
  });
});
