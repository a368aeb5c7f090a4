import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { create, type Font } from 'fontkit';
import { charactersOf, REPLACEMENT } from './printable.js';

/**
 * Two weights of DejaVu Sans Condensed, for the scripts of Europe, Arabic and Hebrew, and UnifontEX for whatever they lack: CJK, emoji,
 * the scripts of India. What neither has is shown as a replacement.
 */
const files = {
  plain: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
  other: '@fontsource/unifontex/files/unifontex-latin-400-normal.woff',
} as const;

export type FontName = keyof typeof files;

const { resolve } = createRequire(import.meta.url);
const fonts = new Map<FontName, Font>();

/** Read when it is first needed, and kept for all documents: to read one costs more than a label. */
export function fontOf(name: FontName): Font {
  const known = fonts.get(name);
  if (known) return known;
  const font = create(sfntOf(readFileSync(resolve(files[name]))));
  if (!('layout' in font)) throw new TypeError(`${files[name]} is a collection of fonts.`);
  fonts.set(name, font);
  return font;
}

/** Sizes of headers and of the entries of their tables of contents, in bytes. */
const woffSizes = { header: 44, entry: 20 } as const;
const sfntSizes = { header: 12, entry: 16 } as const;

const padded = (length: number): number => Math.ceil(length / 4) * 4;

/**
 * A font as it is without the compression of the web (WOFF 1.0, https://www.w3.org/TR/WOFF/). The library that reads fonts decompresses
 * a table again for each glyph that it is asked for.
 */
function sfntOf(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 4) !== 'wOFF') return file;
  const count = file.readUInt16BE(12);
  const sfnt = Buffer.alloc(file.readUInt32BE(16));
  file.copy(sfnt, 0, 4, 8);
  sfnt.writeUInt16BE(count, 4);
  let end = sfntSizes.header + count * sfntSizes.entry;
  for (let at = 0; at < count; at += 1) {
    const entry = file.subarray(woffSizes.header + at * woffSizes.entry);
    const [offset, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)];
    const bytes = file.subarray(offset, offset + packed);
    (packed < length ? inflateSync(bytes) : bytes).copy(sfnt, end);
    const row = sfntSizes.header + at * sfntSizes.entry;
    entry.copy(sfnt, row, 0, 4);
    sfnt.writeUInt32BE(entry.readUInt32BE(16), row + 4);
    sfnt.writeUInt32BE(end, row + 8);
    sfnt.writeUInt32BE(length, row + 12);
    end += padded(length);
  }
  return sfnt;
}

/** A part of a line that one font can show. */
export interface Run {
  readonly font: FontName;
  readonly text: string;
}

/** The text of one line by the fonts that can show it. */
export function runsOf(text: string, isBold: boolean): Run[] {
  const own = isBold ? 'bold' : 'plain';
  if (has(own, text)) return [{ font: own, text }];
  const runs: { font: FontName; text: string }[] = [];
  for (const character of charactersOf(text)) {
    const next = runOf(character, own);
    const last = runs.at(-1);
    if (last?.font === next.font) last.text += next.text;
    else runs.push(next);
  }
  return runs;
}

const NON_JOINER = /\u200c/g;

function runOf(character: string, own: FontName): { font: FontName; text: string } {
  if (has(own, character)) return { font: own, text: character };
  const bare = character.replace(NON_JOINER, '');
  return has('other', bare) ? { font: 'other', text: bare } : { font: own, text: REPLACEMENT };
}

function has(name: FontName, text: string): boolean {
  const font = fontOf(name);
  for (const character of text) {
    if (!font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return false;
  }
  return true;
}

/** Width of a run in multiples of its size, as it is drawn. */
export function widthOfRun({ font: name, text }: Run): number {
  const font = fontOf(name);
  return font.layout(text).advanceWidth / font.unitsPerEm;
}

/** Letters whose widths add up, but for what moves pairs of them closer. */
const SIDE_BY_SIDE = /^[ -\u{24f}]*$/u;

/** Width of a text of one line in multiples of its size, or a little more. */
export function widthOf(text: string, isBold: boolean): number {
  if (!SIDE_BY_SIDE.test(text)) return runsOf(text, isBold).reduce((sum, run) => sum + widthOfRun(run), 0);
  const advances = isBold ? boldAdvances : plainAdvances;
  let width = 0;
  for (let at = 0; at < text.length; at += 1) width += advances(text.charCodeAt(at));
  return width;
}

/** Widths of single characters, measured once; there are few. */
function advancesOf(name: FontName): (codePoint: number) => number {
  const known: number[] = [];
  return (codePoint) => {
    const width = known[codePoint] ?? widthOfRun({ font: name, text: String.fromCharCode(codePoint) });
    known[codePoint] = width;
    return width;
  };
}

const [plainAdvances, boldAdvances] = [advancesOf('plain'), advancesOf('bold')];
