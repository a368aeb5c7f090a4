import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A real browser, and what it says of pages. */

export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox'] });

/** Both colour schemes and both widths in which people look at a page, each once. */
export const looks: readonly (readonly [name: string, look: BrowserContextOptions])[] = [
  ['in light', { colorScheme: 'light' }],
  ['in dark on a phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
];

interface Findings {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** Findings of axe against WCAG 2.2 AA and good practice; the page's context must have `bypassCSP`. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source });
  const { violations }: Findings = await page.evaluate('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** True when the page is wider than the window, so that one would have to scroll sideways. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
