import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { movement, placeOrder, record } from '../../operator/fixtures.js';
import { accessibilityFaults, complaintsOf, describeInBrowser, isTooWide } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { ownService } from '../../support/services.js';

/** The shippers' place in a browser: every page on a desk and on a phone, and a day's orders from a file. */

const service = await ownService();
const ADDRESS = 'Av. Paulista, 1578, São Paulo - SP';
const HEAD = 'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg';

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

  test('a clerk uploads 200 rows with 7 faulty ones, corrects these, orders all and prints, on a phone', async () => {
    const ana = await service.customer();
    const page = await newPage({ baseURL: service.url, locale: 'pt-BR', viewport: { width: 390, height: 800 } });
    await signedIn(page, ana.email);
    const complaints = complaintsOf(page, service.url);
    const phoneOf = (at: number) => (at % 30 === 3 ? 'sem' : '11 91234-5678');
    const rows = Array.from(
      { length: 200 },
      (_, at) => `P-${at};Maria;${phoneOf(at)};Rua Oscar Freire, ${at + 1}, São Paulo - SP;20;10,5;30;1,2`,
    );

    const checked = async (text: string) => {
      await page.goto('/envios/import');
      await page.fill('#pickup', ADDRESS);
      await page.setInputFiles('#file', { name: 'pedidos.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
      await page.click('main form button[type=submit]');
      await page.waitForSelector('form[action$="/order/parts"]');
      expect([await accessibilityFaults(page), await isTooWide(page)]).toEqual([[], false]);
    };
    const ordered = async () => {
      await page.click('form[action$="/order/parts"] button');
      await page.waitForSelector('text=Pronto.');
      expect(await accessibilityFaults(page)).toEqual([]);
    };

    await checked([HEAD, ...rows].join('\r\n'));
    expect(await page.locator('main tbody tr').count()).toBe(7);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('a[download="corrigir.csv"]')]);
    const faulty = await readFile(await file.path(), 'utf8');
    await ordered();
    await checked(faulty.replaceAll('"sem"', '"11 91234-5678"'));
    await ordered();
    expect(must(await ana.rest.GET('/api/v1/orders', {})).pagination.total_items).toBe(200);
    const link = await page.getAttribute('a[href^="/envios/labels"]', 'href');
    const labels = await page.request.get(link ?? '');
    expect([labels.status(), labels.headers()['content-type']]).toEqual([200, 'application/pdf']);
    expect(complaints).toEqual([]);
  });
});
