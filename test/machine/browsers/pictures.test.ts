import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { movement, placeOrder, record } from '../../operator/fixtures.js';
import { accessibilityFaults, describeInBrowser, isTooWide, signIn } from '../../support/browser.js';
import { operatorLogin } from '../../support/service.js';
import { ownService } from '../../support/services.js';

/**
 * Compares the main pages with checked-in ones: boxes of their parts, and pictures so coarse that letters do not
 * differ. After a change that is meant, look at the pages, then: RENEW_PICTURES=1 npm test --
 * test/machine/browsers/pictures
 */

const folder = new URL('./pictures/', import.meta.url);
const layoutFile = new URL('layout.json', folder);
const renews = process.env['RENEW_PICTURES'] === '1';
type Layout = Record<string, string[]>;
const stored: Layout = renews ? {} : JSON.parse(readFileSync(layoutFile, 'utf8'));
const seen: Layout = {};

/** A service whose clock stands still, because texts of other days have other lengths. */
const service = await ownService({}, { worker: false, clock: () => new Date('2026-11-18T14:00:00Z') });
const paths: Record<string, string> = {
  start: '/',
  'unknown-link': '/t/none',
  'sign-in': '/console/sign-in',
  console: '/console',
  packages: '/console/packages',
};

beforeAll(async () => {
  const { packages } = await placeOrder(await service.customer(), 3);
  const [first, second, third] = packages.map(({ loggi_key: key }) => key);
  await record(service.operator, movement(second ?? '', { status_code: 11 }));
  const reason = { reason_label: 'Endereço', reason_description: 'O número não existe.' };
  await record(service.operator, movement(third ?? '', { status_code: 6, action_required: reason }));
  const tracking = new URL(packages[0]?.tracking_url ?? '').pathname;
  Object.assign(paths, { package: `/console/packages/${first}`, tracking });
});

const names = ['start', 'unknown-link', 'sign-in', 'console', 'packages', 'package', 'tracking'];
const looks = [1280, 390].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })));
const HEIGHT = 800;

/** Landmarks and components within the first screen: name, left, top, width and height. */
const boxesOfPage = `[...document.querySelectorAll('header, nav, main, h1, .card, .scroll, .facts, .timeline, .steps, .filters, .empty')]
  .map((part) => [part.className || part.tagName.toLowerCase(), part.getBoundingClientRect()])
  .filter(([, { width, top }]) => width > 0 && top < ${HEIGHT})
  .map(([name, { left, top, width, height }]) => [name, left, top, width, height])`;

type Box = [name: string, left: number, top: number, width: number, height: number];
const TOLERANCE = 12;

/** The boxes as text. A number that nearly equals the stored one is written as the stored one. */
function textOf(boxes: readonly Box[], known: readonly string[] = []): string[] {
  return boxes.map(([name, ...numbers], at) => {
    const before = known[at]?.split(' ').slice(-4).map(Number) ?? [];
    const near = numbers.map((number, index) => {
      const stays = Math.abs(number - (before[index] ?? Number.NaN)) <= TOLERANCE;
      return stays ? before[index] : Math.round(number);
    });
    return [name, ...near].join(' ');
  });
}

/** Pairs of boxes that partly overlap. A box inside another box is allowed. */
function overlaps(boxes: readonly Box[]): string[] {
  const edges = boxes.map(([name, x, y, width, height]) => ({ name, x, y, right: x + width, bottom: y + height }));
  type Edges = (typeof edges)[number];
  const holds = (a: Edges, b: Edges) =>
    a.x <= b.x + 1 && a.y <= b.y + 1 && a.right >= b.right - 1 && a.bottom >= b.bottom - 1;
  const meets = (a: Edges, b: Edges) =>
    a.x < b.right - 1 && b.x < a.right - 1 && a.y < b.bottom - 1 && b.y < a.bottom - 1;
  return edges.flatMap((a, at) =>
    edges.slice(at + 1).flatMap((b) => (meets(a, b) && !holds(a, b) && !holds(b, a) ? [`${a.name} ${b.name}`] : [])),
  );
}

