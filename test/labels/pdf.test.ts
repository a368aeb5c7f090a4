import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Box, barcodeBox, barcodeBoxOn, keyBox, qrBox, rulesOn, textsOf } from '../../src/labels/design.js';
import type { Label } from '../../src/labels/label.js';
import { labelFile } from '../../src/labels/print.js';
import { documented, fileOf, fiscalKeys, labelOf, nastyTexts, ordinary } from './fixtures.js';
import { codesIn, isBlank, type Printed, partOf, printedPdf, textsInPdf } from './pictures.js';

const codesOf = ({ barcode, document, trackingUrl }: Label) =>
  [barcode, ...(document ? [document.value] : [])]
    .sort()
    .map((code) => `ZBAR_CODE128 ${code}`)
    .concat(`ZBAR_QRCODE ${trackingUrl}`);

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
    own.push('VOLUME 2 de 3', 'PESO 1,25 kg');
    for (const text of ['Deixar na portaria.', 'PARADA', '7', ...own]) expect(page?.text).toContain(text);
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(ordinary));
  });

  test('has Latin letters only: other ones become such as sound alike, or a question mark', async () => {
    const texts = ['Иван Žižková Ελένη', '深圳市', 'Rua محمد 12', 'A\u0007B', 'W'.repeat(255)];
    const labels = texts.map((text) => labelOf(text));
    const expected = [/Ivan Žižková Eleni/, /ShenZhenShi/, /Rua mhmd 12/, /A\?B/, /W{20,}…/];
    expect(await textsInPdf(await fileOf(labels, 'pdf'))).toEqual(expected.map((text) => expect.stringMatching(text)));
  });

  test('is the same file for the same label, without a date', async () => {
    const first = await fileOf([ordinary], 'pdf');
    expect((await fileOf([ordinary], 'pdf')).equals(first)).toBe(true);
    expect(first.toString('latin1')).not.toContain('CreationDate');
  });

  test.each(fiscalKeys)('has the fiscal key %s along its right side', async (value) => {
    const label = documented(ordinary, value);
    const [page, ...more] = await pagesOf([label]);
    expect(more).toEqual([]);
    for (const text of ['NF-e nº 123456789', 'VOLUME 100 de 100', 'PESO 30 kg']) expect(page?.text).toContain(text);
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(label));
  });

  test('has no QR code without a link, and nothing in its place', async () => {
    const [page] = await pagesOf([{ ...ordinary, trackingUrl: undefined }]);
    expect(page && (await codesIn(page.picture))).toEqual(codesOf(ordinary).slice(0, 1));
    expect(page && isBlank(partOf(page.picture, qrBox))).toBe(true);
  });
});

const full = { orderName: 'W'.repeat(64), deliverFrom: '2026-12-02' };

test.each([
  ['without', ordinary],
  ['with', documented(ordinary)],
  ['without, with an order and a day, or', { ...ordinary, ...full }],
  ['with an order, a day and', documented({ ...ordinary, ...full })],
])('no part of a label %s a fiscal document stands in another', (_, label) => {
  const codes = [barcodeBoxOn(label), qrBox, ...(label.document ? [keyBox] : [])];
  const boxes: Box[] = [...codes, ...rulesOn(label), ...textsOf(label)];
  const apart = (a: Box, b: Box) => a.x + a.width <= b.x || a.y + a.height <= b.y + 1e-9;
  const touching = boxes.flatMap((a, at) =>
    boxes
      .slice(at + 1)
      .filter((b) => !apart(a, b) && !apart(b, a))
      .map((b) => [a, b]),
  );
  expect(touching).toEqual([]);
  for (const { x, y, width, height } of boxes) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(2);
    expect([x + width <= 98, y + height <= 149]).toEqual([true, true]);
  }
});

