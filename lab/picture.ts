/**
 * Takes the picture of README.md from a running demo at its printed address: make demo KEEP=1 SEED=1, then npx tsx
 * lab/picture.ts http://localhost:…. The picture shows an order's route in the operator's console, and a recipient's
 * page on a phone.
 */
import { chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { must, signedIn } from '../test/support/http.js';

const PICTURE = 'docs/images/console-and-tracking.webp';
const OUT_FOR_DELIVERY = 11;

const url = (process.argv[2] ?? '').replace(/\/$/, '');
const login = { email: 'operator@malote.local', password: 'a password for the demo' };
const { rest, operator } = await signedIn(url, login);

const { data: orders } = must(await rest.GET('/api/v1/orders', { params: { query: { page_size: 100 } } }));
const [largest] = orders.sort((a, b) => Number(b.total) - Number(a.total));
const underWay = { params: { query: { status_code: OUT_FOR_DELIVERY, page_size: 1 } } };
const { data: packages } = must(await operator.GET('/operator/v1/packages', underWay));
const [tracked] = packages;
if (!largest || !tracked?.tracking_url) throw new Error('The demo has no order or no package: SEED=1 makes some.');

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? 'chromium',
  args: ['--no-sandbox'],
});

async function pageOf(width: number, height: number): Promise<Page> {
  const context = await browser.newContext({ locale: 'en', viewport: { width, height } });
  return context.newPage();
}

const office = await pageOf(1080, 940);
await office.goto(`${url}/console?lang=en`);
await office.getByLabel('E-mail').fill(login.email);
await office.getByLabel('Password').fill(login.password);
await office.getByRole('button', { name: 'Sign in' }).click();
await office.waitForURL(/\/console$/);
await office.goto(`${url}/console/orders/${largest.id}`);
const route = await office.screenshot();

const phone = await pageOf(390, 612);
await phone.goto(tracked.tracking_url);
const page = await phone.screenshot();
await browser.close();

const framed = await sharp(page).extend({ top: 2, bottom: 2, left: 2, right: 2, background: '#535c68' }).toBuffer();
await sharp(route)
  .composite([{ input: framed, left: 650, top: 320 }])
  .webp({ quality: 80 })
  .toFile(PICTURE);
