import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { contrastOf, shownColours, themes } from '../../src/base/colours.js';
import { bodyOf, refusalOf } from '../operator/fixtures.js';
import { packageMaker } from '../pages/tracked.js';
import { jpeg, png, webp } from '../support/pictures.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';

/** The logo and the colour of an account, and what recipients see of them. */

const service = await ownService();
const PATH = '/api/v1/branding';
const LOGO = '/api/v1/branding/logo';

const putLogo = ({ rest }: Pick<Caller, 'rest'>, bytes: Buffer) =>
  rest.PUT(LOGO, {
    headers: { 'Content-Type': 'application/octet-stream' },
    body: '',
    bodySerializer: () => Uint8Array.from(bytes),
  });
const logoOf = async ({ token }: Pick<Caller, 'token'>) => {
  const answer = await fetch(service.url + LOGO, { headers: { Authorization: `Bearer ${token}` } });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
};
const setColor = ({ rest }: Pick<Caller, 'rest'>, color: string) => rest.PUT(PATH, { body: { color } });

describe('the colour', () => {
  test('is answered as it was set, and as each theme shows it; an empty text removes it', async () => {
    const ana = await service.customer();
    expect(await bodyOf(ana.rest.GET(PATH))).toEqual({});
    const set = await bodyOf(setColor(ana, '#FF7A00'));
    expect(set).toEqual({ color: '#ff7a00', light_color: expect.any(String), dark_color: '#ff7a00' });
    expect(await bodyOf(ana.rest.GET(PATH))).toEqual(set);
    expect(await bodyOf(setColor(ana, ''))).toEqual({});
  });

  test.each(['red', '#fff', '#12345g', '#1234567', 'ff7a00'])(
    'is refused when it is not written as #rrggbb: %s',
    async (color) => {
      const call = setColor(await service.customer(), color);
      expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', 'color']);
    },
  );

  test('is changed until its contrast is at least 4.5 : 1 on every background', () => {
    const levels = ['00', '33', '66', '99', 'cc', 'ff'];
    const all = levels.flatMap((r) => levels.flatMap((g) => levels.map((b) => `#${r}${g}${b}`)));
    for (const name of ['light', 'dark'] as const) {
      const worst = all.flatMap((colour) =>
        themes[name].grounds.map((ground) => contrastOf(shownColours(colour)[name], ground)),
      );
      expect(Math.min(...worst)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('is not changed when it is legible', () => {
    expect(shownColours('#4338ca').light).toBe('#4338ca');
    expect(shownColours('#a5a8ff').dark).toBe('#a5a8ff');
  });

  test('is compared with the backgrounds of the style sheet', async () => {
    const css = await readFile('src/pages/assets/design.css', 'utf8');
    const found = [...css.matchAll(/--(?:ground|surface): (#[0-9a-f]{6});/g)].map(([, ground]) => ground);
    expect(found).toEqual([...themes.light.grounds, ...themes.dark.grounds]);
  });

  // Of WCAG's own definition: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio.
  test.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#0000ff', '#ffffff', 8.59],
  ])('has the contrast that WCAG defines: %s on %s', (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 2);
  });
});

describe('the logo', () => {
  test.each([
    ['image/png', png(1200, 300)],
    ['image/jpeg', jpeg(1200, 300)],
    ['image/webp', webp(1200, 300)],
  ])('is redrawn within 480 x 160 pixels: %s', async (type, bytes) => {
    const ana = await service.customer();
    expect((await putLogo(ana, bytes)).response.status).toBe(204);
    const stored = await logoOf(ana);
    expect([stored.status, stored.type]).toEqual([200, type]);
    const { width, height } = await sharp(stored.bytes).metadata();
    expect([width, height]).toEqual([480, 120]);
    const { logo } = await bodyOf(ana.rest.GET(PATH));
    expect(logo).toEqual({ path: LOGO, media_type: type, size: stored.bytes.length });
  });

  test('loses all bytes after the picture; a small one keeps its size', async () => {
    const ana = await service.customer();
    await putLogo(ana, Buffer.concat([png(60, 20), Buffer.from('<script>alert(1)</script>')]));
    const { bytes } = await logoOf(ana);
    expect(bytes.includes('script')).toBe(false);
    const { width, height } = await sharp(bytes).metadata();
    expect([width, height]).toEqual([60, 20]);
  });

  test.each([
    ['no picture', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['half a picture', png(64, 48).subarray(0, 60)],
  ])('is refused: %s', async (_name, bytes) => {
    const ana = await service.customer();
    expect(await refusalOf(putLogo(ana, bytes))).toEqual([400, 'VALIDATION_ERROR', 'body']);
    expect((await logoOf(ana)).status).toBe(404);
  });

  test('is refused beyond 1 MiB', async () => {
    const { response } = await putLogo(await service.customer(), png(64, 48, 1_048_577));
    expect(response.status).toBe(413);
  });

  test('can be replaced and removed; removing it again changes nothing', async () => {
    const ana = await service.customer();
    await putLogo(ana, png());
    await putLogo(ana, jpeg());
    expect((await logoOf(ana)).type).toBe('image/jpeg');
    for (const _ of [1, 2]) expect((await ana.rest.DELETE(LOGO)).response.status).toBe(204);
    expect((await logoOf(ana)).status).toBe(404);
  });

  test('cannot be read or changed by another account, and is deleted with its own', async () => {
    const [ana, bob] = [await service.customer(), await service.customer()];
    await putLogo(ana, png());
    await setColor(ana, '#0a7d5c');
    expect((await logoOf(bob)).status).toBe(404);
    const at = { params: { path: { id: ana.id } } };
    await service.operator.rest.DELETE('/api/v1/users/{id}', at);
    await service.operator.operator.POST('/operator/v1/users/{id}/erasure', at);
    const rows = service.db.selectFrom('brands').selectAll().where('account_id', '=', ana.id);
    expect(await rows.execute()).toEqual([]);
  });
});

const shop = await packageMaker(service);

describe('the recipient’s page', () => {
  const page = async (path: string) => (await fetch(service.url + path)).text();
  /** The logo and colour in the JSON view of the same link. */
  const tracked = async (path: string) => JSON.parse(await page(path.replace(/^\/t\//, '/api/v1/tracking/'))).branding;
  const publicPath = async (code: string) => {
    const answer = await fetch(`${service.url}/rastreio?code=${code}&cep=05422000`, { redirect: 'manual' });
    return answer.headers.get('location') ?? '';
  };

  test('shows logo, name and contact first, in the shop’s colour; the public view shows none of them', async () => {
    const { path, code, owner, setContact } = await shop();
    expect([await page(path), await tracked(path)]).toEqual([
      expect.stringMatching(/class="shop"><p><strong>/),
      undefined,
    ]);
    await putLogo(owner, png());
    await setColor(owner, '#ff7a00');
    await setContact('ajuda@example.com');
    const html = await page(path);
    expect(html).toMatch(/<main[^>]*><div class="shop"><img src="[\w-]+\/logo" alt\/><p><strong>Ana Souza<\/strong>/);
    expect(html.indexOf('mailto:ajuda@example.com')).toBeLessThan(html.indexOf('<h1'));
    const sheet = /href="(\/t\/colors\/ff7a00\.css)"/.exec(html)?.[1] ?? '';
    const css = await fetch(service.url + sheet);
    expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    const { light, dark } = shownColours('#ff7a00');
    expect(await css.text()).toMatch(
      new RegExp(`--accent:${light};.*prefers-color-scheme:dark.*--accent:${dark};`, 's'),
    );
    const logo = await fetch(`${service.url}${path}/logo`);
    expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(await tracked(path)).toEqual({ light_color: light, dark_color: dark, logo_path: `${path}/logo` });

    const open = await publicPath(code);
    expect(await page(open)).not.toMatch(/class="shop"|\/colors\//);
    expect((await fetch(`${service.url}${open}/logo`)).status).toBe(404);
    expect(await tracked(open)).toBeUndefined();
  });

  test.each(['ff7a0', 'FF7A00', 'ff7a00;}', '..%2fdesign'])(
    'has no style sheet with a wrong name: %s',
    async (name) => {
      expect((await fetch(`${service.url}/t/colors/${name}.css`)).status).toBe(404);
    },
  );
});
