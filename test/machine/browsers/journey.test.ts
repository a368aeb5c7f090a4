import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { ownFolder } from '../../support/folder.js';
import { type Login, must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { operatorLogin } from '../../support/service.js';
import { ownService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';

/** A parcel's day on a phone, in two browsers: a clerk sends and prints, an operator records, a recipient reads. */

const service = await ownService();
const ADDRESS = 'Av. Paulista, 1578, São Paulo - SP';
const HEAD = 'referencia;nome;telefone;endereco;largura_cm;altura_cm;comprimento_cm;peso_kg';
const folder = await ownFolder();

const browsers = {
  chromium: (executablePath: string) => launch({ executablePath, args: ['--no-sandbox', '--accept-lang=pt-BR'] }),
  firefox: (executablePath: string) =>
    launch({ browser: 'firefox', executablePath, extraPrefsFirefox: { 'intl.accept_languages': 'pt-BR' } }),
} as const;

/** Sends a form by its button, and waits for the page that answers. */
const send = (page: Page, button: string) => Promise.all([page.waitForNavigation(), page.click(button)]);

const textOf = (page: Page, selector = 'main') => page.$eval(selector, ({ textContent }) => textContent ?? '');

const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

async function phoneIn(browser: Browser, path: string): Promise<Page> {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 390, height: 800 });
  await page.goto(service.url + path);
  return page;
}

async function signedIn(browser: Browser, place: string, { email, password }: Login): Promise<Page> {
  const page = await phoneIn(browser, `${place}/sign-in`);
  await page.type('#email', email);
  await page.type('#password', password);
  await send(page, 'main button');
  expect(new URL(page.url()).pathname).toBe(place);
  return page;
}

/** Uploads a file of orders, up to the page with its price and its faults. */
async function check(page: Page, name: string, text: string): Promise<void> {
  const file = join(folder, name);
  writeFileSync(file, text);
  await page.goto(`${service.url}/envios/import`);
  await page.type('#pickup', ADDRESS);
  const field = await page.waitForSelector('input[type=file]');
  await field?.uploadFile(file);
  await page.click('main form button[type=submit]');
  await page.waitForSelector('form[action$="/order/parts"]');
  expect(await isTooWide(page)).toBe(false);
}

async function order(page: Page): Promise<void> {
  await page.click('#agreed');
  await page.click('form[action$="/order/parts"] button');
  await page.waitForSelector('a[href^="/envios/labels"]');
}

describe.each(Object.keys(browsers) as (keyof typeof browsers)[])('in %s', (name) => {
  describeWith(name, 'a day of parcels', (path) => {
    const launched: Browser[] = [];
    afterAll(() => Promise.all(launched.map((browser) => browser.close())));

    test('is sent, printed, recorded, followed and answered', async () => {
      const browser = await browsers[name](path);
      launched.push(browser);
      const shipper = await service.customer();
      const clerk = await signedIn(browser, '/envios', { email: shipper.email, password: PASSWORD });

      const phoneOf = (at: number) => (at % 30 === 3 ? 'sem' : '11 91234-5678');
      const rows = Array.from(
        { length: 200 },
        (_, at) => `P-${at};Maria;${phoneOf(at)};Rua Oscar Freire, ${at + 1}, São Paulo - SP;20;10,5;30;1,2`,
      );
      await check(clerk, 'pedidos.csv', [HEAD, ...rows].join('\r\n'));
      // These are the rows to be corrected. The readings of the other rows are in a closed table.
      expect(await clerk.$$('main > section tbody tr')).toHaveLength(7);
      const faulty = await clerk.$eval('a[download="corrigir.csv"]', (link) => link.getAttribute('href') ?? '');
      await order(clerk);
      const corrected = Buffer.from(faulty.split('base64,')[1] ?? '', 'base64').toString();
      await check(clerk, 'corrigir.csv', corrected.replaceAll('"sem"', '"11 91234-5678"'));
      await order(clerk);
      const { data, pagination } = must(await shipper.rest.GET('/api/v1/orders', {}));
      expect(pagination.total_items).toBe(200);

      const labels = await clerk.$eval('a[href^="/envios/labels"]', (link) => link.getAttribute('href') ?? '');
      const printed = await clerk.evaluate(
        `fetch(${JSON.stringify(labels)}).then((answer) => answer.status + ' ' + answer.headers.get('content-type'))`,
      );
      expect(printed).toBe('200 application/pdf');

      const sent = must(await shipper.rest.GET('/api/v1/orders/{id}', { params: { path: { id: data[0]?.id ?? '' } } }));
      const { loggi_key: key = '', tracking_url: link = '' } = sent.packages[0] ?? {};
      const operator = await signedIn(browser, '/console', operatorLogin);
      await operator.type('#search-field', sent.packages[0]?.tracking_code ?? '');
      await send(operator, 'search button');
      await operator.select('#status_code', '6');
      await operator.click('form[action$="/movements"] details summary');
      await operator.type('#reason_label', 'Endereço incompleto');
      await operator.type('#reason_description', 'Falta o bloco.');
      await send(operator, 'form[action$="/movements"] button');
      expect(await textOf(operator)).toContain('Movimentação registrada.');
      expect(await isTooWide(operator)).toBe(false);

      const recipient = await phoneIn(browser, new URL(link).pathname);
      expect(await textOf(recipient)).toContain('Endereço incompleto');
      expect(await isTooWide(recipient)).toBe(false);

      await clerk.goto(`${service.url}/envios`);
      await send(clerk, `a[href="/envios/packages/${key}"]`);
      await clerk.type('#note', 'É o bloco B.');
      await send(clerk, 'form[action$="/answers"] button');
      expect(await textOf(clerk)).toContain('É o bloco B.');
      await operator.goto(`${service.url}/console/tasks`);
      expect(await textOf(operator)).toContain('É o bloco B.');
    });
  });
});
