import { expect, test } from '@jest/globals';
import { operatorOf } from '../cli/malote.js';
import { sharedService } from '../support/services.js';
import { at, atPackage, bodyOf, placeOrder } from './fixtures.js';

const service = await sharedService();
const { operator } = service;
const { operator: api } = operator;
const customer = await service.customer();

const PATH = '/operator/v1/packages/{loggi_key}/tracking-link';
const renew = (key: string) => api.POST(PATH, atPackage(key));
const revoke = (key: string) => api.DELETE(PATH, atPackage(key));

const linkOf = async (key: string): Promise<string | undefined> =>
  (await bodyOf(api.GET('/operator/v1/packages/{loggi_key}', atPackage(key)))).tracking_url;

async function statusOf(url = ''): Promise<number> {
  const params = { path: { token: url.split('/').at(-1) ?? '' } };
  return (await service.anonymous.rest.GET('/api/v1/tracking/{token}', { params })).response.status;
}

async function newPackage() {
  const { id: orderId, packages } = await placeOrder(customer, 2);
  const [key = ''] = packages.map(({ loggi_key }) => loggi_key);
  const [url, neighbourUrl] = packages.map(({ tracking_url }) => tracking_url);
  return { orderId, key, url, neighbourUrl };
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
  expect(await Promise.all(given.map(statusOf))).toEqual([404, 404, 404, 404, 200]);
});

test('the answer has the new link, and so has the owner’s order, under another ETag', async () => {
  const { key, orderId } = await newPackage();
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

test('the commands show, renew and revoke it', async () => {
  const cli = operatorOf(service);
  const { key, url } = await newPackage();
  expect((await cli.run(['packages', 'list'])).out).toContain(url);
  expect(await cli.json(['packages', 'show', key])).toMatchObject({ tracking_url: url });
  expect(await cli.json(['packages', 'new-link', key])).toMatchObject({ tracking_url: await linkOf(key) });
  const err = 'The tracking link is revoked.\n';
  expect(await cli.run(['packages', 'revoke-link', key])).toEqual({ code: 0, out: '', err });
  expect(await linkOf(key)).toBeUndefined();
});
