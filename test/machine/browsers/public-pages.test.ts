import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { packageMaker, type TrackedPackage } from '../../pages/tracked.js';
import { accessibilityFaults, complaintsOf, describeInBrowser, isTooWide, looks } from '../../support/browser.js';
import { sharedService } from '../../support/services.js';

/** The public pages in a browser: the start page, the tracking page and the guide. */

const service = await sharedService();
let newPackage: () => Promise<TrackedPackage>;
beforeAll(async () => {
  newPackage = await packageMaker(service);
});

const portuguese = { locale: 'pt-BR' };

/** A page of each kind; of the guide lists and tables, prose with code, the references, results of a search. */
const paths = ['', 'webhook', 'rest-orders', 'graphql', 'search?q=order'].map((name) => `/docs/guide/${name}`);
const others = ['/', '/?link=none', '/t/none', '/rastreio?code=7ZK3M9P2QP1S', '/rastreio?code=none&cep=none'];

describeInBrowser('in a browser', (newPage) => {
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await newPage(options);
    await page.goto(`${service.url}${path}`);
    return page;
  }

  describe.each(looks)('%s everybody can use', (_name, look) => {
    const isUsable = async (path: string, locale: string) => {
      const page = await open(path, { ...look, locale });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
    };

    test.each([...paths, ...others])('%s', (path) => isUsable(path, path.startsWith('/t/') ? 'pt-BR' : 'en'));

    test.each([1, 10])('the tracking page in status %i', async (code) => {
      const { path, move } = await newPackage();
      if (code !== 1) await move(code);
      await isUsable(path, 'pt-BR');
    });
  });

  test('the start page needs no script, and breaks none of its own policy', async () => {
    const { path } = await newPackage();
    const page = await open('/', { javaScriptEnabled: false });
    const broken: string[] = [];
    page.on('console', (message) => void broken.push(message.text()));
    await page.getByLabel('Tracking link').fill(`${service.url}${path}`);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.waitForURL(`${service.url}${path}`);
    expect(broken).toEqual([]);
  });

  describe('the tracking page', () => {
    test('asks for nothing from elsewhere, and everything that it asks for is there', async () => {
      const { path } = await newPackage();
      const page = await newPage();
      const complaints = complaintsOf(page, service.url);
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      await page.goto(`${service.url}${path}`);
      await page.locator('#live').waitFor();
      expect([complaints, requested.length]).toEqual([[], 6]);
    });

    test('shows a movement without a reload, and announces it to screen readers', async () => {
      const { path, move } = await newPackage();
      const page = await open(path, portuguese);
      await page.locator('#live').waitFor();
      await page.evaluate('window.sameDocument = true');
      await move(11);
      await page.getByRole('heading', { level: 1, name: 'Saiu para entrega' }).waitFor();
      expect(await page.locator('[aria-live=polite] h1').count()).toBe(1);
      expect(await page.locator('.timeline li').count()).toBe(2);
      expect(await page.title()).toContain('Saiu para entrega');
      expect(await page.evaluate('window.sameDocument')).toBe(true);
    });

    test('misses no movement between loading and connecting', async () => {
      const { path, move } = await newPackage();
      const page = await newPage();
      await page.route('**/assets/tracking.js', async (route) => {
        await move(14);
        await route.continue();
      });
      await page.goto(`${service.url}${path}`);
      await page.getByRole('heading', { level: 1, name: 'Collected' }).waitFor();
    });

    test('disappears while it is open when its link is revoked', async () => {
      const { path, revoke } = await newPackage();
      const page = await open(path, portuguese);
      await page.locator('#live').waitFor();
      await revoke();
      await page.getByRole('heading', { level: 1, name: 'Link de rastreio inválido' }).waitFor();
    });

    test('shows everything without JavaScript, after a reload new movements too; its language can be changed', async () => {
      const { path, move } = await newPackage();
      const page = await open(path, { ...portuguese, javaScriptEnabled: false });
      expect(await page.getByText('Recarregue a página').isVisible()).toBe(true);
      await move(18);
      await page.reload();
      expect(await page.locator('h1').textContent()).toBe('Destinatário ausente');
      await page.getByRole('link', { name: 'English' }).click();
      expect(await page.locator('h1').textContent()).toBe('Recipient absent');
    });
  });

  describe('the guide', () => {
    test('shows all requests in the language that the reader chose, on the next page too', async () => {
      const page = await open('/docs/guide/orders', portuguese);
      const shown = (text: string) => page.locator('.panels pre:visible', { hasText: text }).count();
      expect(await shown('malote.orders.create(')).toBe(0);
      await page.getByText('TypeScript', { exact: true }).first().click();
      expect(await shown('malote.orders.create(')).toBeGreaterThan(0);
      expect(await shown('malote.packages.cancel(')).toBeGreaterThan(0);
      await page.goto(`${service.url}/docs/guide/checkout`);
      expect(await shown('malote.orders.quote(')).toBe(1);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('shows a request in another language without script', async () => {
      const page = await open('/docs/guide/orders', { javaScriptEnabled: false });
      await page.getByText('PHP', { exact: true }).first().click();
      const code = page.locator('.panels pre:visible').first();
      expect(await code.textContent()).toContain('curl_init(');
    });

    test('finds pages while one types, and leads to them', async () => {
      const page = await open('/docs/guide/', portuguese);
      const field = page.getByRole('searchbox');
      await field.fill('Idempotency-Key');
      await page.locator('#hits a').first().waitFor();
      expect(await page.locator('#hits a').first().getAttribute('href')).toMatch(/^\/docs\/guide\/idempotency#/);
      await field.fill('18');
      const hit = page.locator('#hits a[href="/docs/guide/statuses#situações-dos-pacotes"]');
      await hit.waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await hit.click();
      await page.waitForURL(/\/docs\/guide\/statuses#situa%C3%A7%C3%B5es-dos-pacotes$/);
    });

    test('copies a block of code at a button', async () => {
      const page = await open('/docs/guide/quickstart', portuguese);
      await page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => document.body.setAttribute('data-copied', text);
      });
      const button = page.getByRole('button', { name: 'Copiar' }).first();
      await button.click();
      await page.getByRole('button', { name: 'Copiado' }).waitFor();
      expect(await page.locator('body').getAttribute('data-copied')).toMatch(/^URL=https:\/\/malote\.example\n/);
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('leads old anchors of schemas, which were all on one page, to their pages', async () => {
      for (const [from, to] of [
        ['rest-schemas#order', /rest-schemas-e-o#order$/],
        ['operator-schemas#taskcompletioninput', /operator-schemas-s-z#taskcompletioninput$/],
        ['operator-schemas#recipient', /rest-schemas-p-r#recipient$/],
      ] as const) {
        const page = await open(`/docs/guide/${from}`);
        await page.waitForURL(to);
      }
    });

    test('searches by its form without JavaScript', async () => {
      const page = await open('/docs/guide/', { javaScriptEnabled: false });
      await page.getByRole('searchbox').fill('dead letter');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: 'When your receiver fails' }).click();
      await page.waitForURL(/\/docs\/guide\/webhook#when-your-receiver-fails$/);
    });

    test('asks for nothing from elsewhere, and everything that it asks for is there', async () => {
      const page = await open('/docs/guide/quickstart');
      const complaints = complaintsOf(page, service.url);
      await page.reload();
      await page.getByRole('searchbox').fill('order');
      await page.locator('#hits a').first().waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
