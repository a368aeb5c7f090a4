import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { monthAt } from '../../../src/orders/statements/months.js';
import { movement, placeOrder, reason, record } from '../../operator/fixtures.js';
import type { Records } from '../../support/bodies.js';
import { accessibilityFaults, describeInBrowser, isTooWide, signIn } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { newRecords } from '../../support/records.js';
import { operatorLogin } from '../../support/service.js';
import { ownService } from '../../support/services.js';

/** Every page of the console and of the shippers' place: on a desk and in Portuguese, on a phone and in English. */

const service = await ownService();
const ana = await service.customer();
let records: Records;
let paths: { console: string[]; envios: string[] };

beforeAll(async () => {
  records = await newRecords(service);
  const { id, packages } = await placeOrder(ana, 3);
  const [first = '', second = '', third = ''] = packages.map(({ loggi_key: key }) => key);
  await record(service.operator, movement(first, { status_code: 6, action_required: reason }));
  await record(service.operator, movement(second, { status_code: 18 }));
  const asking = { params: { path: { loggi_key: second } }, body: { kind: 'inquiry', problem: 'late' } as const };
  must(await ana.rest.POST('/api/v1/packages/{loggi_key}/requests', asking));
  const late = { promised_date: '2026-01-05' };
  await service.db.updateTable('packages').set(late).where('loggi_key', '=', first).execute();
  const listed = must(await ana.rest.POST('/api/v1/collections', { body: { loggi_keys: [third] } }));
  const ofOrder = [`/orders/${id}`, ...[first, second].map((key) => `/packages/${key}`)];
  const changes = ['cancellation', 'address-change'].map((change) => `/packages/${third}/${change}`);
  const lists = [
    '',
    '/orders',
    '/packages',
    '/new-order',
    '/quote?from=01310-200&to=66010-000&width=20&height=10&length=30&weight=2',
    '/import',
    '/collections',
    `/collections/new?order=${id}`,
    `/collections/${listed.id}`,
    '/coverage?to=11060-000',
    '/account',
    '/own-name',
    '/branding',
    '/presets',
    '/members',
    '/own-password',
    '/second-factor',
    '/second-factor/removal',
    '/second-factor-rule',
    '/rate-card',
    '/rate-table',
    '/statements',
    `/statements/${monthAt(new Date()).name}`,
    '/api-keys',
    '/webhook-endpoints',
  ];
  const body = { areas: [{ states: ['SP', 'RJ'] }, { name: 'Litoral', municipalities: [3548500], delivers: false }] };
  must(await service.operator.operator.POST('/operator/v1/service-areas', { body }));
  const closed = [{ date: '2027-01-25', name: 'Aniversário de São Paulo', municipality: 3550308 }];
  must(await service.operator.operator.POST('/operator/v1/calendars', { body: { closed } }));
  paths = { console: consolePaths(), envios: [...lists, ...ofOrder, ...changes].map((path) => `/envios${path}`) };
});

const consolePaths = (): string[] => [
  '/console',
  '/console/packages',
  '/console/packages?status_code=6&open=true',
  `/console/packages/${records.loggiKey}`,
  `/console/packages/${records.provenKey}`,
  `/console/packages/${records.pinKey}`,
  `/console/packages/${records.waitingKey}`,
  '/console/orders?status=open',
  `/console/orders/${records.orderId}`,
  '/console/collections',
  `/console/collections/${records.collectionCode}`,
  '/console/tasks',
  '/console/scan',
  '/console/movements/import',
  '/console/erasures',
  `/console/tasks/${records.answerId}`,
  `/console/tasks/${records.requestId}`,
  '/console/search?q=pedido',
  `/console/search?q=${randomUUID()}`,
  '/console/second-factor',
  '/console/users',
  `/console/users/${records.userId}`,
  `/console/users/${records.userId}/deactivation`,
  `/console/users/${records.userId}/members`,
  `/console/users/${records.userId}/members/${records.memberId}`,
  `/console/users/${records.userId}/members/${records.memberId}/invitation`,
  `/console/users/${records.userId}/members/${records.memberId}/second-factor/removal`,
  '/console/deleted-users',
  '/console/operator-keys',
  '/console/audit-log',
  '/console/webhook-endpoints?which=trouble',
  `/console/webhook-endpoints/${records.endpointId}`,
  `/console/webhook-endpoints/${records.endpointId}/deletion`,
  `/console/deliveries/${records.webhookId}`,
  '/console/rate-cards',
  '/console/statements',
  `/console/statements?month=${records.month}`,
  `/console/users/${records.userId}/statements`,
  `/console/users/${records.userId}/statements/${records.month}`,
  '/console/service-areas',
  '/console/service-areas/1',
  '/console/service-areas/1?place=11010-150',
  '/console/calendars',
  '/console/calendars/2',
  '/console/package-statuses',
  `/console/packages/${randomUUID()}`,
];

