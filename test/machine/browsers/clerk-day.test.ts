import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { monthAt } from '../../../src/orders/statements/months.js';
import { movement, reason, record } from '../../operator/fixtures.js';
import { packageMaker } from '../../pages/tracked.js';
import { accessibilityFaults, describeInBrowser, isTooWide, signIn } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { ownService } from '../../support/services.js';

/** The day of a shipper's clerk, from the quote to the statement, and a recipient's page in every state. */

const service = await ownService();
const newPackage = await packageMaker(service);

async function judge(page: Page): Promise<void> {
  expect([page.url(), await accessibilityFaults(page), await isTooWide(page)]).toEqual([page.url(), [], false]);
}

const fill = async (page: Page, fields: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name="${name}"]`, value);
};

/** Quotes and orders. Resolves to the path of the page of the order. */
async function quoteAndOrder(page: Page): Promise<string> {
  await page.goto('/envios/quote');
  await fill(page, { from: '01310-200', to: '01426-000', width: '20', height: '10,5', length: '30', weight: '1,2' });
  await page.click('.filters button');
  await page.click('text=Fazer este pedido');
  await page.waitForSelector('#prices strong');
  await judge(page);
  await fill(page, {
    'pickups.0.address.address': 'Av. Paulista, 1578',
    'packages.0.address.address': 'Rua Oscar Freire, 300',
    'packages.0.recipient.name': 'Maria da Silva',
    'packages.0.recipient.phone': '11 91234-5678',
  });
  await page.click('text=Continuar');
  await page.waitForURL('**step=review**');
  await judge(page);
  await page.click('text=Pedir pela expressa');
  await page.waitForURL('**/envios/orders/*');
  return new URL(page.url()).pathname;
}

describeInBrowser('a day in a browser', (newPage) => {
  test.each([390, 1280])(
    'a clerk quotes, orders, prints, lists, answers and reads the statement at %d px',
    async (width) => {
      const ana = await service.customer();
      const page = await newPage({ baseURL: service.url, locale: 'pt-BR', viewport: { width, height: 800 } });
      await signIn(page, { email: ana.email, password: PASSWORD });
      await page.waitForURL('**/envios');
      const order = await quoteAndOrder(page);
      await page.goBack();
      await page.waitForSelector('text=Pedir pela expressa');

      await page.goto('/envios/packages?marked=all');
      await judge(page);
      const printed = await page.evaluate<string>(`(() => {
      const form = document.querySelector('#labels');
      const address = form.action + '?' + new URLSearchParams(new FormData(form));
      return fetch(address).then((answer) => answer.status + ' ' + answer.headers.get('content-type'));
    })()`);
      expect(printed).toBe('200 application/pdf');

      await page.goto(order);
      await page.click('text=Criar lista de coleta');
      await page.click('main form button');
      await page.waitForURL('**/envios/collections/*done=saved');
      await judge(page);

      const { data } = must(await ana.rest.GET('/api/v1/packages', {}));
      const key = data[0]?.loggi_key ?? '';
      await record(service.operator, movement(key, { status_code: 6, action_required: reason }));
      await page.goto('/envios');
      await page.click('text=Responder');
      await page.fill('#note', 'Portão verde');
      await page.click('form[action$="/answers"] button');
      await page.waitForURL('**done=answered');
      await judge(page);

      await page.goto(`/envios/statements/${monthAt(new Date()).name}`);
      expect(await page.textContent('main')).toMatch(/R\$\s\d/);
      await judge(page);
    },
  );

  test.each([390, 1280])('a recipient reads the page in every state at %d px', async (width) => {
    const page = await newPage({ baseURL: service.url, locale: 'pt-BR', viewport: { width, height: 800 } });
    const { data } = must(
      await service.operator.operator.GET('/operator/v1/package-statuses', { params: { query: { page_size: 100 } } }),
    );
    for (const { code, public_title_pt_br: word = '' } of data) {
      const { path, move, setContact } = await newPackage();
      await setContact('ajuda@example.com');
      if (code !== 1) await move(code);
      await page.goto(path);
      expect(await page.textContent('h1')).toBe(word);
      expect(await page.textContent('.shop')).toContain('ajuda@example.com');
      expect(((await page.textContent('.lead')) ?? '').length).toBeGreaterThan(10);
      await judge(page);
    }
  });
});
