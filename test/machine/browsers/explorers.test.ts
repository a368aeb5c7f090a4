import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { bundles, fields } from '../../contract/contract-files.js';
import { describedBy } from '../../contract/oracle.js';
import { accessibilityFaults, complaintsOf, describeInBrowser, isTooWide } from '../../support/browser.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { operatorLogin } from '../../support/service.js';
import { sharedService } from '../../support/services.js';

/** Both explorers as pages: how they are served, and how they work in a browser. */

const service = await sharedService();

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });

const pages = ['/docs', '/docs/', '/graphql'];
const asBrowser = { Accept: 'text/html,*/*;q=0.8' };

describe.each(pages)('the page %s', (path) => {
  test('cannot be framed, runs only its own code, and fits small screens', async () => {
    const answer = await get(path, asBrowser);
    const { status, headers } = answer;
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect([headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual(['DENY', 'nosniff']);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/script-src ('self'|'sha256-)/);
    expect(/script-src [^;]*/.exec(policy)?.[0]).not.toContain('unsafe');
    expect(await answer.text()).toContain('<meta name="viewport" content="width=device-width');
  });
});

describe.each([...pages, '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/openapi.json'])('%s', (path) => {
  const sizeOf = async (encoding: string) => {
    const answer = await get(path, { ...asBrowser, 'Accept-Encoding': encoding });
    await answer.arrayBuffer();
    const names = ['content-encoding', 'content-length', 'x-content-type-options', 'etag'];
    return names.map((name) => answer.headers.get(name));
  };

  test('is gzipped for a client that accepts this, and forbids guessing its type', async () => {
    const [encoding, packed, guard, etag] = await sizeOf('gzip');
    expect([encoding, guard]).toEqual(['gzip', 'nosniff']);
    const [plainEncoding, plain, , plainEtag] = await sizeOf('identity');
    expect(plainEncoding).toBeNull();
    expect(Number(packed)).toBeLessThan(0.7 * Number(plain));
    expect(etag).not.toBe(plainEtag);
  });

  test('is 304 for a client that has it', async () => {
    const first = await get(path, asBrowser);
    const again = await get(path, { ...asBrowser, 'If-None-Match': first.headers.get('etag') ?? '' });
    expect([again.status, first.headers.get('vary')]).toEqual([304, expect.stringContaining('Accept-Encoding')]);
  });
});

function luminance(color: string): number {
  const channels = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((value) => Number(value) / 255);
  return channels
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
}

/** Contrast of an element's text with its background (WCAG 2, 1.4.3 asks for 4.5). */
async function contrastOf(page: Page, selector: string): Promise<number> {
  // This code has no named function, because the test loader would add a helper that the browser lacks.
  const colors = await page.locator(selector).evaluate((element) => {
    let behind: Element | null = element;
    while (behind && /^rgba\(.*, 0\)$/.test(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    return [getComputedStyle(element).color, behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)'];
  });
  const [dark = 0, light = 0] = colors.map(luminance).sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

describeInBrowser('the pages in a browser', (newPage) => {
  const complaints: string[] = [];

  /** A page that notes everything that the browser refuses to run or load, and everything from another address. */
  async function open(address: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await newPage({ colorScheme });
    complaintsOf(page, service.url, complaints);
    await page.goto(`${service.url}${address}`);
    return page;
  }

  test('the documentation shows every operation of both contracts', async () => {
    const page = await open('/docs');
    await page.waitForSelector('.opblock');
    expect(await page.locator('.opblock').count()).toBe(describedBy('rest').length);
    expect(await page.locator('.info .title').textContent()).toContain(String(fields(bundles.rest['info'])['title']));
    await page.locator('.topbar select').selectOption({ label: 'Operator' });
    await page.waitForSelector('#operations-Movements-recordMovements');
    expect(await page.locator('.opblock').count()).toBe(describedBy('operator').length);
  });

  test('the page sends a token that the user got from an operation and entered', async () => {
    const page = await open('/docs');
    const login = await openedToTry(page, '#operations-Auth-login');
    await login.locator('textarea.body-param__text').fill(JSON.stringify(operatorLogin));
    const token = /"access_token":\s*"([^"]+)"/.exec(await shownBy(login))?.[1] ?? '';
    await page.locator('.auth-wrapper .authorize').first().click();
    await page.locator('.auth-container input').fill(token);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    expect(await tried(page, '#operations-Users-getCurrentUser')).toContain(operatorLogin.email);
  });

  test('a link to an operation opens it, even after a reload', async () => {
    const page = await open('/docs/');
    await page.locator('#operations-Orders-createOrder .opblock-summary-control').click();
    await page.waitForURL(/#\/Orders\/createOrder$/);
    await page.reload();
    await page.waitForSelector('#operations-Orders-createOrder.is-open');
    const link = await open(new URL(page.url()).pathname + new URL(page.url()).hash);
    await link.waitForSelector('#operations-Orders-createOrder.is-open');
    const bare = await open('/docs#/Auth/login');
    await bare.waitForSelector('#operations-Auth-login.is-open');
  });

  test.each(['light', 'dark'] as const)('heading and links are readable in %s mode', async (scheme) => {
    const page = await open('/docs', scheme);
    await page.waitForSelector('.opblock');
    for (const selector of ['.tool-bar h1', '.tool-bar nav a >> nth=0', '.info .title'])
      expect(await contrastOf(page, selector)).toBeGreaterThanOrEqual(4.5);
  });

  test('after a sign-in by its form, requests that are tried out send the token, in both contracts', async () => {
    const page = await signedIn(operatorLogin);
    expect(await tried(page, '#operations-Users-getCurrentUser')).toContain(operatorLogin.email);
    await page.locator('.topbar select').selectOption({ label: 'Operator' });
    expect(await tried(page, '#operations-Rate_cards-getCurrentRateCard')).toContain('"version": 1');
  });

  test('a list and a create operation work without filling in anything by hand', async () => {
    const { email } = await service.customer();
    const page = await signedIn({ email, password: PASSWORD });
    const create = await openedToTry(page, '#operations-Orders-createOrder');
    const orders = [await executed(page, create), await executed(page, create)];
    expect(orders.map(({ status }) => status)).toEqual([201, 201]);
    const list = await openedToTry(page, '#operations-Orders-listOrders');
    const filled = await list
      .locator('.parameters input, .parameters select')
      .evaluateAll((inputs) =>
        inputs.flatMap((input) => ('value' in input && input.value !== '' ? [input.value] : [])),
      );
    // The defaults of the page number and the page size.
    expect(filled).toEqual(['1', '20']);
    const { status, body } = await executed(page, list);
    expect(status).toBe(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(orders.map(({ body: { id } }) => id).reverse());
  });

  test('its form says why a sign-in failed', async () => {
    const page = await newPage();
    await page.goto(`${service.url}/docs`);
    await page.getByLabel('E-mail').fill(operatorLogin.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('wrong').waitFor();
  });

  async function signedIn({ email, password }: { email: string; password: string }): Promise<Page> {
    const page = await open('/docs');
    await page.waitForSelector('.opblock');
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`Signed in as ${email}`).waitFor();
    return page;
  }

  async function openedToTry(page: Page, operation: string): Promise<Locator> {
    const block = page.locator(operation);
    await block.locator('.opblock-summary-control').click();
    await block.locator('.try-out__btn').click();
    return block;
  }

  /** Executes an operation of orders. Resolves to the service's answer. */
  async function executed(page: Page, block: Locator) {
    const [answer] = await Promise.all([
      page.waitForResponse((each) => each.url().includes('/api/v1/orders')),
      block.locator('.execute').click(),
    ]);
    return { status: answer.status(), body: await answer.json() };
  }

  /** Tries out an operation without any input. Resolves to the shown answer. */
  const tried = async (page: Page, operation: string) => shownBy(await openedToTry(page, operation));

  async function shownBy(block: Locator): Promise<string> {
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table .highlight-code').first();
    await answer.waitFor();
    return (await answer.textContent()) ?? '';
  }

  /** Sends the form on GraphiQL's page. Resolves to the page. */
  async function inGraphiql(fields: Record<string, string>): Promise<Page> {
    const page = await open('/graphql');
    await page.waitForSelector('.graphiql-execute-button');
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  }

  /** Runs the first operation of GraphiQL. Resolves to the service's answer. */
  async function greeted(page: Page): Promise<unknown> {
    const answer = page.waitForResponse((each) => /\bme ?\{[^}]*name/.test(each.request().postData() ?? ''));
    await page.locator('.graphiql-execute-button').click();
    return (await answer).json();
  }

  test('GraphiQL starts under its policy, and fills the window below its form', async () => {
    const page = await open('/graphql');
    await page.waitForSelector('.graphiql-execute-button');
    expect(await page.locator('.graphiql-execute-button').isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
  });

  test('after a sign-in by password, an operation sends the key of the account', async () => {
    const { email } = await service.customer();
    const page = await inGraphiql({ 'E-mail': email, Password: PASSWORD });
    await page.getByText(`Signed in as ${email}`).waitFor();
    expect(await greeted(page)).toMatchObject({ data: { me: { email } } });
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
  });

  test('after a sign-in by API key an operation sends it; a wrong key or password is an error', async () => {
    const { email, rest } = await service.customer();
    const body = { name: 'Explorer', scope: 'read' } as const;
    const { secret } = must(await rest.POST('/api/v1/api-keys', { body }));
    const page = await inGraphiql({ 'E-mail': email, 'or API key': secret });
    await page.getByText(`Signed in as ${email}`).waitFor();
    expect(await greeted(page)).toMatchObject({ data: { me: { email } } });
    const wrong = await newPage();
    await wrong.goto(`${service.url}/graphql`);
    await wrong.waitForSelector('.graphiql-execute-button');
    expect(await greeted(wrong)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    for (const [label, says] of [
      ['or API key', 'A valid API key is required.'],
      ['Password', 'is wrong'],
    ] as const) {
      await wrong.getByLabel('E-mail').fill(email);
      await wrong.getByLabel('or API key').fill('');
      await wrong.getByLabel(label).fill('nothing of the kind');
      await wrong.getByRole('button', { name: 'Sign in' }).click();
      await wrong.locator('#sign-in output', { hasText: says }).waitFor();
    }
  });

  test.each([
    ['/docs', '.opblock', 'light', 1280],
    ['/docs', '.opblock', 'dark', 390],
    ['/graphql', '.graphiql-execute-button', 'light', 1280],
    ['/graphql', '.graphiql-execute-button', 'dark', 390],
  ] as const)('%s keeps the rules of accessibility, and fits the screen', async (path, shown, colorScheme, width) => {
    const page = await newPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(`${service.url}${path}`);
    await page.waitForSelector(shown);
    expect([await accessibilityFaults(page), await isTooWide(page)]).toEqual([[], false]);
  });

  test('the browser blocked nothing, and no file was missing', () => {
    expect(complaints).toEqual([]);
  });
});
