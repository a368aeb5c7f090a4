import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { at, atPackage, bodyOf, movement, placeOrder, resultsOf } from '../operator/fixtures.js';
import type { Caller } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await sharedService();
const operator = service.operator;
const ana = await service.customer();

const giveBack = (loggi_key: string, body: components['schemas']['ReturnInput'] = {}, caller: Caller = ana) =>
  caller.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(loggi_key), body });

/** An order of two packages. The first is delivered. */
async function delivered(customer: Caller = ana) {
  const order = await placeOrder(customer, 2);
  const key = order.packages[0]?.loggi_key ?? '';
  await resultsOf(operator, movement(key, { status_code: 5 }));
  return { order, key };
}

const get = (id: string, customer: Caller = ana) => bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(id)));

describe('POST /api/v1/packages/{loggi_key}/return', () => {
  test('takes a delivered package back to its pickup, in an order that is priced like any other', async () => {
    const { order, key } = await delivered();
    const [parcel] = order.packages;
    const { data, response } = await giveBack(key, { external_id: 'devolucao-1', instructions: 'Interfone 12.' });
    expect([response.status, response.headers.get('location')]).toEqual([201, `/api/v1/orders/${data?.id}`]);
    expect(data).toMatchObject({
      user_id: ana.id,
      external_id: 'devolucao-1',
      return_of: key,
      status: 'created',
      pricing: { rate_card_version: order.pricing.rate_card_version, total: expect.any(String) },
      pickups: [
        { address: parcel?.address, instructions: 'Interfone 12.', resolved_address: parcel?.resolved_address },
      ],
      packages: [
        {
          recipient: { name: 'Ana Souza', phone: '+55 11 91234-5678' },
          address: order.pickups[0]?.address,
          resolved_address: order.pickups[0]?.resolved_address,
          dimensions: parcel?.dimensions,
        },
      ],
    });
    expect(await get(data?.id ?? '')).toEqual(data);
    expect((await get(order.id)).packages.map(({ returned_by }) => returned_by)).toEqual([data?.id, undefined]);
  });

  test('is ordered at the agreed price, or refused', async () => {
    const { key } = await delivered();
    const { error } = await giveBack(key, { expected_total: '0.01' });
    expect(error?.error).toMatchObject({ reason: 'price_changed', details: [{ field: 'expected_total' }] });
    const [total = ''] = error?.error.details.flatMap((detail) => detail.total ?? []) ?? [];
    const { data } = await giveBack(key, { expected_total: total });
    expect(data?.pricing.total).toBe(total);
  });

  test('gives the order of the package a new version', async () => {
    const { order, key } = await delivered();
    const read = () => ana.rest.GET('/api/v1/orders/{id}', at(order.id));
    const etag = async () => (await read()).response.headers.get('etag');
    expect(await etag()).toBe('"2"');
    await bodyOf(giveBack(key));
    expect(await etag()).toBe('"3"');
  });

  test.each([1, 10, 7, 8, 2])('is refused for a package in status %i', async (status) => {
    const order = await placeOrder(ana);
    const key = order.packages[0]?.loggi_key ?? '';
    const pickup_agency = { address: 'Rua Augusta, 1500', city: 'São Paulo', state: 'SP', postal_code: '01304001' };
    const agency = status === 10 ? { pickup_agency } : {};
    if (status !== 1) await resultsOf(operator, movement(key, { status_code: status, ...agency }));
    expect(refusal(await giveBack(key))).toBe('409 CONFLICT');
  });

  test('is made once when many ask at the same time; the others are told its order', async () => {
    const { key } = await delivered();
    const sent = await Promise.all([giveBack(key), giveBack(key), giveBack(key)]);
    const [made] = sent.flatMap(({ data }) => data ?? []);
    expect(sent.map(({ response }) => response.status).sort()).toEqual([201, 409, 409]);
    const { error } = await giveBack(key);
    expect(error?.error.details).toEqual([
      { field: 'loggi_key', code: 'taken', message: 'is returned', order_id: made?.id },
    ]);
  });

  test('can be made again after it was cancelled', async () => {
    const { order, key } = await delivered();
    const first = await bodyOf(giveBack(key));
    await bodyOf(ana.rest.PUT('/api/v1/orders/{id}/status', { ...at(first.id), body: { status: 'cancelled' } }));
    const second = await bodyOf(giveBack(key));
    expect((await get(order.id)).packages[0]?.returned_by).toBe(second.id);
    expect((await giveBack(key)).response.status).toBe(409);
  });

  test('names a wrong payment method and a wrong external id', async () => {
    const { key } = await delivered();
    const refused = await giveBack(key, { payment_method_id: 2_000_000_000 });
    expect(refusal(refused)).toBe('400 VALIDATION_ERROR payment_method_id');
    const { external_id } = await bodyOf(giveBack(key, { external_id: 'devolucao-2' }));
    const another = await delivered();
    expect(refusal(await giveBack(another.key, { external_id: external_id ?? '' }))).toBe('409 CONFLICT external_id');
    expect((await get(another.order.id)).packages[0]?.returned_by).toBeUndefined();
    expect(await bodyOf(giveBack(another.key, { external_id: '' }))).toMatchObject({ external_id: null });
  });

  test('may be ordered by an operator, for the account', async () => {
    const bia = await service.customer();
    const { key } = await delivered(bia);
    const order = await bodyOf(giveBack(key, {}, operator));
    expect(await get(order.id, bia)).toEqual(order);
    expect(order.user_id).toBe(bia.id);
  });
});
