import { expect, test } from '@jest/globals';
import { operatorOf } from '../cli/malote.js';
import { age } from '../domain/orders-fixtures.js';
import { orderBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { agency, at, atPackage, bodyOf, movement, newPackage, placeOrder, reason, resultsOf } from './fixtures.js';

const service = await ownService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const list = (query: Record<string, string | number> = {}) => api.GET('/operator/v1/packages', { params: { query } });

test('the list shows declared value and service of each package, and so does GET of one package', async () => {
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

test('a tracking code that an earlier release gave is found, and shown unchanged', async () => {
  const key = await newPackage(customer);
  const trackingCode = '7ZK3M9P2QXW$';
  for (const table of ['packages', 'package_codes'] as const)
    await service.db.updateTable(table).set({ tracking_code: trackingCode }).where('loggi_key', '=', key).execute();
  const { data } = await bodyOf(list({ tracking_code: trackingCode }));
  expect(data.map((each) => [each.loggi_key, each.tracking_code])).toEqual([[key, trackingCode]]);
});

test('GET …/movements answers the history by the time when movements happened, newest first, to the microsecond', async () => {
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
  const earlier = { happened_at: '2026-01-02T10:04:05.123456Z', location, action_required: reason };
  expect(history.data.slice(0, 2)).toMatchObject([{ pickup_agency: agency }, earlier]);
  expect(history.pagination.total_items).toBe(3);
  const query = { page: 2, page_size: 1 };
  const last = await bodyOf(api.GET('/operator/v1/packages/{loggi_key}/movements', { params: { path, query } }));
  expect(last.data).toEqual([history.data[1]]);
});

const cancel = (key: string, body = {}) =>
  api.POST('/operator/v1/packages/{loggi_key}/cancellation', { ...atPackage(key), body });

test('POST …/cancellation cancels a package of any account, and answers the new price of its order', async () => {
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

test('POST …/address-change tells the price, and changes the address of any account’s package when that total is sent back', async () => {
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

const LINK = '/operator/v1/packages/{loggi_key}/tracking-link';
const renew = (key: string) => api.POST(LINK, atPackage(key));
const revoke = (key: string) => api.DELETE(LINK, atPackage(key));

const linkOf = async (key: string): Promise<string | undefined> =>
  (await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)))).tracking_url;

async function statusOf(url = ''): Promise<number> {
  const params = { path: { token: url.split('/').at(-1) ?? '' } };
  return (await service.anonymous.rest.GET('/api/v1/tracking/{token}', { params })).response.status;
}

async function twoPackages() {
  const { id: orderId, packages } = await placeOrder(customer, 2);
  const [key = ''] = packages.map(({ loggi_key }) => loggi_key);
  const [url, neighbourUrl] = packages.map(({ tracking_url }) => tracking_url);
  return { orderId, key, url, neighbourUrl };
}

test('a revoked link is 404 and the package has no link; revoking it again changes nothing', async () => {
  const { key, url, neighbourUrl } = await twoPackages();
  expect(await statusOf(url)).toBe(200);
  for (let time = 0; time < 2; time += 1) {
    expect((await revoke(key)).response.status).toBe(204);
    expect([await statusOf(url), await linkOf(key)]).toEqual([404, undefined]);
  }
  expect(await statusOf(neighbourUrl)).toBe(200);
});

test('a new link is one that the package never had, and every earlier link is 404', async () => {
  const { key, url } = await twoPackages();
  const urls = [url];
  for (const change of [renew, revoke, renew, renew, revoke, revoke, renew]) {
    await change(key);
    urls.push(await linkOf(key));
  }
  const given = urls.filter((each) => each !== undefined);
  expect(new Set(given).size).toBe(5);
  expect(urls.map((each) => each === undefined)).toEqual([false, false, true, false, false, true, true, false]);
  expect(await Promise.all(given.map(statusOf))).toEqual([404, 404, 404, 404, 200]);
});

test('a new link is in the answer and in the owner’s order, which gets another ETag', async () => {
  const { key, orderId } = await twoPackages();
  const get = () => customer.rest.GET('/api/v1/orders/{id}', at(orderId));
  const etagOf = async () => (await get()).response.headers.get('etag');
  const before = await etagOf();
  const { tracking_url } = await bodyOf(renew(key));
  expect((await bodyOf(get())).packages[0]?.tracking_url).toBe(tracking_url);
  const renewed = await etagOf();
  await revoke(key);
  const revoked = await etagOf();
  await revoke(key);
  expect([before, renewed, revoked, await etagOf()]).toEqual(['"1"', '"2"', '"3"', '"3"']);
});

test('the commands show, renew and revoke a link', async () => {
  const cli = operatorOf(service);
  const { key, url } = await twoPackages();
  expect((await cli.run(['packages', 'list'])).out).toContain(url);
  expect(await cli.json(['packages', 'show', key])).toMatchObject({ tracking_url: url });
  expect(await cli.json(['packages', 'new-link', key])).toMatchObject({ tracking_url: await linkOf(key) });
  const err = 'The tracking link is revoked.\n';
  expect(await cli.run(['packages', 'revoke-link', key])).toEqual({ code: 0, out: '', err });
  expect(await linkOf(key)).toBeUndefined();
});
