import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, isTooWide, launch, looks } from '../../support/browser.js';
import { sharedService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

const service = await sharedService();

/** A page of each kind: lists and tables, prose with code, the references, results of a search. */
const kinds = ['', 'webhook', 'rest-orders', 'graphql', 'search?q=order'];

describeWith('chromium', 'the guide in a browser', (executable) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(executable);
  });
  afterAll(() => browser.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options });
    const page = await context.newPage();
    await page.goto(`${service.url}/docs/guide/${path}`);
    return page;
  }

  describe.each(looks)('%s', (_name, look) => {
    test.each(kinds)('everybody can use "%s"', async (path) => {
      const page = await open(path, { ...look, bypassCSP: true });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.context().close();
    });
  });

  test('search finds while one types, and leads there', async () => {
    const page = await open('', { locale: 'pt-BR', bypassCSP: true });
    const field = page.getByRole('searchbox');
    await field.fill('Idempotency-Key');
    await page.locator('#hits a').first().waitFor();
    expect(await page.locator('#hits a').first().getAttribute('href')).toMatch(/^\/docs\/guide\/idempotency#/);
    await field.fill('18');
    const hit = page.locator('#hits a[href="/docs/guide/statuses#package-statuses"]');
    await hit.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await hit.click();
    await page.waitForURL(/\/docs\/guide\/statuses#package-statuses$/);
    await page.context().close();
  });

  test('the form searches without JavaScript', async () => {
    const page = await open('', { javaScriptEnabled: false });
    await page.getByRole('searchbox').fill('dead letter');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'When your receiver fails' }).click();
    await page.waitForURL(/\/docs\/guide\/webhook#when-your-receiver-fails$/);
    await page.context().close();
  });

  test('nothing is asked for from elsewhere, and everything that is asked for is there', async () => {
    const page = await open('quickstart');
    const [outside, broken]: [string[], string[]] = [[], []];
    page.on('request', (request) => void (request.url().startsWith(service.url) || outside.push(request.url())));
    page.on('response', (answer) => void (answer.status() >= 400 && broken.push(answer.url())));
    page.on('pageerror', (error) => broken.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && broken.push(message.text())));
    await page.reload();
    await page.getByRole('searchbox').fill('order');
    await page.locator('#hits a').first().waitFor();
    expect({ outside, broken }).toEqual({ outside: [], broken: [] });
    await page.context().close();
  });
});
