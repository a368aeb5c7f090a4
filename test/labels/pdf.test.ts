import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BARCODE_BOX, QR_BOX } from '../../src/labels/design.js';
import { fileOf, labelOf, nastyTexts, ordinary } from './fixtures.js';
import { codesIn, isBlank, partOf, printedPdf } from './pictures.js';

const CODES = [`ZBAR_CODE128 ${ordinary.barcode}`, `ZBAR_QRCODE ${ordinary.trackingUrl}`];

const printedOf = async (text: string) => {
  const [page] = await printedPdf(await fileOf([labelOf(text)], 'pdf'));
  if (!page) throw new Error('there is no page');
  return page;
};

describe('a label as PDF', () => {
  test('shows who sends and who receives, and two codes that readers read', async () => {
    const [page, ...more] = await printedPdf(await fileOf([ordinary], 'pdf'));
    expect(more).toEqual([]);
    expect([page?.picture.width, page?.picture.height]).toEqual([800, 1200]);
    for (const { name, address, complement } of [ordinary.sender, ordinary.recipient]) {
      for (const text of [name, address, complement]) expect(page?.text).toContain(text);
    }
    for (const text of ['Deixar na portaria.', 'São Paulo - SP', '05422-000', '18/11/2026', '7ZK3 M9P2 QP1S', '3789 1234 5678 9012 32']) {
      expect(page?.text).toContain(text);
    }
    expect(page && (await codesIn(page.picture))).toEqual(CODES);
  });

  test.each(Object.entries(nastyTexts))('of %s can be read, and nothing touches a code', async (_name, text) => {
    const [{ picture }, { picture: empty }] = [await printedOf(text), await printedOf('')];
    expect(await codesIn(picture)).toEqual(CODES);
    for (const box of [BARCODE_BOX, QR_BOX]) expect(partOf(picture, box)).toEqual(partOf(empty, box));
  });

  test('leaves the codes alone, whatever the name', async () => {
    const { picture: empty } = await printedOf('');
    const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 });
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const { picture } = await printedOf(name);
        for (const box of [BARCODE_BOX, QR_BOX]) expect(partOf(picture, box)).toEqual(partOf(empty, box));
      }),
      { numRuns: 15 },
    );
  });

  test('keeps what it can of a text: other scripts, and a sign for what no font has', async () => {
    expect((await printedOf('Иван Žižková Ελένη')).text).toContain('Иван Žižková Ελένη');
    expect((await printedOf('深圳市')).text).toContain('深圳市');
    expect((await printedOf('A\u0007B')).text).toContain('A\ufffdB');
    expect((await printedOf('W'.repeat(255))).text).toMatch(/W{20,}…/);
  });

  test('is the same file for the same label', async () => {
    const first = await fileOf([ordinary], 'pdf');
    expect((await fileOf([ordinary], 'pdf')).equals(first)).toBe(true);
    expect(first.toString('latin1')).not.toContain('CreationDate');
  });

  test('has no QR code without a link, and nothing in its place', async () => {
    const [page] = await printedPdf(await fileOf([{ ...ordinary, trackingUrl: undefined }], 'pdf'));
    expect(page && (await codesIn(page.picture))).toEqual(CODES.slice(0, 1));
    expect(page && isBlank(partOf(page.picture, QR_BOX))).toBe(true);
  });
});

describe('labels on A4', () => {
  test('are four on a sheet, in their order, each readable', async () => {
    const labels = ['378912345678901232', '000000000000000000', '999999999999999993', '123456789012345675', '378912345678901232'].map(
      (barcode, at) => ({ ...ordinary, barcode, trackingUrl: `https://malote.example/t/${at}${'x'.repeat(47)}` }),
    );
    const pages = await printedPdf(await fileOf(labels, 'pdf', 'a4'));
    expect(pages.map(({ picture }) => [picture.width, picture.height])).toEqual([[1680, 2376], [1680, 2376]]);
    const expected = (some: typeof labels) =>
      some.flatMap(({ barcode, trackingUrl }) => [`ZBAR_CODE128 ${barcode}`, `ZBAR_QRCODE ${trackingUrl}`]).sort();
    const [first, second] = await Promise.all(pages.map(({ picture }) => codesIn(picture)));
    expect(first).toEqual(expected(labels.slice(0, 4)));
    expect(second).toEqual(expected(labels.slice(4)));
  });

  test.each(Object.entries(nastyTexts))('of %s can be read', async (_name, text) => {
    const label = labelOf(text);
    const [page] = await printedPdf(await fileOf([label, label, label, label], 'pdf', 'a4'));
    const codes = page ? await codesIn(page.picture) : [];
    expect([codes.length, ...new Set(codes)]).toEqual([8, ...CODES]);
  });
});
