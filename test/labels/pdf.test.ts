import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { barcodeBox, qrBox } from '../../src/labels/design.js';
import type { Label } from '../../src/labels/label.js';
import { labelFile } from '../../src/labels/print.js';
import { fileOf, labelOf, nastyTexts, ordinary } from './fixtures.js';
import { codesIn, isBlank, type Printed, partOf, printedPdf, textsInPdf } from './pictures.js';

const codesOf = ({ barcode, trackingUrl }: Label) => [`ZBAR_CODE128 ${barcode}`, `ZBAR_QRCODE ${trackingUrl}`];

const pagesOf = async (labels: readonly Label[]): Promise<Printed[]> => printedPdf(await fileOf(labels, 'pdf'));

describe('a label as PDF', () => {
  test('shows who sends and who receives, and two codes that readers read', async () => {
    const [page, ...more] = await pagesOf([ordinary]);
    expect(more).toEqual([]);
    expect([page?.picture.width, page?.picture.height]).toEqual([800, 1200]);
    for (const { name, address, complement } of [ordinary.sender, ordinary.recipient]) {
      for (const text of [name, address, complement]) expect(page?.text).toContain(text);
    }
    const own = ['São Paulo - SP', '05422-000', '18/11/2026', '7ZK3 M9P2 QP1S', '3789 1234 5678 9012 32'];
    for (const text of ['Deixar na portaria.', 'PARADA', '7', ...own]) expect(page?.text).toContain(text);
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(ordinary));
  });

  test('has Latin letters only: other ones become such as sound alike, or a question mark', async () => {
    const texts = ['Иван Žižková Ελένη', '深圳市', 'Rua محمد 12', 'A\u0007B', 'W'.repeat(255)];
    const printed = await textsInPdf(
      await fileOf(
        texts.map((text) => labelOf(text)),
        'pdf',
      ),
    );
    const expected = [/Ivan Žižková Eleni/, /ShenZhenShi/, /Rua mhmd 12/, /A\?B/, /W{20,}…/];
    expect(printed).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  test('is the same file for the same label, without a date', async () => {
    const first = await fileOf([ordinary], 'pdf');
    expect((await fileOf([ordinary], 'pdf')).equals(first)).toBe(true);
    expect(first.toString('latin1')).not.toContain('CreationDate');
  });

  test('has no QR code without a link, and nothing in its place', async () => {
    const [page] = await pagesOf([{ ...ordinary, trackingUrl: undefined }]);
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(ordinary).slice(0, 1));
    expect(page && isBlank(partOf(page.picture, qrBox))).toBe(true);
  });
});

/** Counts the turns of other work while the file is made. */
async function turnsDuring(making: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns += 1) await new Promise(setImmediate);
  })();
  await making;
  isDone = true;
  await others;
  return turns;
}

test.each(['pdf', 'zpl'] as const)('other work gets its turn after each label of a %s', async (format) => {
  const labels = Array.from({ length: 50 }, () => ordinary);
  expect(await turnsDuring(fileOf(labels, format))).toBeGreaterThanOrEqual(labels.length);
});

test.each(['pdf', 'zpl'] as const)('nothing more of a %s is made once nobody wants it', async (format) => {
  const leaving = new AbortController();
  let made = 0;
  const labels = Array.from({ length: 50 }, () => ({
    ...ordinary,
    get barcode() {
      made += 1;
      if (made === 5) leaving.abort(new Error('gone'));
      return ordinary.barcode;
    },
  }));
  const making = labelFile('Labels', labels, { format, layout: '100x150' }, leaving.signal);
  await expect(making).rejects.toThrow('gone');
  expect(made).toBeLessThan(labels.length);
});

describe('whatever is written on it', () => {
  const names = Object.keys(nastyTexts);
  let empty: Printed | undefined;
  let nasty: Printed[];
  beforeAll(async () => {
    [empty, ...nasty] = await pagesOf(['', ...Object.values(nastyTexts)].map((text) => labelOf(text)));
  });

  /** The boxes of the codes look like those of a label without texts. */
  function expectFree(page: Printed | undefined): void {
    if (!empty || !page) throw new Error('a page is missing');
    for (const box of [barcodeBox, qrBox])
      expect(partOf(page.picture, box).equals(partOf(empty.picture, box))).toBe(true);
  }

  test.each(names)('%s: the codes can be read, and nothing touches them', async (name) => {
    const page = nasty[names.indexOf(name)];
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(ordinary));
    expectFree(page);
  });

  test('any names leave the codes alone', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }),
    );
    const anyTexts = fc.array(anyText, { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyTexts, async (texts) => {
        for (const page of await pagesOf(texts.map((text) => labelOf(text)))) expectFree(page);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  test('what touches a code would be found', async () => {
    const [other] = await pagesOf([{ ...labelOf(''), barcode: '378912345678901249' }]);
    expect(() => expectFree(other)).toThrow();
  });
});

describe('labels on A4', () => {
  /** No reader tells two equal bar codes on one sheet from one that it has read twice. */
  const numbered = (text: string, at: number): Label => ({
    ...labelOf(text),
    barcode: String(378912345678900000n + BigInt(at)),
    trackingUrl: `https://malote.example/t/${String(at).padStart(48, 'x')}`,
  });

  test('are four on a sheet, in their order, each readable', async () => {
    const worst = ['wide letters', 'accents', 'Chinese', 'emoji'].map((name) => nastyTexts[name] ?? '');
    const labels = [ordinary.recipient.name, ...worst, 'a'].map(numbered);
    const pages = await printedPdf(await fileOf(labels, 'pdf', 'a4'));
    expect(pages).toHaveLength(Math.ceil(labels.length / 4));
    for (const [at, { picture }] of pages.entries()) {
      expect([picture.width, picture.height]).toEqual([1680, 2376]);
      const expected = labels.slice(4 * at, 4 * at + 4).flatMap(codesOf);
      expect(await codesIn(picture)).toEqual(expected.sort());
    }
  });
});
