import { expect, test } from '@jest/globals';
import { sharedService } from '../support/services.js';

/** The samples of code in the guide. test/machine/languages/samples runs them. */

const service = await sharedService();
const textOf = async (path: string) =>
  (await fetch(`${service.url}${path}`, { headers: { 'Accept-Language': 'en' } })).text();

test('a request is shown in tabs of languages, and in Markdown only by its body', async () => {
  const html = await textOf('/docs/guide/orders');
  const [, tabs = ''] = /<fieldset class="tabs"[^>]*>([\s\S]*?)<\/fieldset>/.exec(html) ?? [];
  const labels = [...tabs.matchAll(/<label [^>]*>([^<]+)</g)].map(([, label]) => label);
  expect(labels).toEqual(['JSON', 'curl', 'TypeScript', 'Python', 'PHP', 'Java']);
  expect(tabs).toContain('curl_setopt_array');
  const markdown = await textOf('/docs/guide/orders.md');
  expect(markdown).toContain('"pickup_index": 0');
  expect(markdown).not.toContain('CURLOPT');
});

test('a request without a body is shown in tabs that begin with curl, and in Markdown by curl', async () => {
  const html = await textOf('/docs/guide/rest-products');
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain('malote.products.list()');
  expect(html).toMatch(/<fieldset class="tabs"[^>]*><input [^>]*value="curl"/);
  expect(await textOf('/docs/guide/rest-products.md')).toContain('curl "$MALOTE_URL/api/v1/products"');
});
