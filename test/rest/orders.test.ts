import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { movement } from '../domain/orders-fixtures.js';
import { ownService } from '../support/services.js';
import { ABSENT_ID, type RestClient, refusal, startRestService } from './rest-service.js';

const rest = await startRestService(ownService());
const operator = await rest.user({ role: 'operator' });
const ana = await rest.user();

type OrderCreate = components['schemas']['OrderCreate'];
type PackageInput = components['schemas']['PackageInput'];
type Status = components['schemas']['OrderStatus'];

const PAULISTA = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';
const PINHEIROS = 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000';

const packageInput = (change: Partial<PackageInput> = {}): PackageInput => ({
  pickup_index: 0,
  recipient: { name: 'Bruno Lima', phone: '+55 11 98888-7777' },
  address: { address: PINHEIROS, complement: 'ap 12' },
  dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
  ...change,
});
const body = (change: Partial<OrderCreate> = {}): OrderCreate => ({
  pickups: [{ address: { address: PAULISTA }, instructions: 'Tocar a campainha.' }],
  packages: [packageInput()],
  ...change,
});

const create = (api: RestClient, input: OrderCreate, key?: string) =>
  api.POST('/api/v1/orders', { params: key ? { header: { 'Idempotency-Key': key } } : {}, body: input });
const get = (api: RestClient, id: string, etag?: string) =>
  api.GET('/api/v1/orders/{id}', { params: { path: { id }, ...(etag ? { header: { 'If-None-Match': etag } } : {}) } });
const put = (api: RestClient, id: string, status: Status, etag?: string) =>
  api.PUT('/api/v1/orders/{id}/status', {
    params: { path: { id }, ...(etag ? { header: { 'If-Match': etag } } : {}) },
    body: { status },
  });
const list = (api: RestClient, query: Record<string, unknown> = {}) => api.GET('/api/v1/orders', { params: { query } });

