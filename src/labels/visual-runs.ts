import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import { type Run, runsOf } from './fonts.js';

// Its types describe the form for bundlers, not the one that Node loads.
const bidiFactory: () => Bidi = createRequire(import.meta.url)('bidi-js');
const bidi = bidiFactory();

/** A part of a line in one direction and one font; its text is in the order in which it is read. */
export interface VisualRun extends Run {
  readonly isRightToLeft: boolean;
}

const RIGHT_TO_LEFT = /[\p{scx=Arab}\p{scx=Hebr}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\u{590}-\u{8ff}]/u;

/** Whether the lines of a text run from the right, which its first letter says. */
export const runsFromRight = (text: string): boolean =>
  RIGHT_TO_LEFT.test(text) && bidi.getEmbeddingLevels(text).paragraphs[0]?.level === 1;

/** The parts of a line from left to right, by the Unicode Bidirectional Algorithm (UAX 9). */
export function visualRuns(line: string, isBold: boolean, fromRight: boolean): VisualRun[] {
  if (!RIGHT_TO_LEFT.test(line)) return runsOf(line, isBold).map((run) => ({ ...run, isRightToLeft: false }));
  return directedParts(line, fromRight).flatMap(({ text, isRightToLeft }) => {
    const runs = runsOf(text, isBold).map((run) => ({ ...run, isRightToLeft }));
    return isRightToLeft ? runs.reverse() : runs;
  });
}

interface DirectedPart {
  text: string;
  isRightToLeft: boolean;
}

function directedParts(line: string, fromRight: boolean): DirectedPart[] {
  const resolved = bidi.getEmbeddingLevels(line, fromRight ? 'rtl' : 'ltr');
  const mirrored = bidi.getMirroredCharactersMap(line, resolved.levels);
  const parts: (DirectedPart & { level: number; last: number })[] = [];
  for (const index of bidi.getReorderedIndices(line, resolved)) {
    const level = resolved.levels[index] ?? 0;
    const isRightToLeft = level % 2 === 1;
    const unit = mirrored.get(index) ?? line[index] ?? '';
    const part = parts.at(-1);
    if (part && part.level === level && index === part.last + (isRightToLeft ? -1 : 1)) {
      part.text = isRightToLeft ? unit + part.text : part.text + unit;
      part.last = index;
    } else parts.push({ text: unit, isRightToLeft, level, last: index });
  }
  return parts;
}
