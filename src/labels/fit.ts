import type { TextBox } from './design.js';

/** Measures the width of a one-line text, in multiples of its size: the sum of the widths of its characters. */
type Measure = (text: string) => number;

type Space = Pick<TextBox, 'width' | 'height' | 'largest' | 'smallest'>;

interface Fitted {
  readonly size: number;
  readonly lines: readonly string[];
}

/** Distance from one line to the next, in multiples of the size. */
export const LEADING = 1.2;

const SMALLER = 0.93;
const ELLIPSIS = '…';

/**
 * Breaks a text into lines as large as the space allows. At the smallest size an ellipsis replaces the words that do
 * not fit.
 */
export function fitText(text: string, space: Space, measure: Measure): Fitted {
  if (text === '') return { size: space.largest, lines: [] };
  const words = text.split(' ').map((word) => ({ text: word, width: measure(word) }));
  const used = words.reduce((sum, { width }) => sum + width, 0);
  for (let size = space.largest; ; size = Math.max(space.smallest, size * SMALLER)) {
    const width = space.width / size;
    const max = Math.max(1, Math.floor(space.height / (size * LEADING)));
    const isLast = size <= space.smallest;
    // A cheap test first: breaking lines costs more.
    if (!isLast && used > max * width) continue;
    const lines = linesOf(words, width, measure);
    if (lines.length <= max) return { size, lines };
    if (isLast) return { size, lines: cut(lines, max, width, measure) };
  }
}

interface Measured {
  readonly text: string;
  readonly width: number;
}

/** Fills lines with words. Breaks a word that is wider than a line. */
function linesOf(words: readonly Measured[], width: number, measure: Measure): string[] {
  const space = measure(' ');
  const lines: string[] = [];
  let line: Measured | undefined;
  for (const word of words) {
    const joined = line ? line.width + space + word.width : word.width;
    if (line && joined <= width) {
      line = { text: `${line.text} ${word.text}`, width: joined };
      continue;
    }
    if (line) lines.push(line.text);
    const pieces = word.width <= width ? [word] : piecesOf(word.text, width, measure);
    lines.push(...pieces.slice(0, -1).map((piece) => piece.text));
    line = pieces.at(-1) ?? word;
  }
  return line ? [...lines, line.text] : lines;
}

function piecesOf(word: string, max: number, measure: Measure): Measured[] {
  const pieces: Measured[] = [];
  let [from, width] = [0, 0];
  for (let at = 0; at < word.length; at += 1) {
    const own = measure(word.charAt(at));
    if (at > from && width + own > max) {
      pieces.push({ text: word.slice(from, at), width });
      [from, width] = [at, 0];
    }
    width += own;
  }
  return [...pieces, { text: word.slice(from), width }];
}

function cut(lines: readonly string[], max: number, width: number, measure: Measure): string[] {
  const [piece] = piecesOf(lines[max - 1] ?? '', width - measure(ELLIPSIS), measure);
  return [...lines.slice(0, max - 1), `${piece?.text.trimEnd() ?? ''}${ELLIPSIS}`];
}
