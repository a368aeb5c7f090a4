import { describe, expect, test } from '@jest/globals';
import { orderBody } from '../support/bodies.js';
import { anOrder, type Client, CREATE_ORDER, present, startGraphql } from './client.js';

const service = await startGraphql({});
const client = await service.client();

async function place(who: Client): Promise<string> {
  const { data } = await who.send(CREATE_ORDER, { variables: { input: anOrder(who.paymentMethod) } });
  return data?.createOrder?.orders[0]?.pk ?? '';
}

const ORDER_FIELDS = 'pk externalId status createdAt distance packages { loggiKey }';

test('me and paymentMethods answer the account of the API key', async () => {
  const { data } = await client.send('{ me { pk email name phone } paymentMethods { id kind label } }');
  expect(data).toEqual({
    me: { pk: client.caller.id, email: client.caller.email, name: 'Ana Souza', phone: '+55 11 91234-5678' },
    paymentMethods: [{ id: client.paymentMethod, kind: 'invoice', label: 'Invoice' }],
  });
});

describe('order and package', () => {
  test('answer what the account owns', async () => {
    const pk = await place(client);
    const query = `query ($pk: ID!) { order(pk: $pk) { ${ORDER_FIELDS} } }`;
    const { data } = await client.send(query, { variables: { pk } });
    expect(data?.order).toEqual({
      pk,
      externalId: null,
      status: 'created',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      distance: expect.any(Number),
      packages: [{ loggiKey: expect.any(String) }],
    });
    const loggiKey = data?.order?.packages[0]?.loggiKey;
    const answer = await client.send(
      `query ($key: String!) { package(loggiKey: $key) {
        loggiKey trackingCode barcode pickupIndex promisedDate dimensions { width height length weight }
        status { code highLevelStatus description final stage updatedTime actionRequired { reasonLabel } pickupAgency { city } }
        resolvedAddress { latitude longitude precision accuracyMetres district city state postalCode }
      } }`,
      { variables: { key: loggiKey } },
    );
    expect(answer.data?.package).toMatchObject({
      loggiKey,
      trackingCode: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{12}$/),
      barcode: expect.stringMatching(/^\d{18}$/),
      pickupIndex: 0,
      promisedDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
      status: { code: 1, highLevelStatus: 'Adicionado', final: false, stage: 'created', actionRequired: null },
      resolvedAddress: { city: 'São Paulo', state: 'SP', accuracyMetres: expect.any(Number) },
    });
  });

  test('answer null for a record of another account, and for an unknown or malformed id', async () => {
    const other = await service.client();
    const pk = await place(other);
    const theirs = await other.send(`{ order(pk: "${pk}") { packages { loggiKey } } }`);
    const loggiKey = theirs.data?.order?.packages[0]?.loggiKey ?? '';
    expect(loggiKey).not.toBe('');
    const absent = '01890000-0000-7000-8000-000000000000';
    const order = 'query ($pk: ID!) { order(pk: $pk) { pk } }';
    for (const id of [pk, absent, '', '1', 'a\u0000', '\ud800', '1e20', 'x'.repeat(300)]) {
      const { data, errors } = await client.send(order, { variables: { pk: id } });
      expect({ data, errors }).toEqual({ data: { order: null }, errors: undefined });
    }
    const parcel = 'query ($key: String!) { package(loggiKey: $key) { loggiKey } }';
    for (const key of [loggiKey, absent, 'x'])
      expect((await client.send(parcel, { variables: { key } })).data).toEqual({ package: null });
  });
});

