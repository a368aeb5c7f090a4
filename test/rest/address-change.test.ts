import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { bodyOf, movement, newWaitingPackage, placeOrder, resultsOf } from '../operator/fixtures.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await ownService();
const operator = service.operator;
const ana = await service.customer();

const santos = { address: 'Rua XV de Novembro, 100 - Centro, Santos - SP' };
const noronha = { address: 'Rua do Sol, 1, Fernando de Noronha - PE' };

type Order = components['schemas']['Order'];
type Change = components['schemas']['AddressChangeInput'];

const change = (key: string, body: Change, header: Record<string, string> = {}, caller: Caller = ana) =>
  caller.rest.POST('/api/v1/packages/{loggi_key}/address-change', {
    params: { path: { loggi_key: key }, header },
    body,
  });

const keyOf = ({ packages }: Order, at = 0): string => packages[at]?.loggi_key ?? '';

/** The order as it is now, with its version. */
async function current({ id }: Order) {
  const { data, response } = await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } });
  return { order: data, etag: response.headers.get('etag') };
}

async function history(loggi_key: string, by = ana) {
  const params = { path: { loggi_key } };
  return (await bodyOf(by.rest.GET('/api/v1/packages/{loggi_key}/address-changes', { params }))).data;
}

describe('POST /api/v1/packages/{loggi_key}/address-change', () => {
  test('shows the price, the route and the dates that the order would have, and changes nothing', async () => {
    const order = await placeOrder(ana, 2);
    const { data, response } = await change(keyOf(order), { address: santos });
    expect([response.status, response.headers.get('etag')]).toEqual([200, '"1"']);
    expect(data).toMatchObject({ changed: false, previous_pricing: order.pricing });
    const [moved, other] = data?.order.packages ?? [];
    expect(moved).toMatchObject({ address: santos, resolved_address: { city: 'Santos' } });
    expect(other).toMatchObject({ address: order.packages[1]?.address, barcode: order.packages[1]?.barcode });
    expect(Number(data?.order.pricing.total)).toBeGreaterThan(Number(order.pricing.total));
    expect(data?.order.route.distance).toBeGreaterThan(order.route.distance);
    expect(await current(order)).toEqual({ order, etag: '"1"' });
    expect(await history(keyOf(order))).toEqual([]);
  });

  test('changes the order as the preview showed, and gives it a new version, when the shown total is sent back', async () => {
    const order = await placeOrder(ana, 2);
    const key = keyOf(order, 1);
    const preview = await bodyOf(change(key, { address: santos }));
    const { total } = preview.order.pricing;
    const { data, response } = await change(key, { address: santos, total }, { 'If-Match': '"1"' });
    expect(response.headers.get('etag')).toBe('"2"');
    expect(data?.changed).toBe(true);
    const { pricing, route, pickups, packages } = preview.order;
    const untimed = (each: Order) =>
      each.packages.map(({ waypoint, pickup_waypoint: _, ...rest }) => [rest, waypoint.index]);
    expect(data?.order).toMatchObject({ pricing, route, status: 'created' });
    expect(data && untimed(data.order)).toEqual(untimed({ ...preview.order, packages }));
    expect(data?.order.pickups.map(({ address }) => address)).toEqual(pickups.map(({ address }) => address));
    expect(await current(order)).toEqual({ order: data?.order, etag: '"2"' });
    const made = { id: expect.any(String), changed_by: ana.id, created_at: expect.any(String) };
    const from = order.packages[1]?.address;
    const prices = { previous_pricing: order.pricing, new_total: total };
    expect(await history(key)).toEqual([{ ...made, from, to: santos, ...prices }]);
    expect(await history(keyOf(order))).toEqual([]);
  });

  test('prices by the rate card in force, and refuses a total that came from another card', async () => {
    const order = await placeOrder(ana);
    const key = keyOf(order);
    const shown = (await bodyOf(change(key, { address: santos }))).order.pricing;
    const rates = { base: '20.00', per_km: '1.20', per_kg: '0.95', per_extra_stop: '3.50' };
    const body = { ...rates, volumetric_cm3_per_kg: 6000 };
    const card = await bodyOf(operator.operator.POST('/operator/v1/rate-cards', { body }));
    expect(refusal(await change(key, { address: santos, total: shown.total }))).toBe('409 CONFLICT total');
    const { pricing } = (await bodyOf(change(key, { address: santos }))).order;
    expect([shown.rate_card_version, pricing.rate_card_version]).toEqual([1, card.version]);
    const changed = await bodyOf(change(key, { address: santos, total: pricing.total }));
    expect(changed.order.pricing).toEqual(pricing);
  });

  test('is refused when the order has changed, and when the order is on its way', async () => {
    const order = await placeOrder(ana, 2);
    const [first, second] = [keyOf(order), keyOf(order, 1)];
    const { total } = (await bodyOf(change(first, { address: santos }))).order.pricing;
    await bodyOf(change(first, { address: santos, total }));
    expect(refusal(await change(second, { address: santos }, { 'If-Match': '"1"' }))).toBe('412 PRECONDITION_FAILED');
    expect(refusal(await change(second, { address: santos, total: '0.01' }))).toBe('409 CONFLICT total');
    await resultsOf(operator, movement(first, { status_code: 14 }));
    for (const body of [{ address: santos }, { address: santos, total }])
      expect(refusal(await change(first, body))).toBe('409 CONFLICT');
  });

  test('refuses an address that cannot be placed, or that no road reaches', async () => {
    const order = await placeOrder(ana, 2);
    for (const address of [{ address: 'lugar nenhum' }, noronha])
      expect(refusal(await change(keyOf(order), { address }))).toBe('400 VALIDATION_ERROR address.address');
  });

  test('may be made by an operator, and the account sees who made it', async () => {
    const bia = await service.customer();
    const key = keyOf(await placeOrder(bia));
    const { total } = (await bodyOf(change(key, { address: santos }, {}, operator))).order.pricing;
    await bodyOf(change(key, { address: santos, total }, {}, operator));
    expect(await history(key, bia)).toMatchObject([{ changed_by: operator.id, to: santos }]);
  });
});

test('a package that waits for an answer is refused an address change', async () => {
  const key = await newWaitingPackage(operator, ana);
  expect(refusal(await change(key, { address: santos }))).toBe('409 CONFLICT');
});
