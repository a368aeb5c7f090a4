import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { malote } from '../cli/malote.js';
import { operatorLogin } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { bodyOf, placeOrder, refusalOf } from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const PATH = '/operator/v1/packages/{loggi_key}/tracking-link';
const at = (loggi_key: string) => ({ params: { path: { loggi_key } } });
const renew = (key: string) => api.POST(PATH, at(key));
const revoke = (key: string) => api.DELETE(PATH, at(key));

const linkOf = async (key: string): Promise<string | undefined> =>
  (await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', at(key)))).tracking_url;

async function statusOf(url = ''): Promise<number> {
  const params = { path: { token: url.split('/').at(-1) ?? '' } };
  return (await service.anonymous.rest.GET('/api/v1/tracking/{token}', { params })).response.status;
}

async function newPackage() {
  const order = await placeOrder(customer, 2);
  const [parcel, neighbour] = order.packages;
  return {
    orderId: order.id,
    key: parcel?.loggi_key ?? '',
    url: parcel?.tracking_url,
    neighbourUrl: neighbour?.tracking_url,
  };
}

test('a link that is revoked is 404, again and again; the package has none then', async () => {
  const { key, url, neighbourUrl } = await newPackage();
  expect(await statusOf(url)).toBe(200);
  for (let time = 0; time < 2; time += 1) {
    expect((await revoke(key)).response.status).toBe(204);
    expect([await statusOf(url), await linkOf(key)]).toEqual([404, undefined]);
  }
  expect(await statusOf(neighbourUrl)).toBe(200);
});

test('a new link is one that the package never had, and the one before is 404', async () => {
  const { key, url } = await newPackage();
  const urls = [url];
  for (const change of [renew, revoke, renew, renew, revoke, revoke, renew]) {
    await change(key);
    urls.push(await linkOf(key));
  }
  const given = urls.filter((each) => each !== undefined);
  expect(new Set(given).size).toBe(5);
  expect(urls.map((each) => each === undefined)).toEqual([false, false, true, false, false, true, true, false]);
  const statuses = await Promise.all(given.map(statusOf));
  expect(statuses).toEqual([404, 404, 404, 404, 200]);
});

test('the answer has the new link, and so has the owner’s order, under another ETag', async () => {
  const { key, orderId } = await newPackage();
  const get = () => customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id: orderId } } });
  const etagOf = async () => (await get()).response.headers.get('etag');
  const before = await etagOf();
  const { tracking_url } = await bodyOf(renew(key));
  const order = await bodyOf(get());
  expect(order.packages[0]?.tracking_url).toBe(tracking_url);
  const renewed = await etagOf();
  await revoke(key);
  const revoked = await etagOf();
  await revoke(key);
  expect([before, renewed, revoked, await etagOf()]).toEqual(['"1"', '"2"', '"3"', '"3"']);
});

describe('what nobody may', () => {
  test.each([renew, revoke])('an absent package has no link', async (change) => {
    expect(await refusalOf(change(randomUUID()))).toEqual([404, 'NOT_FOUND']);
  });

  test('a customer changes no link, not of an own package either', async () => {
    const { key, url } = await newPackage();
    const calls = [customer.operator.POST(PATH, at(key)), customer.operator.DELETE(PATH, at(key))];
    for (const call of calls) expect(await refusalOf(call)).toEqual([403, 'FORBIDDEN']);
    expect(await statusOf(url)).toBe(200);
  });
});

test('the commands show, renew and revoke it, and the audit log says who did', async () => {
  const credentials = { OPERATOR_EMAIL: operatorLogin.email, OPERATOR_PASSWORD: operatorLogin.password };
  const cli = malote({ MALOTE_URL: service.url, ...credentials });
  const { key, url } = await newPackage();
  expect((await cli.run(['packages', 'list'])).out).toContain(url);
  expect(await cli.json(['packages', 'show', key])).toMatchObject({ tracking_url: url });
  expect(await cli.json(['packages', 'new-link', key])).toMatchObject({ tracking_url: await linkOf(key) });
  expect(await cli.run(['packages', 'revoke-link', key])).toEqual({
    code: 0,
    out: '',
    err: 'The tracking link is revoked.\n',
  });
  expect(await linkOf(key)).toBeUndefined();
  const { data } = await bodyOf(api.GET('/operator/v1/audit-log', { params: { query: { page_size: 2 } } }));
  expect(data.map(({ operation, targets }) => [operation, targets])).toEqual([
    ['revokeTrackingLink', { loggi_key: key }],
    ['renewTrackingLink', { loggi_key: key }],
  ]);
});