test.each([
  ['alone', ordinary, 'Aponte a câmera'],
  ['beside a fiscal document', documented(ordinary), undefined],
  ['beside a day', { ...ordinary, deliverFrom: '2026-12-02' }, 'ENTREGAR A PARTIR DE 02/12'],
  ['beside both', documented({ ...ordinary, deliverFrom: '2026-12-02' }), 'ENTREGAR A PARTIR DE 02/12'],
])('the name of the order stands %s, with 32 of its characters', async (_, label, other) => {
  const names = ['Pedido-48213', `venda-${'0'.repeat(20)}123456`, `venda-${'0'.repeat(20)}1234567`];
  const pages = await pagesOf(names.map((orderName) => ({ ...label, orderName })));
  const [short, fits, long] = pages.map(({ text }) => text);
  expect(short).toContain('Pedido Pedido-48213');
  expect(fits).toContain(`Pedido venda-${'0'.repeat(20)}123456`);
  expect(long).toContain(`Pedido venda-${'0'.repeat(20)}12345…`);
  for (const page of pages) {
    if (label.document) expect(page.text).toContain('NF-e nº 123456789');
    if (other !== undefined) expect(page.text).toContain(other);
    expect(await codesIn(page.picture)).toEqual(codesOf(label));
  }
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

/** Texts that come nearest to the edges. */
const nearest = ['one very long word', 'wide letters', 'accents', 'Chinese'];

describe.each([
  ['without', (label: Label) => label, [barcodeBox, qrBox], Object.keys(nastyTexts)],
  ['with', (label: Label) => documented(label), [barcodeBoxOn(documented(ordinary)), qrBox, keyBox], nearest],
] as const)(
  'whatever is written on one %s a fiscal document',
  (_, made, boxes: readonly Box[], names: readonly string[]) => {
    let empty: Printed | undefined;
    let nasty: Printed[];
    beforeAll(async () => {
      [empty, ...nasty] = await pagesOf(
        ['', ...names.map((name) => nastyTexts[name] ?? '')].map((text) => made(labelOf(text))),
      );
    });

    /** The boxes of the codes look like those of a label without texts. */
    function expectFree(page: Printed | undefined): void {
      if (!empty || !page) throw new Error('a page is missing');
      for (const box of boxes) expect(partOf(page.picture, box).equals(partOf(empty.picture, box))).toBe(true);
    }

    test('is on one page each', () => expect(nasty).toHaveLength(names.length));

    test.each(names)('%s: the codes can be read, and nothing touches them', async (name) => {
      const page = nasty[names.indexOf(name)];
      expect(page && (await codesIn(page.picture))).toEqual(codesOf(made(ordinary)));
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
          for (const page of await pagesOf(texts.map((text) => made(labelOf(text))))) expectFree(page);
        }),
        { numRuns: 2, endOnFailure: true },
      );
    });

    test('a mark that touches a code would be found', async () => {
      const [other] = await pagesOf([made({ ...labelOf(''), barcode: '378912345678901249' })]);
      expect(() => expectFree(other)).toThrow();
    });
  },
);

describe('labels on A4', () => {
  /** No reader tells two equal bar codes on one sheet from one that it has read twice. */
  const numbered = (text: string, at: number): Label => ({
    ...labelOf(text),
    barcode: String(378912345678900000n + BigInt(at)),
    trackingUrl: `https://malote.example/t/${String(at).padStart(48, 'x')}`,
  });

  test.each([
    ['without', (label: Label) => label],
    ['with', (label: Label, at: number) => documented(label, fiscalKeys[at % 3])],
  ] as const)('are four on a sheet, in their order, each readable, %s fiscal documents', async (_, made) => {
    const worst = ['wide letters', 'accents', 'Chinese', 'emoji'].map((name) => nastyTexts[name] ?? '');
    const labels = [ordinary.recipient.name, ...worst, 'a'].map(numbered).map(made);
    const pages = await printedPdf(await fileOf(labels, 'pdf', 'a4'));
    expect(pages).toHaveLength(Math.ceil(labels.length / 4));
    for (const [at, { picture }] of pages.entries()) {
      expect([picture.width, picture.height]).toEqual([1680, 2376]);
      const expected = labels.slice(4 * at, 4 * at + 4).flatMap(codesOf);
      expect(await codesIn(picture)).toEqual([...new Set(expected)].sort());
    }
  });
});
