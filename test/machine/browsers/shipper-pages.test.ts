import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { movement, placeOrder, record } from '../../operator/fixtures.js';
import { accessibilityFaults, describeInBrowser, isTooWide } from '../../support/browser.js';
import { PASSWORD } from '../../support/password.js';
import { ownService } from '../../support/services.js';

/** The shippers' place in a browser: every page on a desk and on a phone. */

const service = await ownService();

async function signedIn(page: Page, email: string): Promise<void> {
  await page.goto('/envios/sign-in');
  await page.fill('#email', email);
  await page.fill('#password', PASSWORD);
  await page.click('main button');
  await page.waitForURL('**/envios');
}

describeInBrowser("the shippers' place in a browser", (newPage) => {
  test.each([
    ['light', 1280, 'pt-BR'],
    ['dark', 390, 'en'],
  ] as const)('every page keeps the rules of accessibility: %s, %d px, %s', async (colorScheme, width, locale) => {
    const ana = await service.customer();
    const { id, packages } = await placeOrder(ana, 2);
    const [asking = '', waiting = ''] = packages.map(({ loggi_key: key }) => `/envios/packages/${key}`);
    const reason = { reason_label: 'Endereço', reason_description: 'O número não existe.' };
    const key = packages[0]?.loggi_key ?? '';
    await record(service.operator, movement(key, { status_code: 6, action_required: reason }));
    const page = await newPage({ baseURL: service.url, locale, viewport: { width, height: 800 }, colorScheme });
    await signedIn(page, ana.email);
    const paths = [
      ...['', '/orders', `/orders/${id}`, '/packages', '/new-order', '/import', '/account', '/api-keys'].map(
        (path) => `/envios${path}`,
      ),
      ...['/envios/webhook-endpoints', asking, waiting, `${waiting}/cancellation`, `${waiting}/address-change`],
    ];
    const found: Record<string, unknown[]> = {};
    for (const path of paths) {
      await page.goto(path);
      const wider = (await isTooWide(page)) ? ['wider than the screen'] : [];
      const wrong = [...(await accessibilityFaults(page)), ...wider];
      if (wrong.length > 0) found[path] = wrong;
    }
    expect(found).toEqual({});
  });
});
