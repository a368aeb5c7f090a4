import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults, isTooWide, launch, looks } from '../support/browser.js';
import { type Service, startService } from '../support/service.js';
import { describeWith } from '../support/tools.js';
import { packageMaker } from './tracked.js';

let service: Service;
let path: string;
beforeAll(async () => {
  service = await startService({}, { worker: false });
  ({ path } = await (await packageMaker(service))());
});
afterAll(() => service.stop());

const get = (target: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${target}`, { headers, redirect: 'manual' });

test('the start page leads to the guide and the explorers, to a package, and to the console', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  const html = await answer.text();
  const links = [...html.matchAll(/<a href="(\/[^"?]*)"/g)].map(([, link = '']) => link);
  expect(links).toEqual(['/docs/guide/quickstart', '/docs/guide/', '/docs', '/graphql', '/console']);
  for (const link of links) expect((await get(link, { Accept: 'text/html' })).status).toBeLessThan(400);
  expect(html).toContain('<html lang="pt-BR">');
  expect(await (await get('/', { 'Accept-Language': 'en' })).text()).toContain('<html lang="en">');
  expect(await (await get('/?lang=en')).text()).toContain('<html lang="en">');
});

describe('the form for a package', () => {
  const followed = async (link: string) => {
    const answer = await get(`/?${new URLSearchParams({ link })}`);
    return [answer.status, answer.headers.get('location') ?? (await answer.text())];
  };

  test('leads from a link, or from its last part, to the page of the package', async () => {
    for (const link of [path, `${service.url}${path}`, ` ${path.slice(3)} `, `${path}?lang=en`])
      expect(await followed(link)).toEqual([303, path]);
  });

  test.each(['7ZK3M9P2QP1S', '', 'https://elsewhere.example/', '//elsewhere.example/t/x', `${'a'.repeat(53)}`])(
    'says of "%s" that the link of the sender is wanted',
    async (link) => {
      const [status, html] = await followed(link);
      expect(status).toBe(422);
      expect(html).toContain('role="alert"');
    },
  );

  test('keeps nothing of what was asked', async () => {
    expect((await get(`/?${new URLSearchParams({ link: path })}`)).headers.get('cache-control')).toBe('no-store');
  });
});

test('other methods are unknown there, as before', async () => {
  expect((await fetch(`${service.url}/`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${service.url}/`, { method: 'HEAD' })).status).toBe(200);
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
