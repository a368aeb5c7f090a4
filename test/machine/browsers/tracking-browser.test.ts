import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { packageMaker, type TrackedPackage } from '../../pages/tracked.js';
import { accessibilityFaults, isTooWide, launch, looks } from '../../support/browser.js';
import { sharedService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

const service = await sharedService();
let newPackage: () => Promise<TrackedPackage>;

beforeAll(async () => {
  newPackage = await packageMaker(service);
});

describeWith('chromium', 'the tracking page in a browser', (executable) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(executable);
  });
  afterAll(() => browser.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'pt-BR', ...options });
    const page = await context.newPage();
    await page.goto(`${service.url}${path}`);
    return page;
  }

  describe.each(looks)('%s', (_name, look) => {
    test.each([1, 10])('in status %i everybody can use it', async (code) => {
      const { path, move } = await newPackage();
      if (code !== 1) await move(code);
      const page = await open(path, { ...look, bypassCSP: true });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.context().close();
    });

    test('so can everybody use the page of a link that is not valid', async () => {
      const page = await open('/t/none', { ...look, bypassCSP: true });
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.context().close();
    });
  });

  test('it asks for nothing from elsewhere, and everything that it asks for is there', async () => {
    const { path } = await newPackage();
    const context = await browser.newContext();
    const page = await context.newPage();
    const requested: string[] = [];
    const broken: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('response', (answer) => void (answer.status() >= 400 && broken.push(answer.url())));
    page.on('pageerror', (error) => broken.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && broken.push(message.text())));
    await page.goto(`${service.url}${path}`);
    await page.locator('#live').waitFor();
    expect(requested.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(broken).toEqual([]);
    expect(requested.length).toBe(6);
    await context.close();
  });

  test('a movement shows without a reload, and is read out', async () => {
    const { path, move } = await newPackage();
    const page = await open(path);
    await page.locator('#live').waitFor();
    await page.evaluate('window.sameDocument = true');
    await move(11);
    await page.getByRole('heading', { level: 1, name: 'Saiu para entrega' }).waitFor();
    expect(await page.locator('[aria-live=polite] h1').count()).toBe(1);
    expect(await page.locator('.timeline li').count()).toBe(2);
    expect(await page.title()).toContain('Saiu para entrega');
    expect(await page.evaluate('window.sameDocument')).toBe(true);
    await page.context().close();
  });

  test('a movement between the page and its connection is not missed', async () => {
    const { path, move } = await newPackage();
    const context = await browser.newContext({ locale: 'en' });
    const page = await context.newPage();
    await page.route('**/assets/tracking.js', async (route) => {
      await move(14);
      await route.continue();
    });
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1, name: 'Collected' }).waitFor();
    await context.close();
  });

  test('a link that is revoked takes the open page with it', async () => {
    const { path, revoke } = await newPackage();
    const page = await open(path);
    await page.locator('#live').waitFor();
    await revoke();
    await page.getByRole('heading', { level: 1, name: 'Link de rastreio inválido' }).waitFor();
    await page.context().close();
  });

  test('without JavaScript all is there, and a reload shows what is new; the language can be changed', async () => {
    const { path, move } = await newPackage();
    const page = await open(path, { javaScriptEnabled: false });
    expect(await page.getByText('Recarregue a página').isVisible()).toBe(true);
    await move(18);
    await page.reload();
    expect(await page.locator('h1').textContent()).toBe('Ninguém pôde receber');
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.locator('h1').textContent()).toBe('Nobody could receive it');
    await page.context().close();
  });
});
