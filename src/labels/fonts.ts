import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { create, type Font, type Glyph } from 'fontkit';
import { root } from '../base/root.js';

/** Font files of development packages. `npm run build` copies them for the service. */
const files = {
  plain: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
} as const;

export const shippedFiles: readonly string[] = Object.values(files);

export type FontName = keyof typeof files;

/** A text for pdfkit, which changes the positions in it. */
interface Run {
  readonly glyphs: readonly Glyph[];
  readonly positions: readonly Record<string, number>[];
  readonly advanceWidth: number;
}

/** A font without shaping: each UTF-16 code unit is one character, and characters stand side by side. */
export interface LatinFont extends Omit<Font, 'layout'> {
  layout(text: string): Run;
  /** Width of a one-line text, in multiples of its size. */
  widthOf(text: string): number;
}

const fonts = new Map<FontName, LatinFont>();

const { resolve } = createRequire(import.meta.url);

/** Path of the copied file. If the service runs from its source, path of the original. */
function shippedPath(file: string): string {
  const copy = fileURLToPath(new URL(`shipped/${file}`, root));
  return existsSync(copy) ? copy : resolve(file);
}

/** Returns a font, and keeps it for all documents. To read a font costs more than to draw a label. */
export function fontOf(name: FontName): LatinFont {
  const known = fonts.get(name);
  if (known) return known;
  const font = create(readFileSync(shippedPath(files[name])));
  if (!('layout' in font)) throw new TypeError(`${files[name]} is a collection of fonts.`);
  const latin = latinFont(font);
  fonts.set(name, latin);
  return latin;
}

/**
 * Makes a font that looks each letter up once. Shaping a text would cost ten times the rest of a label, and only move
 * some pairs closer.
 */
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
