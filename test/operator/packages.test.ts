import { expect, test } from '@jest/globals';
import { age } from '../domain/orders-fixtures.js';
import { orderBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { agency, atPackage, bodyOf, movement, newPackage, placeOrder, reason, resultsOf } from './fixtures.js';

const service = await ownService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const list = (query: Record<string, string | number> = {}) => api.GET('/operator/v1/packages', { params: { query } });

test('the list shows what each is worth and by which service it goes, and so does GET of one', async () => {
  const { pickups, packages } = orderBody({ declared_value: '349.90' });
  const body = { pickups, packages, service: 'economy' as const };
  const { id, packages: placed } = await bodyOf(customer.rest.POST('/api/v1/orders', { body }));
  const shown = { declared_value: '349.90', service: 'economy' };
  expect((await bodyOf(list({ order_id: id }))).data).toMatchObject([shown]);
  const key = placed[0]?.loggi_key ?? '';
  expect(await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)))).toMatchObject(shown);
  const ordinary = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(await newPackage(customer))));
  expect([ordinary.declared_value, ordinary.service]).toEqual([undefined, 'express']);
});

test('a code that an earlier version gave is found and shown as it is', async () => {
  const key = await newPackage(customer);
  const trackingCode = '7ZK3M9P2QXW$';
  for (const table of ['packages', 'package_codes'] as const)
    await service.db.updateTable(table).set({ tracking_code: trackingCode }).where('loggi_key', '=', key).execute();
  const { data } = await bodyOf(list({ tracking_code: trackingCode }));
  expect(data.map((each) => [each.loggi_key, each.tracking_code])).toEqual([[key, trackingCode]]);
});

test('GET …/movements answers the history by the time of things, newest first, to the microsecond', async () => {
  const { id, packages } = await placeOrder(customer);
  const key = packages[0]?.loggi_key ?? '';
  await age(service.db, id, 20 * 365 * 86_400);
  const location = { city: 'Santos', state: 'SP' };
  const happened_at = '2026-01-02T07:04:05.123456-03:00';
  await resultsOf(operator, movement(key, { status_code: 10, pickup_agency: agency }));
  await resultsOf(operator, movement(key, { status_code: 6, action_required: reason, happened_at, location }));
  const { path } = atPackage(key).params;
  const history = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/movements', atPackage(key)));
  expect(history.data.map((each) => each.status_code)).toEqual([10, 6, 1]);
  expect(history.data[0]).toMatchObject({ pickup_agency: agency });
  expect(history.data[1]).toMatchObject({
    happened_at: '2026-01-02T10:04:05.123456Z',
    location,
    action_required: reason,
  });
  expect(history.pagination.total_items).toBe(3);
  const query = { page: 2, page_size: 1 };
  const last = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/movements', { params: { path, query } }));
  expect(last.data).toEqual([history.data[1]]);
});

const cancel = (key: string, body = {}) =>
  api.POST('/operator/v1/packages/{loggi_key}/cancellation', { ...atPackage(key), body });

test('POST …/cancellation cancels a package of any account, and says what its order costs', async () => {
  const order = await placeOrder(await service.customer(), 2);
  const [key = '', other = ''] = order.packages.map(({ loggi_key }) => loggi_key);
  const preview = await bodyOf(cancel(key, { preview: true }));
  expect(preview).toMatchObject({ changed: false, package: { loggi_key: key, status: { code: 1 } } });
  const cancelled = await bodyOf(cancel(key));
  const { resolved_address, previous_total, total: shown } = preview;
  expect(cancelled).toMatchObject({ changed: true, resolved_address, previous_total, total: shown });
  expect(cancelled).toMatchObject({ order_status: 'created', previous_total: order.pricing.total });
  expect(cancelled.package).toMatchObject({ loggi_key: key, status: { code: 2, final: true }, movement_count: 2 });
  expect(Number(cancelled.total)).toBeLessThan(Number(order.pricing.total));
  const { total } = cancelled;
  expect(await bodyOf(cancel(key))).toEqual({ ...cancelled, previous_total: total });
  expect(await bodyOf(cancel(other))).toMatchObject({ order_status: 'cancelled', previous_total: total, total });
});

const address = { address: 'Rua XV de Novembro, 100 - Centro, Santos - SP', complement: 'sala 3' };
const change = (key: string, body: { address: { address: string }; total?: string }) =>
  api.POST('/operator/v1/packages/{loggi_key}/address-change', { ...atPackage(key), body });
const query = { operation: 'changeAddressForShipper' };
const logged = async () => (await bodyOf(api.GET('/operator/v1/audit-log', { params: { query } }))).data;

test('POST …/address-change tells the price, and changes the address of a package of any account at that total', async () => {
  const order = await placeOrder(await service.customer(), 2);
  const key = order.packages[0]?.loggi_key ?? '';
  const preview = await bodyOf(change(key.toUpperCase(), { address }));
  expect(preview).toMatchObject({ changed: false, order_status: 'created', previous_total: order.pricing.total });
  expect(preview.package).toMatchObject({ loggi_key: key, address, status: { code: 1 } });
  const place = { city: 'Santos', state: 'SP', accuracy_metres: expect.any(Number) };
  expect(preview.resolved_address).toMatchObject(place);
  expect(Number(preview.total)).toBeGreaterThan(Number(order.pricing.total));
  const read = () => bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));
  expect((await read()).address).toEqual(order.packages[0]?.address);
  expect(await logged()).toEqual([]);

  const { total } = preview;
  const changed = await bodyOf(change(key, { address, total }));
  expect(changed).toEqual({ ...preview, changed: true });
  expect(await read()).toEqual(changed.package);
  expect(await logged()).toMatchObject([{ targets: { loggi_key: key }, fields: ['address', 'total'] }]);
});
