import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { closeMonths } from '../../../src/orders/statements/close-months.js';
import { monthAt } from '../../../src/orders/statements/months.js';
import { atPackage, newPackages, newWaitingPackage, placeOrder } from '../../operator/fixtures.js';
import { accessibilityFaults, describeInBrowser, isTooWide, signIn } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { operatorLogin } from '../../support/service.js';
import { ownService } from '../../support/services.js';

/** The day of an operator at the console: fifty scans, a task, a failed attempt, and a closed month. */

const service = await ownService();
const { db } = service;
const ana = await service.customer();
const { id: oldOrder } = await placeOrder(ana, 1);
const then = new Date(Date.now() - 75 * 86_400_000);
await db.updateTable('orders').set({ created_at: then }).where('id', '=', oldOrder).execute();
await closeMonths(db);

const tracked = (key: string) =>
  service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)).then(must);

/** The count on the first page that is beside these words. */
const counted = async (page: Page, words: string): Promise<number> => {
  await page.goto('/console');
  return Number(await page.locator('.counts li', { hasText: words }).locator('strong').textContent());
};

async function looksRight(page: Page): Promise<void> {
  expect([page.url(), await accessibilityFaults(page), await isTooWide(page)]).toEqual([page.url(), [], false]);
}

async function scanAll(page: Page, codes: readonly string[]): Promise<void> {
  await page.goto('/console/scan');
  await page.selectOption('#status_code', '17');
  await page.fill('#city', 'Campinas');
  await page.fill('#state', 'SP');
  await page.focus('#code');
  for (const code of codes) {
    await page.keyboard.insertText(code);
    await page.keyboard.press('Enter');
  }
  await page
    .locator('#scans li[data-outcome="recorded"]')
    .nth(codes.length - 1)
    .waitFor();
}

describeInBrowser('the day of an operator', (newPage) => {
  test.each([1280, 390])(
    'goes from the scan to the statement at %i px',
    async (width) => {
      const keys = await newPackages(ana, 50);
      const waiting = await newWaitingPackage(service.operator, ana);
      const note = { note: 'É o portão azul.' };
      must(await ana.rest.POST('/api/v1/packages/{loggi_key}/answers', { ...atPackage(waiting), body: note }));

      const page = await newPage({ baseURL: service.url, locale: 'pt-BR', viewport: { width, height: 860 } });
      await signIn(page, operatorLogin);
      await page.waitForURL('**/console');
      const [inBases, onTheRoad] = [await counted(page, 'Nas bases'), await counted(page, 'Na rua')];
      await looksRight(page);

      const codes = await Promise.all(keys.map(async (key) => (await tracked(key)).barcode));
      await scanAll(page, codes);
      expect(await counted(page, 'Nas bases')).toBe(inBases + 50);
      await page.getByText('Campinas – SP').waitFor();

      // The task: its problem and the note of the shipper, then the movement that completes it.
      await page.goto(`/console/tasks?loggi_key=${waiting}`);
      await page.locator('tbody a').first().click();
      await page.getByText('Endereço incompleto').first().waitFor();
      await page.getByText('É o portão azul.').first().waitFor();
      await looksRight(page);
      await page.selectOption('#status_code', '3');
      await page.fill('#city', 'Campinas');
      await page.fill('#state', 'SP');
      await page.getByRole('button', { name: 'Registrar e concluir' }).click();
      await page.waitForURL(/done=completed/);
      expect((await tracked(waiting)).status.code).toBe(3);

      // The failed attempt: the button is busy while the form is being sent.
      await page.goto(`/console/packages/${keys[0]}`);
      await page.selectOption('#status_code', '18');
      await page.locator('summary', { hasText: 'Tentativa de entrega' }).click();
      await page.selectOption('[name="attempt.outcome"]', 'no_access');
      await page.evaluate(
        `addEventListener('pagehide', () => { sessionStorage.busy = document.querySelectorAll('form[aria-busy] .busy[disabled]').length; })`,
      );
      await page.getByRole('button', { name: 'Registrar movimentação' }).click();
      await page.waitForURL(/done=recorded/);
      expect(await page.evaluate('sessionStorage.busy')).toBe('1');
      expect((await tracked(keys[0] ?? '')).attempts).toMatchObject({ count: 1, last_outcome: 'no_access' });
      expect(await counted(page, 'Na rua')).toBe(onTheRoad + 1);
      await page.getByText('Sem acesso').first().waitFor();

      // The month that was closed, and its file.
      await page.goto(`/console/users/${ana.id}/statements/${monthAt(then).name}`);
      await page.getByText('Fechado').first().waitFor();
      await looksRight(page);
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: /CSV/ }).first().click();
      expect((await readFile(await (await download).path(), 'utf8')).split('\r\n').length).toBeGreaterThan(1);
    },
    120_000,
  );
});
