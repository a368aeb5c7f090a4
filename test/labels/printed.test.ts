import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitText, LEADING } from '../../src/labels/fit.js';
import { type FontName, fontOf } from '../../src/labels/fonts.js';
import { printedInPdf, printedInZpl } from '../../src/labels/printed.js';
import { nastyTexts } from './fixtures.js';

test.each([
  ['Ana\t Souza\r\n', 'Ana Souza'],
  ['Jose\u0301', 'José'],
  ['Conceição Müller', 'Conceição Müller'],
  ['A\u0007B', 'A?B'],
  ['\ue000\u{10ffff}', '??'],
  ['A\u202eB\u200fC\u00ad', 'ABC'],
  ['\u200b', '?'],
  ['', ''],
  [`x${'\u0301'.repeat(9)}`, 'x'],
  ['深圳', 'ShenZhen'],
  ['Иван', 'Ivan'],
  ['Rua محمد 12', 'Rua mhmd 12'],
])('%j is printed as %j', (text, printed) => {
  expect([printedInPdf(text), printedInZpl(text)]).toEqual([printed, printed]);
});

test('a PDF has letters that the font of a label printer lacks', () => {
  expect(printedInPdf('Žižková, Nguyễn – “Łódź”')).toBe('Žižková, Nguyễn – “Łódź”');
  expect(printedInZpl('Žižková, Nguyễn – “Łódź”')).toBe('Zizková, Nguyen - "Lódz"');
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 255 }),
  fc.string({ unit: 'grapheme', maxLength: 255 }),
  fc.constantFrom(...Object.values(nastyTexts)),
);

test('every printed text is in the fonts, on one line, and no longer than a label can hold', () => {
  const fonts = (['plain', 'bold'] satisfies FontName[]).map(fontOf);
  fc.assert(
    fc.property(anyText, (text) => {
      const [pdf, zpl] = [printedInPdf(text), printedInZpl(text)];
      const isMissing = (letter: string) =>
        fonts.some((font) => !font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));
      expect([...pdf].filter(isMissing)).toEqual([]);
      expect(zpl).toMatch(/^[ -~\u{a1}-\u{ff}]*$/u);
      const isShort = pdf.length < 1_200 && zpl.length < 1_200;
      expect([pdf.includes('  '), isShort, pdf === '']).toEqual([false, true, text === '']);
    }),
  );
});

test('every letter that a PDF prints as it is, is in its fonts', () => {
  const letters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter(
    (letter) => letter > '\u00a0' && printedInPdf(letter) === letter,
  );
  expect(letters).toEqual(expect.arrayContaining([...'ãÇžŁễ…€’']));
  const missing = letters.filter((letter) => !fontOf('bold').hasGlyphForCodePoint(letter.charCodeAt(0)));
  expect(missing).toEqual([]);
});

/** Every character as wide as it is high. */
const measure = (text: string): number => text.length;

const anySpace = fc.record({
  width: fc.integer({ min: 6, max: 100 }),
  height: fc.integer({ min: 3, max: 30 }),
  largest: fc.constantFrom(2, 4, 8),
  smallest: fc.constantFrom(1, 2),
});

test('lines stay within their space, whatever the text', () => {
  fc.assert(
    fc.property(anyText, anySpace, (text, space) => {
      const { size, lines } = fitText(printedInPdf(text), space, measure);
      expect(size).toBeGreaterThanOrEqual(space.smallest);
      expect(size).toBeLessThanOrEqual(space.largest);
      expect(lines.length * size * LEADING).toBeLessThanOrEqual(Math.max(space.height, size * LEADING) + 1e-9);
      const long = lines.filter((line) => measure(line) > 1);
      for (const line of long) expect(measure(line) * size).toBeLessThanOrEqual(space.width + 1e-9);
    }),
  );
});

test('a text that fits stays whole, one that does not is smaller, then cut', () => {
  const space = { width: 20, height: 5, largest: 4, smallest: 2 };
  expect(fitText('Ana', space, measure)).toEqual({ size: 4, lines: ['Ana'] });
  const smaller = fitText('Ana Maria', space, measure);
  expect([smaller.size < 4, smaller.lines.join(' ')]).toEqual([true, 'Ana Maria']);
  const { size, lines } = fitText('Ana Maria de Souza e Silva', space, measure);
  expect([size, lines]).toEqual([2, ['Ana Maria', 'de Souza…']]);
  expect(fitText('', space, measure).lines).toEqual([]);
});
