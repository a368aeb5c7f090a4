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

describe('createOrder', () => {
  test('takes its input from variables', async () => {
    const { status, data } = await create(order({ externalId: 'pedido-1' }));
    expect(status).toBe(200);
    expect(data?.createOrder).toEqual({
      success: true,
      orders: [
        { pk: expect.any(String), externalId: 'pedido-1', pricing: { totalCm: expect.stringMatching(/^\d+\.\d\d$/) } },
      ],
      errors: [],
    });
  });

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
    const nothing = { complement: null, instructions: null };
    const { instructions, complement } = nothing;
    const { data } = await create({
      ...order(),
      externalId: null,
      packages: [{ ...parcel(), instructions, address: { ...parcel().address, complement } }],
    });
    expect(data?.createOrder).toMatchObject({ success: true, orders: [{ externalId: null }] });
  });

  test('the price is the sum of its lines', async () => {
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { orders { distance pricing { totalCm rateCardVersion lines { kind quantity unitPrice amount } } } }
    }`;
    const { data } = await client.send(query, { variables: { input: order() } });
    const { pricing, distance } = present(data?.createOrder?.orders[0]);
    const cents = (money: string) => Number(money.replace('.', ''));
    expect(pricing.lines.map(({ kind }) => kind)).toEqual(['base', 'distance', 'weight']);
    expect(pricing.lines.reduce((sum, { amount }) => sum + cents(amount), 0)).toBe(cents(pricing.totalCm));
    expect(pricing.lines[1]?.quantity).toBe(distance / 1000);
    expect(pricing.rateCardVersion).toBe(1);
  });

  test('names every wrong field at once, by its path, and creates nothing', async () => {
    const before = await ordersOf();
    const { status, data, errors } = await create({
      paymentMethod: 999_999,
      externalId: '',
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
      externalId: 'must have at least 1 character',
      'pickups.0.address.address': 'must have at least 1 character',
      'pickups.0.instructions': 'must be valid Unicode text without NUL',
      'pickups.1.address.address': expect.any(String),
      'packages.0.pickupIndex': 'must name one of the 2 pickups, counted from 0',
      'packages.0.recipient.name': 'must be valid Unicode text without NUL',
      'packages.0.recipient.phone': 'must have at least 8 characters',
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

  test.each([
    ['NUL', 'a\0'],
    ['half a character', '\ud800'],
    ['its other half', '\udc00b'],
    ['300 characters', 'x'.repeat(300)],
  ])('meets no text further on that it refuses: %s', async (_, text) => {
    const address = { address: text, complement: text };
    const input = {
      ...order({ externalId: text }),
      pickups: [{ address, instructions: text }],
      packages: [{ ...parcel(), address, recipient: { name: text, phone: text }, instructions: text }],
    };
    const estimate =
      'query ($input: CreateOrderInput!) { estimateOrder(input: $input) { success errors { field message } } }';
    const created = (await create(input)).data?.createOrder;
    const estimated = (await client.send(estimate, { variables: { input } })).data?.estimateOrder;
    expect(created?.success).toBe(false);
    expect(created?.errors).toEqual(estimated?.errors);
    expect(created?.errors.map(({ field }) => field)).toEqual([
      'externalId',
      ...['address.address', 'address.complement', 'instructions'].map((field) => `pickups.0.${field}`),
      ...['recipient.name', 'recipient.phone', 'address.address', 'address.complement', 'instructions'].map(
        (field) => `packages.0.${field}`,
      ),
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

  test('says that an externalId is taken', async () => {
    await create(order({ externalId: 'pedido-2' }));
    const { status, data } = await create(order({ externalId: 'pedido-2' }));
    expect(status).toBe(200);
    expect(data?.createOrder).toEqual({
      success: false,
      orders: [],
      errors: [{ field: 'externalId', message: 'is taken' }],
    });
  });

  test('may stand several times in a document, one after the other', async () => {
    const fields = [1, 2].map((n) => `o${n}: createOrder(input: $input) { success }`).join(' ');
    const { data } = await client.send(`mutation ($input: CreateOrderInput!) { ${fields} }`, {
      variables: { input: order() },
    });
    expect(data).toEqual({ o1: { success: true }, o2: { success: true } });
  });

  test.each<[string, string]>([
    ['a missing field', '{ paymentMethod: 1, pickups: [] }'],
    ['an unknown field', '{ paymentMethod: 1, pickups: [], packages: [], colour: "red" }'],
    ['a value of another type', '{ paymentMethod: "1", pickups: [], packages: [] }'],
    ['null for what is required', '{ paymentMethod: null, pickups: [], packages: [] }'],
    ['an integer that is out of range', '{ paymentMethod: 4294967296, pickups: [], packages: [] }'],
  ])('the type system refuses %s before anything runs, inline or in variables', async (_, literal) => {
    const inline = await client.send(`mutation { createOrder(input: ${literal}) { success } }`);
    const input = JSON.parse(literal.replace(/(\w+):/g, '"$1":'));
    const accept = { headers: { Accept: 'application/graphql-response+json' } };
    for (const { data, errors } of [inline, await create(input)]) {
      expect(data).toBeUndefined();
      expect(errors?.length).toBeGreaterThan(0);
      for (const { extensions } of errors ?? []) expect(extensions.code).toBe('VALIDATION_ERROR');
    }
    expect((await client.send(CREATE_ORDER, { variables: { input }, ...accept })).status).toBe(400);
  });
});

describe('estimateOrder', () => {
  const estimate = `query ($input: CreateOrderInput!) {
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

  test('answers what createOrder would, and writes nothing', async () => {
    const before = await ordersOf();
    const input = order();
    const { data } = await client.send(estimate, { variables: { input } });
    expect(await ordersOf()).toBe(before);
    const { estimate: expected, ...rest } = present(data?.estimateOrder);
    expect(rest).toEqual({ success: true, errors: [] });
    const query = `mutation ($input: CreateOrderInput!) {
      createOrder(input: $input) { orders { distance pricing { totalCm lines { kind amount } } packages { promisedDate resolvedAddress { city precision postalCode } } } }
    }`;
    const created = (await client.send(query, { variables: { input } })).data?.createOrder?.orders[0];
    expect(created?.distance).toBe(expected?.distance);
    expect(created?.pricing).toEqual(expected?.pricing);
    expect(created?.packages[0]).toEqual({
      promisedDate: expected?.packages[0]?.promisedDate,
      resolvedAddress: expected?.packages[0]?.resolvedAddress,
    });
    expect(expected?.packages[0]?.pickupResolvedAddress).toMatchObject({ city: 'São Paulo', state: 'SP' });
    expect(expected?.packages[0]?.pickupWaypoint).toEqual({ index: 0, eta: expect.any(Number), legDistance: 0 });
  });

  test('names the wrong fields of every package', async () => {
    const nowhere = { ...parcel(), pickupIndex: 3, address: { address: 'Rua Nenhuma, 1, Cidade Inexistente - SP' } };
    const { data } = await client.send(estimate, { variables: { input: order({ packages: [parcel(), nowhere] }) } });
    expect(data?.estimateOrder).toMatchObject({ success: false, estimate: null });
    expect(data?.estimateOrder?.errors.map(({ field }) => field)).toEqual([
      'packages.1.pickupIndex',
      'packages.1.address.address',
    ]);
  });

  test('reports an externalId that is taken as createOrder does, and writes nothing', async () => {
    const input = order({ externalId: 'estimado' });
    const estimated = async () => (await client.send(estimate, { variables: { input } })).data?.estimateOrder;
    expect(await estimated()).toMatchObject({ success: true });
    await client.send(CREATE_ORDER, { variables: { input } });
    const before = await ordersOf();
    const { data } = await client.send(CREATE_ORDER, { variables: { input } });
    expect(data?.createOrder?.errors).toEqual([{ field: 'externalId', message: 'is taken' }]);
    expect(await estimated()).toEqual({ success: false, estimate: null, errors: data?.createOrder?.errors });
    expect(await ordersOf()).toBe(before);
    const other = await service.client();
    const theirs = { ...input, paymentMethod: other.paymentMethod };
    expect((await other.send(estimate, { variables: { input: theirs } })).data?.estimateOrder?.success).toBe(true);
  });
});