describeInBrowser('the console in a browser', (newPage) => {
  const complaints: string[] = [];

  async function signedIn(options: BrowserContextOptions, place: 'console' | 'envios' = 'console'): Promise<Page> {
    const page = await newPage({ ...options, baseURL: service.url });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => void (/Content.Security/.test(message.text()) && complaints.push(message.text())));
    await signIn(page, place === 'console' ? operatorLogin : { email: ana.email, password: PASSWORD });
    await page.waitForURL(`**/${place}`);
    return page;
  }

  test.each([
    ['console', 'light', 1280, 'pt-BR'],
    ['console', 'dark', 360, 'en'],
    ['envios', 'light', 1280, 'pt-BR'],
    ['envios', 'dark', 390, 'en'],
  ] as const)(
    'every page of %s keeps the rules of accessibility: %s, %d px, %s',
    async (place, colorScheme, width, locale) => {
      const page = await signedIn({ colorScheme, viewport: { width, height: 800 }, locale }, place);
      const found: Record<string, unknown[]> = {};
      for (const path of paths[place]) {
        await page.goto(path);
        const lang = await page.getAttribute('html', 'lang');
        const wider = (await isTooWide(page)) ? ['wider than the screen'] : [];
        const wrong = [...(await accessibilityFaults(page)), ...(lang === locale ? [] : [lang]), ...wider];
        if (wrong.length > 0) found[path] = wrong;
      }
      expect(found).toEqual({});
    },
  );

  test('the pages before the sign-in follow the same rules', async () => {
    for (const locale of ['pt-BR', 'en']) {
      const page = await newPage({ baseURL: service.url, locale, viewport: { width: 360, height: 800 } });
      await page.goto('/console/sign-in');
      expect(await accessibilityFaults(page)).toEqual([]);
      await signIn(page, { ...operatorLogin, password: 'wrong password' });
      await page.waitForSelector('[role=alert]');
      expect(await accessibilityFaults(page)).toEqual([]);
    }
  });

  test('a chosen language stays', async () => {
    const page = await signedIn({ locale: 'pt-BR' });
    await page.click('.who >> text=English');
    await page.goto('/console/packages');
    expect([await page.getAttribute('html', 'lang'), await page.textContent('h1')]).toEqual(['en', 'Packages']);
    await importsByItself(page);
  });

  /** Checks that an import in parts sends all parts after one click. */
  async function importsByItself(page: Page): Promise<void> {
    const row = () => JSON.stringify(movement(randomUUID()));
    const text = ['{}', ...Array.from({ length: 501 }, row)].join('\n');
    await page.goto('/console/movements/import');
    await page.setInputFiles('#file', { name: 'scans.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.click('main form button');
    await page.waitForSelector('#done');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.click('main form button');
    await page.waitForSelector('text=All of it was sent.');
    await page.waitForFunction("document.activeElement.tagName === 'H1'");
    expect(await accessibilityFaults(page)).toEqual([]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('a[download]')]);
    expect((await readFile(await file.path(), 'utf8')).split('\r\n')).toHaveLength(504);
  }

  test('a file of areas shows which orders it would refuse before it is added', async () => {
    const page = await signedIn({ locale: 'pt-BR', viewport: { width: 390, height: 800 } });
    await page.goto('/console/service-areas');
    const buffer = Buffer.from('state;delivers\nSP;sim\nRJ;não\n');
    await page.setInputFiles('#file', { name: 'areas.csv', mimeType: 'text/csv', buffer });
    await page.click('main form:has(#file) button');
    await page.waitForSelector('text=Seriam recusados');
    expect([await accessibilityFaults(page), await isTooWide(page)]).toEqual([[], false]);
    await page.click('main form button.danger');
    await page.waitForSelector('text=Áreas acrescentadas');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('a calendar shows which orders it would move before it is added', async () => {
    const page = await signedIn({ locale: 'pt-BR', viewport: { width: 390, height: 800 } });
    await page.goto('/console/calendars');
    const buffer = Buffer.from('date;name\n24/12/2027;Véspera de Natal\n');
    await page.setInputFiles('#file', { name: 'folgas.csv', mimeType: 'text/csv', buffer });
    await page.fill('#collection_cutoff', '11:00');
    await page.click('main form:has(#file) button');
    await page.waitForSelector('text=Seriam coletados mais tarde');
    expect([await accessibilityFaults(page), await isTooWide(page)]).toEqual([[], false]);
    await page.click('main form button.danger');
    await page.waitForSelector('text=Calendário acrescentado');
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('the form of a new order shows coverage and price as soon as CEPs and sizes are typed', async () => {
    const page = await signedIn({ locale: 'pt-BR', viewport: { width: 390, height: 800 } }, 'envios');
    await page.goto('/envios/new-order');
    const partOf = (name: string) => page.locator(`.postal-code:has([name="${name}"])`);
    const pickup = partOf('pickups.0.address.postal_code');
    const delivery = partOf('packages.0.address.postal_code');
    await delivery.locator('input').fill('50050-000');
    await delivery.locator('text=Não atendemos Recife – PE').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await delivery.locator('input').fill('01310-200');
    await delivery.locator('text=Atendemos São Paulo – SP: Expressa, Econômica.').waitFor();
    await page.locator('summary').first().click();
    await pickup.locator('input').fill('50050-000');
    await pickup.locator('text=Não coletamos em Recife – PE.').waitFor();
    await delivery.locator('text=CEP da coleta: não coletamos neste lugar').waitFor();
    await pickup.locator('input').fill('01426-000');
    await page.fill('[name="packages.0.dimensions.width"]', '20');
    await page.fill('[name="packages.0.dimensions.height"]', '10');
    await page.fill('[name="packages.0.dimensions.length"]', '30');
    await page.fill('[name="packages.0.dimensions.weight"]', '1,2');
    await page.locator('#prices >> text=Expressa, chega até').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await delivery.locator('input').fill('');
    await delivery.locator('p[role=status]:empty').waitFor({ state: 'attached' });
  });

  test('the policy of the pages blocked nothing, and no script failed', () => {
    expect(complaints).toEqual([]);
  });
});
