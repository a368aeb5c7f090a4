import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { at } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { ABSENT_ID, refusal } from './refusal.js';

const service = await ownService();
const { operator } = service;
const ana = await service.customer();

type OrderCreate = components['schemas']['OrderCreate'];
type PackageInput = components['schemas']['PackageInput'];
type Status = components['schemas']['OrderStatus'];

const PAULISTA = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';

const packageInput = (change: Partial<PackageInput> = {}): PackageInput => ({ ...packageBody, ...change });
const body = (change: Partial<OrderCreate> = {}): OrderCreate => ({
  pickups: [{ address: { address: PAULISTA }, instructions: 'Tocar a campainha.' }],
  packages: [packageBody],
  ...change,
});

const create = (by: Caller, input: OrderCreate) => by.rest.POST('/api/v1/orders', { body: input });
const get = (by: Caller, id: string, header: { 'If-None-Match'?: string } = {}) =>
  by.rest.GET('/api/v1/orders/{id}', { params: { path: { id }, header } });
const put = (by: Caller, id: string, status: Status, header: { 'If-Match'?: string } = {}) =>
  by.rest.PUT('/api/v1/orders/{id}/status', { params: { path: { id }, header }, body: { status } });
const list = (by: Caller, query: Record<string, unknown> = {}) => by.rest.GET('/api/v1/orders', { params: { query } });

