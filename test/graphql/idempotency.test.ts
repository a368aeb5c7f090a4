import { describe, expect, test } from '@jest/globals';
import { orderBody } from '../support/bodies.js';
import { anOrder, type Client, CREATE_ORDER, startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const create = (who: Client, key: string, input: object, query = CREATE_ORDER) =>
  who.send(query, { variables: { input }, headers: { 'Idempotency-Key': key } });
/** Sends one request two times. The second is a replay. */
async function createTwice(key: string, input: object) {
  const answers = [await create(client, key, input), await create(client, key, input)];
  expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  expect(answers[1]?.data).toEqual(answers[0]?.data);
  return answers[0]?.data?.createOrder;
}
const ordersOf = async (who: Client) =>
  (await who.send('{ orders(first: 100) { edges { cursor } } }')).data?.orders?.edges.length;

describe('createOrder with an Idempotency-Key', () => {
  test('answers the same request with the same order again, and says so', async () => {
    await createTwice('key-1', anOrder(client.paymentMethod));
    expect(await ordersOf(client)).toBe(1);
  });

  test('lets a repeated request select other fields of the first answer', async () => {
    const query = CREATE_ORDER.replace('pk externalId', 'packages { loggiKey }');
    const { data } = await create(client, 'key-1', anOrder(client.paymentMethod), query);
    expect(data?.createOrder?.orders[0]?.packages[0]?.loggiKey).toMatch(/^[\da-f-]{36}$/);
  });

  test('repeats the refusal of a taken externalId', async () => {
    const input = anOrder(client.paymentMethod, { externalId: 'pedido' });
    await client.send(CREATE_ORDER, { variables: { input } });
    const refused = await createTwice('key-3', input);
    expect(refused?.errors).toEqual([{ field: 'externalId', message: 'is taken' }]);
  });

  test('answers 422 when the key comes with another order', async () => {
    const other = anOrder(client.paymentMethod, { externalId: 'other' });
    const { status, data, errors } = await create(client, 'key-1', other);
    const message = 'This Idempotency-Key was used with another request.';
    const extensions = { code: 'IDEMPOTENCY_KEY_REUSED', reason: 'idempotency_key_reused' };
    const error = { message, path: ['createOrder'], extensions };
    expect({ status, data, errors }).toEqual({ status: 422, data: null, errors: [error] });
  });

  test('answers 409 when the key was used in REST', async () => {
    const headers = { 'Idempotency-Key': 'key-4' };
    const created = await client.caller.rest.POST('/api/v1/orders', { body: orderBody(), headers });
    expect(created.response.status).toBe(201);
    const { status, errors } = await create(client, 'key-4', anOrder(client.paymentMethod));
    expect(status).toBe(409);
    expect(errors?.map(({ extensions }) => extensions.reason)).toEqual(['idempotency_other_interface']);
  });

  test.each(['ã key', 'two words', 'x'.repeat(256)])('refuses the key %j before anything runs', async (key) => {
    const { data, errors } = await create(client, Buffer.from(key).toString('latin1'), anOrder(client.paymentMethod));
    expect(data).toBeUndefined();
    const message = 'must be 1 to 255 printable ASCII characters without spaces';
    const details = [{ field: 'Idempotency-Key', code: 'pattern', message }];
    expect(errors?.[0]?.extensions).toEqual({ code: 'VALIDATION_ERROR', reason: 'invalid_fields', details });
  });

  test('is for one order, and not for two in one document', async () => {
    const before = await ordersOf(client);
    const fields = ['a', 'b'].map((alias) => `${alias}: createOrder(input: $input) { success }`);
    const query = `mutation ($input: CreateOrderInput!) { ${fields.join(' ')} }`;
    const { data, errors } = await create(client, 'key-6', anOrder(client.paymentMethod), query);
    const refused = { field: 'Idempotency-Key', code: 'not_allowed', message: 'can be sent with one createOrder only' };
    expect([data, errors?.[0]?.extensions.details]).toEqual([undefined, [refused]]);
    expect(await ordersOf(client)).toBe(before);
  });
});
