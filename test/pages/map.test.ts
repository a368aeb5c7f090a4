import { expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Maps: an address is a link to a map. With MAP_TILES_URL only two pages show tiles of that host. */

const HOST = 'https://tiles.example.org';
const withTiles = await ownService({ MAP_TILES_URL: `${HOST}/{z}/{x}/{y}.png` });
const without = await ownService();

async function opened(service: typeof withTiles) {
  const { id, packages } = await placeOrder(await service.customer());
  const visit = new Visitor(service.url);
  await visit.signIn(operatorLogin);
  const order = await visit.get(`/console/orders/${id}`);
  const page = await visit.get(`/console/packages/${packages[0]?.loggi_key}`);
  const link = /href="[^"]*(\/t\/[\w-]+)"/.exec(page.text)?.[1] ?? '';
  return { order, page, tracking: await visit.get(link) };
}

const tilesOf = (html: string): string[] =>
  [...html.matchAll(/<img src="([^"]+)"[^>]*referrerpolicy="origin"/g)].map(([, src]) => src ?? '');

test('an address links to a map and shows its accuracy; the page loads no map', async () => {
  const { order, page, tracking } = await opened(without);
  expect(order.text).toMatch(/href="https:\/\/www\.openstreetmap\.org\/\?mlat=-[\d.]+&amp;mlon=-[\d.]+#map=16\//);
  expect(order.text).toMatch(/± \d+ m/);
  expect(page.text).toContain('href="https://www.openstreetmap.org/search?query=');
  for (const { text, headers } of [order, page, tracking]) {
    expect(tilesOf(text)).toEqual([]);
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;");
  }
});

test('only the page of an order and the tracking page show tiles, and only of the configured host', async () => {
  const { order, page, tracking } = await opened(withTiles);
  for (const { text, headers } of [order, tracking]) {
    const tiles = tilesOf(text);
    expect(new Set(tiles).size).toBe(12);
    for (const tile of tiles) expect(tile).toMatch(/^https:\/\/tiles\.example\.org\/\d{1,2}\/\d+\/\d+\.png$/);
    expect(text).toContain('https://www.openstreetmap.org/copyright');
    expect(text).toContain('class="accuracy"');
    expect(headers.get('content-security-policy')).toContain(`img-src 'self' data: ${HOST};`);
  }
  expect(page.headers.get('content-security-policy')).not.toContain(HOST);
});
