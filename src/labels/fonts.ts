import { readFileSync } from 'node:fs';
import { create, type Font, type Glyph } from 'fontkit';
import { shippedPath } from '../base/shipped.js';

const files = {
  plain: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
} as const;

export type FontName = keyof typeof files;

/** A text for pdfkit, which changes the positions. */
interface Run {
  readonly glyphs: readonly Glyph[];
  readonly positions: readonly Record<string, number>[];
  readonly advanceWidth: number;
}

/** A font whose characters, each a UTF-16 code unit, stand side by side. */
export interface LatinFont extends Omit<Font, 'layout'> {
  layout(text: string): Run;
  /** Width of a text of one line in multiples of its size. */
  widthOf(text: string): number;
}

const fonts = new Map<FontName, LatinFont>();

/** A font, kept for all documents: to read one costs more than a label. */
export function fontOf(name: FontName): LatinFont {
  const known = fonts.get(name);
  if (known) return known;
  const font = create(readFileSync(shippedPath(files[name])));
  if (!('layout' in font)) throw new TypeError(`${files[name]} is a collection of fonts.`);
  const latin = latinFont(font);
  fonts.set(name, latin);
  return latin;
}

/** Looks each letter up once. To shape a text costs ten times the rest of a label, and moves some pairs closer only. */
function latinFont(font: Font): LatinFont {
  const { unitsPerEm } = font;
  const letters: { glyph: Glyph; advance: number }[] = [];
  function letterAt(text: string, at: number) {
    const code = text.charCodeAt(at);
    const letter = letters[code];
    if (letter) return letter;
    const glyph = font.glyphForCodePoint(code);
    letters[code] = { glyph, advance: glyph.advanceWidth };
    return letters[code];
  }
  const advanceOf = (text: string): number => {
    let sum = 0;
    for (let at = 0; at < text.length; at += 1) sum += letterAt(text, at).advance;
    return sum;
  };
  const own: Pick<LatinFont, 'layout' | 'widthOf'> = {
    layout: (text) => {
      const line = Array.from({ length: text.length }, (_, at) => letterAt(text, at));
      return {
        glyphs: line.map(({ glyph }) => glyph),
        positions: line.map(({ advance }) => ({ xAdvance: advance, yAdvance: 0, xOffset: 0, yOffset: 0 })),
        advanceWidth: advanceOf(text),
      };
    },
    widthOf: (text) => advanceOf(text) / unitsPerEm,
  };
  return Object.assign(Object.create(font), own);
}
