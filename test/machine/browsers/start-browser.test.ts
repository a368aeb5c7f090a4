import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { packageMaker } from '../../pages/tracked.js';
import { accessibilityFaults, isTooWide, launch, looks } from '../../support/browser.js';
import { sharedService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

const service = await sharedService();
let path: string;
beforeAll(async () => {
  ({ path } = await (await packageMaker(service))());
});

describeWith('chromium', 'the start page in a browser', (executable) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(executable);
  });
  afterAll(() => browser.close());

  async function open(target: string, options: BrowserContextOptions): Promise<Page> {
    const page = await (await browser.newContext({ locale: 'en', ...options })).newPage();
    await page.goto(`${service.url}${target}`);
    return page;
  }

  describe.each(looks)('%s', (_name, look) => {
    test.each(['/', '/?link=none'])('everybody can use %s', async (target) => {
      const page = await open(target, { ...look, bypassCSP: true });
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      await page.context().close();
    });
  });

  test('it needs no script, and breaks none of its own policy', async () => {
    const page = await open('/', { javaScriptEnabled: false });
    const broken: string[] = [];
    page.on('console', (message) => void broken.push(message.text()));
    await page.getByLabel('Tracking link').fill(`${service.url}${path}`);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.waitForURL(`${service.url}${path}`);
    expect(broken).toEqual([]);
    await page.context().close();
  });
});
