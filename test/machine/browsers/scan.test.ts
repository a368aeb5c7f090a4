import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { atPackage, newPackages } from '../../operator/fixtures.js';
import { accessibilityFaults, describeInBrowser, signIn } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { operatorLogin } from '../../support/service.js';
import { ownService } from '../../support/services.js';

/** The page on which an operator reads one code after the other, as a scanner types them: quickly, each with Enter. */

const service = await ownService();
const ana = await service.customer();
const keys = await newPackages(ana, 50);

const tracked = (key: string) =>
  service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)).then(must);

const countOf = (page: Page, outcome: string) => page.locator(`#scans li[data-outcome="${outcome}"]`).count();

async function openPage(page: Page): Promise<void> {
  await signIn(page, operatorLogin);
  await page.waitForURL('**/console');
  await page.goto('/console/scan');
  await page.selectOption('#status_code', '17');
  await page.fill('#city', 'Campinas');
  await page.fill('#state', 'SP');
  await page.focus('#code');
}

async function scan(page: Page, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.insertText(code);
    await page.keyboard.press('Enter');
  }
}

describeInBrowser('the page for scans', (newPage) => {
  test('records each of fifty codes once, even if the network fails five times, and keeps the focus', async () => {
    const page = await newPage({ baseURL: service.url, locale: 'pt-BR' });
    await openPage(page);
    const codes = await Promise.all(keys.map(async (key) => (await tracked(key)).barcode));
    for (let cut = 0; cut < 5; cut += 1) {
      await page.context().setOffline(true);
      await scan(page, codes.slice(10 * cut, 10 * cut + 5));
      if (cut > 1) await page.locator('#said', { hasText: 'Sem conexão' }).waitFor();
      await page.context().setOffline(false);
      await scan(page, codes.slice(10 * cut + 5, 10 * cut + 10));
    }
    await scan(page, [codes[0] ?? '']);
    expect(await countOf(page, 'duplicate')).toBe(1);
    await page.locator('#scans li[data-outcome="recorded"]').nth(49).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('code');
    for (const key of keys) {
      const { status, location, movement_count: count } = await tracked(key);
      expect([status.code, location, count]).toEqual([17, { city: 'Campinas', state: 'SP' }, 2]);
    }
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('reports an unknown code, and can undo a scan that was not sent', async () => {
    const page = await newPage({ baseURL: service.url, locale: 'pt-BR' });
    await openPage(page);
    await scan(page, ['7ZK3M9P2QP1S', 'by mistake']);
    await page.locator('#scans li', { hasText: 'by mistake' }).getByRole('button').click();
    await page.locator('#scans li[data-outcome="refused"]').waitFor();
    expect(await page.locator('#scans li').allTextContents()).toEqual([
      expect.stringMatching(/^Pacote desconhecido7ZK3M9P2QP1S/),
    ]);
  });

  test('keeps the waiting codes and the chosen base when it is opened again', async () => {
    const page = await newPage({ baseURL: service.url, locale: 'pt-BR' });
    const [key = ''] = await newPackages(ana, 1);
    await openPage(page);
    await page.context().setOffline(true);
    await scan(page, [key]);
    await page.context().setOffline(false);
    await page.goto('/console/scan');
    expect(await page.inputValue('#status_code')).toBe('17');
    await page.locator('#scans li[data-outcome="recorded"]').waitFor();
    expect((await tracked(key)).movement_count).toBe(2);
  });
});