const created = async (by: Caller = ana, change: Partial<OrderCreate> = {}) => must(await create(by, body(change)));

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('POST /api/v1/orders', () => {
  test('answers the whole order with its Location and its ETag', async () => {
    const { data, response } = await create(ana, body({ external_id: 'pedido-1042' }));
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`/api/v1/orders/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const exactness = { precision: expect.any(String), accuracy_metres: expect.any(Number) };
    const resolved = { ...exactness, city: 'São Paulo', state: 'SP' };
    const added = { code: 1, high_level_status: 'Adicionado', final: false, stage: 'created' };
    expect(data).toMatchObject({
      id: uuid,
      user_id: ana.id,
      external_id: 'pedido-1042',
      status: 'created',
      pickups: [
        { address: { address: PAULISTA }, resolved_address: resolved, waypoint: { index: 0, leg_distance: 0 } },
      ],
      packages: [
        {
          ...packageBody,
          loggi_key: uuid,
          resolved_address: resolved,
          waypoint: { index: 1, eta: time, leg_distance: data?.route.distance },
          pickup_waypoint: data?.pickups[0]?.waypoint,
          status: { ...added, updated_at: data?.created_at },
        },
      ],
      created_at: time,
      updated_at: data?.created_at,
    });
    const cents = (amount: string) => Number(amount.replace('.', ''));
    const lines = data?.pricing.lines.reduce((sum, { amount }) => sum + cents(amount), 0);
    expect(cents(data?.pricing.total ?? '')).toBe(lines);
    expect(lines).toBeGreaterThan(890);
  });

  test('derives a package from the items of the account', async () => {
    const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
    const coffee = { sku: 'CAFE', name: 'Café', price: '38.50', dimensions };
    const { data: product } = await ana.rest.POST('/api/v1/products', { body: coffee });
    const { dimensions: _, ...bare } = packageBody;
    const items = [{ product_id: product?.id ?? '', quantity: 2 }];
    const order = await created(ana, { packages: [{ ...bare, items }] });
    expect(order.packages[0]).toMatchObject({ items, dimensions: { width: 12, height: 12, length: 20, weight: 1040 } });
  });

  test('names every wrong field at once, and creates nothing', async () => {
    const before = (await list(ana)).data?.pagination.total_items;
    const { dimensions: _, ...bare } = packageBody;
    const wrong = body({
      payment_method_id: 2_000_000_000,
      pickups: [{ address: { address: 'lugar nenhum' } }],
      packages: [
        packageInput({ pickup_index: 3 }),
        packageInput({ dimensions: { width: 70, height: 70, length: 70, weight: 1 } }),
        { ...bare, recipient: { ...bare.recipient, name: ' ' }, items: [{ product_id: ABSENT_ID, quantity: 1 }] },
      ],
    });
    expect(refusal(await create(ana, wrong))).toBe(
      '400 VALIDATION_ERROR packages.0.pickup_index packages.1.dimensions packages.2.items.0.product_id packages.2.recipient.name payment_method_id pickups.0.address.address',
    );
    expect((await list(ana)).data?.pagination.total_items).toBe(before);
  });

  test('takes either dimensions or items; both or neither is an error of the package, and an empty list counts as absent', async () => {
    const { dimensions: _, ...bare } = packageBody;
    const items = [{ product_id: ABSENT_ID, quantity: 1 }];
    const packages = [packageInput({ items }), packageBody, bare, { ...bare, items: [] }];
    const { error } = await create(ana, body({ packages }));
    const message = 'must have exactly one of: dimensions, items';
    expect(error?.error.details).toEqual(
      [0, 2, 3].map((at) => ({ field: `packages.${at}`, code: 'contradiction', message })),
    );
    const order = await created(ana, { packages: [packageInput({ items: [] })] });
    expect(order.packages[0]).toEqual(expect.not.objectContaining({ items: expect.anything() }));
  });

  test('takes an empty external id as left out: any number of orders may have it', async () => {
    for (const external_id of ['', ''])
      expect(await created(ana, { external_id })).toMatchObject({ external_id: null });
  });
});

test('GET /api/v1/orders/{id} answers the created order, or 304 to a client that has it', async () => {
  const pickups = [PAULISTA, 'Rua XV de Novembro, 1 - Centro, Campinas - SP'].map((address) => ({
    address: { address, complement: '' },
  }));
  const packages = [packageBody, packageInput({ pickup_index: 1, instructions: "D'água 📦 \u202Eאב\n" })];
  const order = await created(ana, { external_id: 'pedido-1', pickups, packages });
  const { data, response } = await get(ana, order.id);
  expect(data).toEqual(order);
  const known = { 'If-None-Match': response.headers.get('etag') ?? '' };
  expect((await get(ana, order.id, known)).response.status).toBe(304);
  await put(operator, order.id, 'processing');
  expect((await get(ana, order.id, known)).data?.status).toBe('processing');
});

test('GET /api/v1/payment-methods lists the payment methods of the account; an order without one uses the first', async () => {
  const bia = await service.customer();
  const body = { kind: 'pix', label: 'Pix da loja' } as const;
  const added = must(await operator.operator.POST('/operator/v1/users/{id}/payment-methods', { ...at(bia.id), body }));
  const { data, pagination } = must(await bia.rest.GET('/api/v1/payment-methods'));
  expect(data).toEqual([expect.objectContaining({ kind: 'invoice' }), added]);
  expect(pagination.total_items).toBe(2);
  const payingBy = async (named: object) =>
    must(await bia.rest.POST('/api/v1/orders', { body: { ...orderBody(), ...named } })).payment_method_id;
  expect([await payingBy({}), await payingBy({ payment_method_id: added.id })]).toEqual([data[0]?.id, added.id]);
});

describe('GET /api/v1/orders', () => {
  test('lists the orders of the account, newest first; an operator sees all', async () => {
    const bia = await service.customer();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await created(bia)).id);
    const { data } = await list(bia, { page: 1, page_size: 2 });
    expect(data?.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    const counts = { pickup_count: 1, package_count: 1, total: expect.any(String) };
    expect(data?.data[0]).toMatchObject({ user_id: bia.id, ...counts });
    expect((await list(bia, { page: 3 })).data).toMatchObject({ data: [], pagination: { total_items: 3 } });
    expect((await list(operator)).data?.data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  test('filters by status and time of creation', async () => {
    const bia = await service.customer();
    const orders = [await created(bia), await created(bia), await created(bia)];
    await put(operator, orders[1]?.id ?? '', 'processing');
    const idsOf = async (query: Record<string, unknown>) => (await list(bia, query)).data?.data.map(({ id }) => id);
    expect(await idsOf({ status: 'processing' })).toEqual([orders[1]?.id]);
    const [from = '', to = ''] = [orders[1]?.created_at, orders[2]?.created_at];
    expect(await idsOf({ created_from: from, created_to: to })).toEqual([orders[1]?.id]);
    const later = { created_from: from.replace('Z', '001Z'), created_to: to.replace('Z', '001Z') };
    expect(await idsOf(later)).toEqual([orders[2]?.id]);
    // The service cuts decimals beyond microseconds.
    const finer = { created_from: from.replace('Z', '000999Z'), created_to: to.replace('Z', '000999999Z') };
    expect(await idsOf(finer)).toEqual([orders[1]?.id]);
    expect(await idsOf({ created_from: '2199-01-01T00:00:00-03:00' })).toEqual([]);
  });

  test('finds an order by its external id or the tracking code of a package', async () => {
    const [bia, eva] = [await service.customer(), await service.customer()];
    const order = await created(bia, { external_id: 'pedido-7' });
    const foreign = await created(eva, { external_id: 'pedido-7' });
    const code = order.packages[0]?.tracking_code ?? '';
    const idsOf = async (by: Caller, query: Record<string, unknown>) => {
      const { data, pagination } = must(await list(by, query));
      expect(pagination.total_items).toBe(data.length);
      return data.map(({ id }) => id);
    };
    expect(await idsOf(bia, { external_id: 'pedido-7' })).toEqual([order.id]);
    expect(await idsOf(operator, { external_id: 'pedido-7' })).toEqual([foreign.id, order.id]);
    const all = { tracking_code: code, external_id: 'pedido-7', status: 'created' } as const;
    expect(await idsOf(bia, all)).toEqual([order.id]);
    expect(await idsOf(operator, { tracking_code: code })).toEqual([order.id]);
    expect(await idsOf(eva, { tracking_code: code })).toEqual([]);
    for (const other of [
      { external_id: 'pedido-8' },
      { status: 'completed' },
      { created_from: '2199-01-01T00:00:00Z' },
    ])
      expect(await idsOf(bia, { ...all, ...other })).toEqual([]);
  });
});

describe('PUT /api/v1/orders/{id}/status', () => {
  test('moves the packages and answers the order with its new ETag', async () => {
    const order = await created(ana, { packages: [packageBody, packageBody] });
    const steps: [Status, number][] = [
      ['processing', 3],
      ['out_for_delivery', 11],
      ['completed', 5],
    ];
    for (const [at, [status, code]] of steps.entries()) {
      const { data, response } = await put(operator, order.id, status, { 'If-Match': `"${at + 1}"` });
      expect(response.headers.get('etag')).toBe(`"${at + 2}"`);
      expect(data).toMatchObject({ status, packages: [{ status: { code } }, { status: { code } }] });
      expect(data).toEqual((await get(ana, order.id)).data);
    }
    expect((await put(ana, order.id, 'completed')).response.headers.get('etag')).toBe('"4"');
  });

  test('lets the owner cancel a created order, and change nothing else', async () => {
    const order = await created();
    expect(refusal(await put(ana, order.id, 'processing'))).toBe('403 FORBIDDEN');
    for (const _ of [1, 2]) expect((await put(ana, order.id, 'cancelled')).data?.status).toBe('cancelled');
    expect(refusal(await put(operator, order.id, 'processing'))).toBe('409 CONFLICT');
  });
});
