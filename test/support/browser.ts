import { afterEach } from '@jest/globals';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Login } from './http.js';
import { atEndOfWorker } from './jest/end-of-worker.js';
import { describeWith } from './tools.js';

/** A real browser, and checks of pages in it. */

let shared: Promise<Browser> | undefined;
atEndOfWorker(async () => {
  await (await shared)?.close();
});

/** Opens a page in a new context, which ends with the test. The language is English by default. */
export type NewPage = (options?: BrowserContextOptions) => Promise<Page>;

/** Declares tests in a browser, which all files of a worker share. */
export function describeInBrowser(title: string, tests: (newPage: NewPage) => void): void {
  describeWith('chromium', title, (executablePath) => {
    const pages: Page[] = [];
    afterEach(async () => {
      for (const page of pages.splice(0)) await page.context().close();
    });
    tests(async (options) => {
      shared ??= chromium.launch({ executablePath, args: ['--no-sandbox'] });
      const page = await (await (await shared).newContext({ locale: 'en', ...options })).newPage();
      pages.push(page);
      return page;
    });
  });
}

/** Two looks, which cover both colour schemes and both widths. */
export const looks: readonly (readonly [name: string, look: BrowserContextOptions])[] = [
  ['in light', { colorScheme: 'light' }],
  ['in dark on a phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
];

type Findings = { violations: { id: string; nodes: { html: string }[] }[] };

/** Findings of axe against WCAG 2.2 AA and good practice. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Without its styles a page would be checked with the browser's default styles.
  await page.waitForLoadState();
  await page.evaluate(axe.source);
  const { violations }: Findings = await page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Sends the form of the sign-in page, from a page whose base is the service. */
export async function signIn(page: Page, { email, password }: Login): Promise<void> {
  await page.goto('/console/sign-in');
  await page.fill('#email', email);
  await page.fill('#password', password);
  await page.click('main button');
}

/** True if the page is wider than the window, so that one must scroll sideways. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Collects faults of a page from now on: errors, missing files, and requests to other hosts. */
export function complaintsOf(page: Page, url: string, complaints: string[] = []): string[] {
  const isElsewhere = (address: string) => !/^(data|blob):/.test(address) && !address.startsWith(url);
  page.on('request', (request) => void (isElsewhere(request.url()) && complaints.push(`asked ${request.url()}`)));
  page.on(
    'response',
    (answer) => void (answer.status() >= 400 && complaints.push(`${answer.status()} ${answer.url()}`)),
  );
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  return complaints;
}
