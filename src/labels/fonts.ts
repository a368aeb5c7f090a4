import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

export const fontNames: readonly FontName[] = ['plain', 'bold', 'other'];

interface LoadedFont {
  readonly bytes: Buffer;
  readonly font: Font;
}

const { resolve } = createRequire(import.meta.url);
const loaded = new Map<FontName, LoadedFont>();

/** Read when it is first needed, and kept. */
export function loadedFont(name: FontName): LoadedFont {
  const known = loaded.get(name);
  if (known) return known;
  const bytes = readFileSync(resolve(files[name]));
  const font = create(bytes);
  if (!('layout' in font)) throw new TypeError(`${files[name]} is a collection of fonts.`);
  const added = { bytes, font };
  loaded.set(name, added);
  return added;
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
  const { font } = loadedFont(name);
  for (const character of text) {
    if (!font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return false;
  }
  return true;
}

/** Width of a run in multiples of its size. */
export function widthOfRun({ font: name, text }: Run): number {
  const { font } = loadedFont(name);
  return font.layout(text).advanceWidth / font.unitsPerEm;
}

export const widthOf = (text: string, isBold: boolean): number =>
  runsOf(text, isBold).reduce((sum, run) => sum + widthOfRun(run), 0);