describe('orders', () => {
  const connection = `query ($first: Int, $after: String) {
    orders(first: $first, after: $after) {
      edges { cursor node { pk } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;

  test('is a Relay connection: following endCursor visits every order once, newest first', async () => {
    const reader = await service.client();
    const placed: string[] = [];
    for (let i = 0; i < 5; i += 1) placed.unshift(await place(reader));
    const visited: string[] = [];
    const sizes: number[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const variables = { first: 2, after };
      const { data }: Awaited<ReturnType<Client['send']>> = await reader.send(connection, { variables });
      const { edges, pageInfo } = present(data?.orders);
      visited.push(...edges.map(({ node }) => node.pk));
      sizes.push(edges.length);
      const [startCursor, endCursor] = [edges[0]?.cursor, edges.at(-1)?.cursor];
      expect(pageInfo).toMatchObject({ startCursor, endCursor, hasPreviousPage: after !== null });
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(visited).toEqual(placed);
    expect(sizes).toEqual([2, 2, 1]);
  });

  test('shows orders that came by REST, too, but none of other accounts', async () => {
    const reader = await service.client();
    const { data: created } = await reader.caller.rest.POST('/api/v1/orders', { body: orderBody() });
    const { data } = await reader.send('{ orders { edges { node { pk } } } }');
    expect(data?.orders?.edges).toEqual([{ node: { pk: created?.id } }]);
  });

  test.each([
    [{ first: 0 }, [{ field: 'first', code: 'too_small', message: 'must be at least 1' }]],
    [{ first: 101 }, [{ field: 'first', code: 'too_large', message: 'must be at most 100' }]],
    [{ first: 101, after: '' }, [{ field: 'first' }, { field: 'after' }].map((each) => expect.objectContaining(each))],
    [{ after: 'x'.repeat(201) }, [{ field: 'after', code: 'too_long', message: 'must have at most 200 characters' }]],
    [{ after: 'no cursor' }, [{ field: 'after', code: 'unknown_value', message: 'is not a cursor of this list' }]],
  ])('refuses %j', async (variables, details) => {
    const call =
      'first' in variables ? connection : connection.replace('$first: Int, ', '').replace('first: $first, ', '');
    const { data, errors } = await client.send(call, { variables });
    const extensions = { code: 'VALIDATION_ERROR', reason: 'invalid_fields', details };
    expect([data, errors]).toEqual([null, [{ message: 'The request is not valid.', path: ['orders'], extensions }]]);
  });

  test('refuses null for `first`, which a variable can send despite the default', async () => {
    const { errors } = await client.send(connection, { variables: { first: null } });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_ERROR']);
  });
});

describe('cancelOrder', () => {
  const CANCEL = `mutation ($pk: ID!) {
    cancelOrder(pk: $pk) { success order { pk status packages { status { code } } } errors { field code reason message } }
  }`;
  const cancel = (who: Client, pk: string) => who.send(CANCEL, { variables: { pk } });

  test('cancels the order with all its packages; a second call changes nothing', async () => {
    const pk = await place(client);
    const cancelled = { pk, status: 'cancelled', packages: [{ status: { code: 2 } }] };
    for (let i = 0; i < 2; i += 1) {
      expect((await cancel(client, pk)).data?.cancelOrder).toEqual({ success: true, order: cancelled, errors: [] });
    }
  });

  test('says why an order that is on its way is not cancelled', async () => {
    const pk = await place(client);
    const processing = { params: { path: { id: pk } }, body: { status: 'processing' } } as const;
    await service.operator.rest.PUT('/api/v1/orders/{id}/status', processing);
    const { status, data } = await cancel(client, pk);
    const order = { pk, status: 'processing', packages: [{ status: { code: 3 } }] };
    const errors = [
      { field: 'pk', code: 'state', reason: 'order_state', message: expect.stringContaining('cancelled') },
    ];
    expect([status, data?.cancelOrder]).toEqual([200, { success: false, order, errors }]);
  });

  test('finds neither another account’s order nor a malformed identifier', async () => {
    const pk = await place(await service.client());
    const errors = [{ field: 'pk', code: 'not_found', reason: 'record_not_found', message: 'No such order.' }];
    for (const id of [pk, '1', ''])
      expect((await cancel(client, id)).data?.cancelOrder).toEqual({ success: false, order: null, errors });
  });
});

describe('orders by a filter', () => {
  const page = async (who: Client, filter: object, more = {}) => {
    const query = `query ($filter: OrderFilter, $first: Int, $after: String) {
      orders(filter: $filter, first: $first, after: $after) { edges { node { pk } } pageInfo { hasNextPage endCursor } }
    }`;
    const { data, errors } = await who.send(query, { variables: { filter, ...more } });
    return { pks: data?.orders?.edges.map(({ node }) => node.pk), pageInfo: data?.orders?.pageInfo, errors };
  };
  const find = async (who: Client, filter: object) => (await page(who, filter)).pks;

  test('shows the orders that match every part of the filter, in pages, too', async () => {
    const eva = await service.client();
    const input = anOrder(eva.paymentMethod, { externalId: 'pedido-9' });
    const named = present((await eva.send(CREATE_ORDER, { variables: { input } })).data?.createOrder?.orders[0]).pk;
    const others = [await place(eva), await place(eva)];
    const all = [named, ...others].toReversed();
    const query = 'query ($pk: ID!) { order(pk: $pk) { createdAt packages { trackingCode } } }';
    const middle = present((await eva.send(query, { variables: { pk: others[0] } })).data?.order);
    await eva.send('mutation ($pk: ID!) { cancelOrder(pk: $pk) { success } }', { variables: { pk: others[1] } });
    expect(await find(eva, {})).toEqual(all);
    expect(await find(eva, { status: 'cancelled' })).toEqual([others[1]]);
    expect(await find(eva, { externalId: 'pedido-9' })).toEqual([named]);
    expect(await find(eva, { trackingCode: middle.packages[0]?.trackingCode })).toEqual([others[0]]);
    expect(await find(eva, { trackingCode: middle.packages[0]?.trackingCode, externalId: 'pedido-9' })).toEqual([]);
    expect(await find(client, { externalId: 'pedido-9' })).toEqual([]);
    expect(await find(eva, { createdFrom: middle.createdAt })).toEqual(others.toReversed());
    expect(await find(eva, { createdTo: middle.createdAt })).toEqual([named]);
    const first = await page(eva, { status: 'created' }, { first: 1 });
    expect(first).toMatchObject({ pks: [others[0]], pageInfo: { hasNextPage: true } });
    const second = await page(eva, { status: 'created' }, { first: 1, after: first.pageInfo?.endCursor });
    expect(second).toMatchObject({ pks: [named], pageInfo: { hasNextPage: false } });
  });

  test.each([
    [{ createdFrom: '2026-02-30T00:00:00Z' }, 'filter.createdFrom'],
    [{ createdTo: 1 }, 'filter.createdTo'],
    [{ externalId: '' }, 'filter.externalId'],
    [{ state: 'created' }, 'filter.state'],
  ])('refuses %j', async (filter, field) => {
    const { errors } = await page(client, filter);
    expect(JSON.stringify(errors)).toContain(field.replace('filter.', ''));
  });

  test('takes a time that is written in the document', async () => {
    const { data, errors } = await client.send(
      '{ orders(filter: { createdTo: "2020-01-01T00:00:00Z" }) { edges { cursor } } }',
    );
    expect([errors, data?.orders?.edges]).toEqual([undefined, []]);
  });
});

test('etaTime is the same time as eta', async () => {
  const pk = await place(client);
  const query = 'query ($pk: ID!) { order(pk: $pk) { packages { waypoint { eta etaTime } } } }';
  const { eta, etaTime } = present(
    (await client.send(query, { variables: { pk } })).data?.order?.packages[0]?.waypoint,
  );
  expect(Math.round(Date.parse(etaTime) / 1000)).toBe(eta);
});
