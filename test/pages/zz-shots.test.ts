import { afterAll, beforeAll, test } from '@jest/globals';
import { launch, looks } from '../support/browser.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({}, { worker: false });
}, 60_000);
afterAll(() => service.stop());
test('shots', async () => {
  const browser = await launch('/usr/bin/chromium');
  for (const [name, look] of looks)
    for (const path of [
      'docs/guide/',
      'docs/guide/webhook',
      'docs/guide/rest-orders',
      'docs/guide/graphql',
      'docs/guide/search?q=order',
      'docs',
    ]) {
      const page = await (await browser.newContext({ locale: 'en', ...look })).newPage();
      await page.goto(`${service.url}/${path}`);
      if (path === 'docs') await page.waitForSelector('.opblock');
      await page.screenshot({ path: `/tmp/shots/${name}-${path.replace(/\W/g, '_')}.png` });
      await page.close();
    }
  await browser.close();
}, 120_000);