async function created(api: RestClient = ana.api, change: Partial<OrderCreate> = {}) {
  const { data } = await create(api, body(change));
  if (!data) throw new Error('the order was not created');
  return data;
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('POST /api/v1/orders', () => {
  test('answers the whole order with its place and its ETag', async () => {
    const { data, response } = await create(ana.api, body({ external_id: 'pedido-1042' }));
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`/api/v1/orders/${data?.id}`);
    expect(response.headers.get('etag')).toBe('"1"');
    const resolved = { precision: expect.any(String), city: 'São Paulo', state: 'SP' };
    expect(data).toMatchObject({
      id: uuid,
      user_id: ana.account.id,
      external_id: 'pedido-1042',
      status: 'created',
      pickups: [
        { address: { address: PAULISTA }, resolved_address: resolved, waypoint: { index: 0, leg_distance: 0 } },
      ],
      packages: [
        {
          ...packageInput(),
          loggi_key: uuid,
          resolved_address: resolved,
          waypoint: { index: 1, eta: time, leg_distance: data?.route.distance },
          pickup_waypoint: data?.pickups[0]?.waypoint,
          status: { code: 1, high_level_status: 'Adicionado', updated_at: data?.created_at },
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

  test('takes the example that the contract publishes', async () => {
    const example: OrderCreate = JSON.parse(readFileSync('contracts/examples/create-order.json', 'utf8'));
    const bia = await rest.user();
    const { response } = await create(bia.api, example);
    expect(response.status).toBe(201);
  });

  test('derives a package from the items of the account', async () => {
    const { data: product } = await ana.api.POST('/api/v1/products', {
      body: {
        sku: 'CAFE',
        name: 'Café',
        price: '38.50',
        dimensions: { width: 12, height: 6, length: 20, weight: 520 },
      },
    });
    const { dimensions: _, ...bare } = packageInput();
    const items = [{ product_id: product?.id ?? '', quantity: 2 }];
    const order = await created(ana.api, { packages: [{ ...bare, items }] });
    expect(order.packages[0]).toMatchObject({ items, dimensions: { width: 12, height: 12, length: 20, weight: 1040 } });
  });

  test('names every wrong field at once, and creates nothing', async () => {
    const before = (await list(ana.api)).data?.pagination.total_items;
    const { dimensions: _, ...bare } = packageInput();
    const wrong = body({
      payment_method_id: 2_000_000_000,
      pickups: [{ address: { address: 'lugar nenhum' } }],
      packages: [
        packageInput({ pickup_index: 3 }),
        packageInput({ dimensions: { width: 70, height: 70, length: 70, weight: 1 } }),
        { ...bare, items: [{ product_id: ABSENT_ID, quantity: 1 }] },
      ],
    });
    expect(refusal(await create(ana.api, wrong))).toEqual([
      400,
      'VALIDATION_ERROR',
      [
        'packages.0.pickup_index',
        'packages.1.dimensions',
        'packages.2.items.0.product_id',
        'payment_method_id',
        'pickups.0.address.address',
      ],
    ]);
    expect((await list(ana.api)).data?.pagination.total_items).toBe(before);
  });

  test('takes dimensions or items: both or neither is an error of the package, an empty list counts as absent', async () => {
    const { dimensions: _, ...bare } = packageInput();
    const items = [{ product_id: ABSENT_ID, quantity: 1 }];
    const packages = [packageInput({ items }), packageInput(), bare, { ...bare, items: [] }];
    const { error } = await create(ana.api, body({ packages }));
    const message = 'must have exactly one of: dimensions, items';
    expect(error?.error.details).toEqual(
      ['packages.0', 'packages.2', 'packages.3'].map((field) => ({ field, message })),
    );
    const order = await created(ana.api, { packages: [packageInput({ items: [] })] });
    expect(order.packages[0]).toEqual(expect.not.objectContaining({ items: expect.anything() }));
  });

  test('refuses a body of another shape', async () => {
    expect(refusal(await create(ana.api, body({ packages: [] })))).toEqual([400, 'VALIDATION_ERROR', ['packages']]);
    expect(refusal(await create(ana.api, { ...body(), ...{ user_id: ABSENT_ID } }))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['user_id'],
    ]);
  });

  test('refuses an external id of the account; another account may have it', async () => {
    await created(ana.api, { external_id: 'once' });
    const again = await create(ana.api, body({ external_id: 'once' }));
    expect(refusal(again)).toEqual([409, 'CONFLICT', ['external_id']]);
    const bia = await rest.user();
    expect((await create(bia.api, body({ external_id: 'once' }))).response.status).toBe(201);
  });

  test('answers the same again under one Idempotency-Key, and 422 for another body', async () => {
    const first = await create(ana.api, body(), 'order-1');
    const again = await create(ana.api, body(), 'order-1');
    expect([again.response.status, again.response.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.data).toEqual(first.data);
    const other = await create(ana.api, body({ external_id: 'other' }), 'order-1');
    expect(refusal(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', []]);
  });

  test('says what is wrong with the request itself', async () => {
    const send = (init: RequestInit) =>
      fetch(`${rest.url}/api/v1/orders`, {
        method: 'POST',
        ...init,
        headers: { Authorization: `Bearer ${ana.token}`, 'Content-Type': 'application/json', ...init.headers },
      }).then(({ status }) => status);
    expect(await send({ body: '{"pickups": [' })).toBe(400);
    expect(await send({ body: '{}', headers: { Authorization: 'Bearer x' } })).toBe(401);
    expect(await send({ body: '{}', headers: { Accept: 'text/csv' } })).toBe(406);
    expect(await send({ body: JSON.stringify({ external_id: 'x'.repeat(1_100_000) }) })).toBe(413);
    expect(await send({ body: '<order/>', headers: { 'Content-Type': 'application/xml' } })).toBe(415);
  });
});

describe('GET /api/v1/orders/{id}', () => {
  test('answers what was created, or 304 to who has it', async () => {
    const order = await created();
    const { data, response } = await get(ana.api, order.id);
    expect(data).toEqual(order);
    const etag = response.headers.get('etag') ?? '';
    expect((await get(ana.api, order.id, etag)).response.status).toBe(304);
    await put(operator.api, order.id, 'processing');
    expect((await get(ana.api, order.id, etag)).data?.status).toBe('processing');
  });

  test('shows what the current status needs', async () => {
    const order = await created();
    const key = order.packages[0]?.loggi_key ?? '';
    const pickupAgency = { address: 'Rua A, 1', city: 'Campinas', state: 'SP', postalCode: '13010000' };
    await recordMovements(rest.db, [movement(key, 10, { pickupAgency })]);
    expect((await get(operator.api, order.id)).data?.packages[0]?.status).toMatchObject({
      code: 10,
      pickup_agency: { address: 'Rua A, 1', city: 'Campinas', state: 'SP', postal_code: '13010000' },
    });
    const actionRequired = { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' };
    await recordMovements(rest.db, [movement(key, 6, { actionRequired })]);
    const status = (await get(ana.api, order.id)).data?.packages[0]?.status;
    expect(status?.action_required).toEqual({ reason_label: 'Endereço', reason_description: 'Falta o número.' });
    expect(status).not.toHaveProperty('pickup_agency');
  });

  test('is 404 for what is ABSENT_ID and for what is foreign, alike', async () => {
    const bia = await rest.user();
    const foreign = await get(bia.api, (await created()).id);
    expect(foreign.error).toEqual((await get(bia.api, ABSENT_ID)).error);
    expect(refusal(foreign)).toEqual([404, 'NOT_FOUND', []]);
    expect(refusal(await get(rest.client(), ABSENT_ID))).toEqual([401, 'UNAUTHENTICATED', []]);
    expect(refusal(await get(ana.api, 'x'))).toEqual([400, 'VALIDATION_ERROR', ['id']]);
  });
});

describe('GET /api/v1/orders', () => {
  test('lists the own orders newest first, an operator all', async () => {
    const bia = await rest.user();
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await created(bia.api)).id);
    const { data } = await list(bia.api, { page: 1, page_size: 2 });
    expect(data?.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(data?.pagination).toEqual({ page: 1, page_size: 2, total_items: 3, total_pages: 2 });
    expect(data?.data[0]).toMatchObject({
      user_id: bia.account.id,
      pickup_count: 1,
      package_count: 1,
      total: expect.any(String),
    });
    expect((await list(bia.api, { page: 3 })).data).toMatchObject({ data: [], pagination: { total_items: 3 } });
    expect((await list(operator.api)).data?.data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  });

  test('filters by status and time of creation', async () => {
    const bia = await rest.user();
    const orders = [await created(bia.api), await created(bia.api), await created(bia.api)];
    await put(operator.api, orders[1]?.id ?? '', 'processing');
    const idsOf = async (query: Record<string, unknown>) => (await list(bia.api, query)).data?.data.map(({ id }) => id);
    expect(await idsOf({ status: 'processing' })).toEqual([orders[1]?.id]);
    const [from = '', to = ''] = [orders[1]?.created_at, orders[2]?.created_at];
    expect(await idsOf({ created_from: from, created_to: to })).toEqual([orders[1]?.id]);
    expect(await idsOf({ created_from: from.replace('Z', '001Z'), created_to: to.replace('Z', '000001Z') })).toEqual([
      orders[2]?.id,
    ]);
    expect(await idsOf({ created_from: '2199-01-01T00:00:00-03:00' })).toEqual([]);
  });

  test('answers 304 to a client that has the order as it is, and to no stranger', async () => {
    const bia = await rest.user();
    const { id } = await created(bia.api);
    const status = async (api: RestClient, tag: string) => {
      const { response } = await api.GET('/api/v1/orders/{id}', {
        params: { path: { id }, header: { 'If-None-Match': tag } },
      });
      return [response.status, response.headers.get('etag')];
    };
    for (const tag of ['"1"', 'W/"1"', '"7", "1"', '*']) expect(await status(bia.api, tag)).toEqual([304, '"1"']);
    expect(await status(ana.api, '"1"')).toEqual([404, null]);
    await put(operator.api, id, 'processing');
    expect(await status(bia.api, '"1"')).toEqual([200, '"2"']);
  });

  test('finds an order by its external id or the tracking code of a package', async () => {
    const [bia, eva] = [await rest.user(), await rest.user()];
    const order = await created(bia.api, { external_id: 'pedido-7' });
    const foreign = await created(eva.api, { external_id: 'pedido-7' });
    const code = order.packages[0]?.tracking_code ?? '';
    const idsOf = async (api: RestClient, query: Record<string, unknown>) => {
      const { data } = await list(api, query);
      expect(data?.pagination.total_items).toBe(data?.data.length);
      return data?.data.map(({ id }) => id);
    };
    expect(await idsOf(bia.api, { external_id: 'pedido-7' })).toEqual([order.id]);
    expect(await idsOf(operator.api, { external_id: 'pedido-7' })).toEqual([foreign.id, order.id]);
    const all = { tracking_code: code, external_id: 'pedido-7', status: 'created' } as const;
    expect(await idsOf(bia.api, all)).toEqual([order.id]);
    expect(await idsOf(operator.api, { tracking_code: code })).toEqual([order.id]);
    for (const [api, query] of [
      [eva.api, { tracking_code: code }],
      [bia.api, { tracking_code: code, external_id: 'pedido-8' }],
      [bia.api, { tracking_code: code, status: 'completed' }],
      [bia.api, { external_id: 'pedido-7', created_from: '2199-01-01T00:00:00Z' }],
    ] as const) {
      expect(await idsOf(api, query)).toEqual([]);
    }
  });

  test('refuses unknown parameters and wrong values', async () => {
    const query = { page: 0, page_size: 101, status: 'lost', created_from: 'yesterday', colour: 'red' };
    expect(refusal(await list(ana.api, query))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['colour', 'created_from', 'page', 'page_size', 'status'],
    ]);
  });
});

describe('PUT /api/v1/orders/{id}/status', () => {
  test('moves the packages and answers the order with its new ETag', async () => {
    const order = await created(ana.api, { packages: [packageInput(), packageInput()] });
    const { data, response } = await put(operator.api, order.id, 'out_for_delivery', '"1"');
    expect(response.headers.get('etag')).toBe('"2"');
    expect(data?.packages.map(({ status }) => status.code)).toEqual([11, 11]);
    expect(data).toEqual((await get(ana.api, order.id)).data);
    expect((await put(operator.api, order.id, 'out_for_delivery')).response.headers.get('etag')).toBe('"2"');
  });

  test('lets the owner cancel what is created, and nothing else', async () => {
    const order = await created();
    expect(refusal(await put(ana.api, order.id, 'processing'))).toEqual([403, 'FORBIDDEN', []]);
    expect((await put(ana.api, order.id, 'cancelled')).data?.status).toBe('cancelled');
    expect((await put(ana.api, order.id, 'cancelled')).data?.status).toBe('cancelled');
    expect(refusal(await put(operator.api, order.id, 'processing'))).toEqual([409, 'CONFLICT', []]);
  });

  test('needs the version that If-Match names', async () => {
    const order = await created();
    expect(refusal(await put(operator.api, order.id, 'processing', '"7"'))).toEqual([412, 'PRECONDITION_FAILED', []]);
    expect(refusal(await put(operator.api, order.id, 'processing', 'W/"1"'))[0]).toBe(412);
    expect((await put(operator.api, order.id, 'processing', '*')).response.status).toBe(200);
  });

  test("refuses an unknown order, an unknown status and another account's order", async () => {
    const bia = await rest.user();
    expect(refusal(await put(bia.api, (await created()).id, 'cancelled'))).toEqual([404, 'NOT_FOUND', []]);
    expect(refusal(await put(operator.api, ABSENT_ID, 'cancelled'))).toEqual([404, 'NOT_FOUND', []]);
    expect(refusal(await put(operator.api, ABSENT_ID, 'lost' as Status))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['status'],
    ]);
    expect(refusal(await put(rest.client(), ABSENT_ID, 'cancelled'))[0]).toBe(401);
  });
});