/** Pixels of the page for one pixel of a stored picture, in each direction. */
const COARSE = 10;

const coarse = (picture: Buffer, width: number) =>
  sharp(picture)
    .removeAlpha()
    .resize(width / COARSE, HEIGHT / COARSE, { kernel: 'cubic', fit: 'fill' });

const rawOf = (picture: Buffer) => sharp(picture).removeAlpha().blur(1).raw().toBuffer();

/** The share of pixel values that differ by over a twentieth, among those that are not background. */
async function difference(now: Buffer, before: Buffer): Promise<number> {
  const [a, b] = await Promise.all([rawOf(now), rawOf(before)]);
  if (a.length !== b.length) return 1;
  const differ = (one: number, other = 0) => Math.abs(one - other) > 12;
  const ground = b.subarray(-3);
  const ink = b.reduce((count, value, at) => count + (differ(value, ground[at % 3]) ? 1 : 0), 0);
  return a.reduce((count, value, at) => count + (differ(value, b[at]) ? 1 : 0), 0) / Math.max(ink, 1);
}

const MAX_DIFFERENT = 0.25;

/** Takes a picture. Chromium sometimes fails on any page, and succeeds at the next try. */
async function pictureOf(page: Page): Promise<Buffer> {
  const take = () => page.screenshot({ animations: 'disabled', caret: 'hide' });
  return take().catch((error: Error) => {
    if (!error.message.includes('Unable to capture screenshot')) throw error;
    return take();
  });
}

describeInBrowser('the main pages look as they should', (newPage) => {
  async function opened(name: string, { width, scheme }: (typeof looks)[number]): Promise<Page> {
    const viewport = { width, height: HEIGHT };
    const page = await newPage({ viewport, colorScheme: scheme, locale: 'pt-BR', baseURL: service.url });
    if (!['start', 'unknown-link', 'sign-in', 'tracking'].includes(name)) {
      await signIn(page, operatorLogin);
      await page.waitForURL('**/console');
    }
    await page.goto(paths[name] ?? '');
    await page.evaluate('document.fonts.ready');
    return page;
  }

  const cases = names.flatMap((name) => looks.map((look) => ({ name, ...look })));
  test.each(cases)('$name, $width px, $scheme', async ({ name, ...look }) => {
    const page = await opened(name, look);
    const boxes: Box[] = await page.evaluate(boxesOfPage);
    expect(await isTooWide(page)).toBe(false);
    expect(overlaps(boxes)).toEqual([]);
    const key = `${name} ${look.width}`;
    seen[key] = textOf(boxes, stored[key]);
    const file = new URL(`${name}-${look.width}-${look.scheme}.png`, folder);
    const now = await coarse(await pictureOf(page), look.width)
      .png()
      .toBuffer();
    if (renews) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, now);
    }
    expect(seen[key]).toEqual(renews ? seen[key] : stored[key]);
    expect(await difference(now, readFileSync(file))).toBeLessThan(MAX_DIFFERENT);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('the displayed picture is stored when it is renewed', () => {
    if (renews) writeFileSync(layoutFile, `${JSON.stringify(seen, null, 2)}\n`);
    expect(Object.keys(seen).sort()).toEqual(Object.keys(renews ? seen : stored).sort());
  });

  test('the check finds a moved part and a missing style sheet', async () => {
    const look = { width: 1280, scheme: 'light' } as const;
    const before = readFileSync(new URL('packages-1280-light.png', folder));
    for (const change of ['main { padding-top: 4rem }', 'table * { display: block }', '* { all: revert !important }']) {
      const page = await opened('packages', look);
      await page.evaluate(`(() => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(${JSON.stringify(change)});
        document.adoptedStyleSheets = [sheet];
      })()`);
      const now = await coarse(await pictureOf(page), look.width)
        .png()
        .toBuffer();
      expect(await difference(now, before)).toBeGreaterThan(MAX_DIFFERENT);
    }
  });
});
