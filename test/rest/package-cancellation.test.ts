import { expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { checkDigit } from '../../src/base/tax.js';
import { atPackage, bodyOf, movement, placeOrder, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

/** POST /api/v1/packages/{loggi_key}/cancellation. */

const service = await ownService();
const { operator } = service;
const ana = await service.customer();

type Order = components['schemas']['Order'];

const cancel = (loggi_key: string, body = {}, header: Record<string, string> = {}) =>
  ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', { params: { path: { loggi_key }, header }, body });

const keyOf = ({ packages }: Order, at = 0): string => packages[at]?.loggi_key ?? '';

const current = async ({ id }: Order) => bodyOf(ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));

const codesOf = ({ packages }: Order) => packages.map(({ status }) => status.code);

test('cancelling one package of an order lowers the price of the order', async () => {
  const order = await placeOrder(ana, 2);
  const { data, response } = await cancel(keyOf(order));
  expect(data).toMatchObject({ cancelled: true, previous_pricing: order.pricing, order: { status: 'created' } });
  const after = await current(order);
  expect([data?.order, response.headers.get('etag')]).toEqual([after, '"3"']);
  expect(codesOf(after)).toEqual([2, 1]);
  expect(Number(after.pricing.total)).toBeLessThan(Number(order.pricing.total));
  expect(after.pricing).toEqual((await placeOrder(ana, 1)).pricing);
  const history = await bodyOf(
    operator.operator.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(keyOf(order))),
  );
  expect(history.data.map(({ status_code }) => status_code)).toEqual([2, 1]);
});

test('a preview tells the price after a cancellation, and changes nothing', async () => {
  const order = await placeOrder(ana, 2);
  const preview = await bodyOf(cancel(keyOf(order), { preview: true }));
  expect([preview.cancelled, await current(order)]).toEqual([false, order]);
  const { order: after } = await bodyOf(cancel(keyOf(order)));
  expect(after.pricing).toEqual(preview.order.pricing);
});

test('cancelling the last package ends the order and keeps its price', async () => {
  const order = await placeOrder(ana, 2);
  await bodyOf(cancel(keyOf(order)));
  const { previous_pricing, order: ended } = await bodyOf(cancel(keyOf(order, 1)));
  expect([ended.status, codesOf(ended), ended.pricing]).toEqual(['cancelled', [2, 2], previous_pricing]);
});

test('a package can be cancelled when another of its order was collected, but the collected one cannot', async () => {
  const order = await placeOrder(ana, 2);
  await resultsOf(operator, movement(keyOf(order), { status_code: 14 }));
  const refused = await cancel(keyOf(order));
  expect([refusal(refused), refused.error?.error.reason]).toEqual(['409 CONFLICT', 'package_state']);
  const { order: after } = await bodyOf(cancel(keyOf(order, 1)));
  expect([after.status, codesOf(after)]).toEqual(['processing', [14, 2]]);
});

test('cancelling a cancelled package again changes nothing; with the same Idempotency-Key the answer is the same', async () => {
  const order = await placeOrder(ana, 2);
  const key = { 'Idempotency-Key': 'cancel-once' };
  const first = await bodyOf(cancel(keyOf(order), {}, key));
  expect(await bodyOf(cancel(keyOf(order), {}, key))).toEqual(first);
  expect(await bodyOf(cancel(keyOf(order)))).toEqual({ ...first, previous_pricing: first.order.pricing });
  expect(refusal(await cancel(keyOf(order, 1), {}, { 'If-Match': '"1"' }))).toBe('412 PRECONDITION_FAILED');
});

test('cancelling a package frees its fiscal key if no other package of the order has it', async () => {
  const text = '3526091122233300018155001000000001112345678';
  const fiscal_document = { kind: 'nfe', key: `${text}${checkDigit(text, 9)}` } as const;
  const place = (packages: number) => placeOrder(ana, packages, { fiscal_document });
  const { pickups, packages } = orderBody({ fiscal_document });
  const again = async () => refusal(await ana.rest.POST('/api/v1/orders', { body: { pickups, packages } }));
  const order = await place(2);
  expect(await again()).toBe('409 CONFLICT packages.0.fiscal_document.key');
  await bodyOf(cancel(keyOf(order)));
  expect(await again()).toBe('409 CONFLICT packages.0.fiscal_document.key');
  await bodyOf(cancel(keyOf(order, 1)));
  const mixed = { pickups, packages: [...packages, packageBody] };
  const second = await bodyOf(ana.rest.POST('/api/v1/orders', { body: mixed }));
  const { order: after } = await bodyOf(cancel(keyOf(second)));
  expect(after.status).toBe('created');
  await place(1);
});
