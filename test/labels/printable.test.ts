import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitText, LEADING } from '../../src/labels/fit.js';
import { charactersOf, printable } from '../../src/labels/printable.js';
import { nastyTexts } from './fixtures.js';

test.each([
  ['Ana\t Souza\r\n', 'Ana Souza'],
  ['Jose\u0301', 'José'],
  ['A\u0007B', 'A\ufffdB'],
  ['\ue000\u{10ffff}', '\ufffd\ufffd'],
  ['A\u202eB\u200fC\u00ad', 'ABC'],
  ['\u200b', '\ufffd'],
  ['', ''],
  [`x${'\u0301'.repeat(9)}`, `x${'\u0301'.repeat(4)}\ufffd`],
])('%j is shown as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('nothing that is visible is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (text) => {
      const visible = (all: string) => all.normalize('NFC').match(/[\p{L}\p{N}\p{P}\p{S}]/gu) ?? [];
      const shown = visible(printable(text)).filter((character) => character !== '\ufffd');
      expect(shown).toEqual(visible(text).filter((character) => character !== '\ufffd' && !isIgnorable(character)));
    }),
  );
});

const isIgnorable = (character: string): boolean => /\p{Default_Ignorable_Code_Point}/u.test(character);

/** Every character as wide as it is high. */
const measure = (text: string): number => charactersOf(text).length;

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 255 }),
  fc.string({ unit: 'grapheme', maxLength: 255 }),
  fc.constantFrom(...Object.values(nastyTexts)),
);
const anySpace = fc.record({
  width: fc.integer({ min: 6, max: 100 }),
  height: fc.integer({ min: 3, max: 30 }),
  largest: fc.constantFrom(2, 4, 8),
  smallest: fc.constantFrom(1, 2),
});

test('lines stay within their space, whatever the text', () => {
  fc.assert(
    fc.property(anyText, anySpace, (text, space) => {
      const { size, lines } = fitText(printable(text), space, measure);
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
