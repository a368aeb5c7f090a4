import { charactersOf } from './printable.js';

/** Width of a text of one line, in multiples of its size. */
export type Measure = (text: string) => number;

interface Space {
  readonly width: number;
  readonly height: number;
  readonly largest: number;
  readonly smallest: number;
}

export interface Fitted {
  readonly size: number;
  readonly lines: readonly string[];
}

/** From one line to the next, in multiples of the size. */
export const LEADING = 1.2;

const SMALLER = 0.93;
const ELLIPSIS = '…';

/** Lines as large as the space allows; at the smallest size what is too much is cut, and an ellipsis says so. */
export function fit(text: string, space: Space, measure: Measure): Fitted {
  if (text === '') return { size: space.largest, lines: [] };
  const parts = partsOf(text, measure);
  for (let size = space.largest; ; size = Math.max(space.smallest, size * SMALLER)) {
    const lines = linesOf(parts, space.width / size, measure);
    const most = Math.max(1, Math.floor(space.height / (size * LEADING)));
    if (lines.length <= most) return { size, lines };
    if (size <= space.smallest) return { size, lines: cut(lines, most, space.width / size, measure) };
  }
}

/** What stays together on a line where it can: a word, or one character of a script that has no spaces. */
interface Part {
  readonly text: string;
  readonly width: number;
  /** Of the space before it, 0 when there is none. */
  readonly gap: number;
}

const BREAKABLE = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}]/u;

function partsOf(text: string, measure: Measure): Part[] {
  const space = measure(' ');
  return text.split(' ').flatMap((word, at) => {
    const texts = BREAKABLE.test(word) ? charactersOf(word) : [word];
    return texts.map((part, within) => ({
      text: part,
      width: measure(part),
      gap: within === 0 && at > 0 ? space : 0,
    }));
  });
}

/** Greedy: a part goes on the line while it fits; one that is wider than a line is broken wherever the line ends. */
function linesOf(parts: readonly Part[], width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const part of parts) {
    if (line !== '' && used + part.gap + part.width <= width) {
      line += (part.gap > 0 ? ' ' : '') + part.text;
      used += part.gap + part.width;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = part.width <= width ? [part.text] : piecesOf(part.text, width, measure);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
    used = pieces.length === 1 ? part.width : measure(line);
  }
  return [...lines, line];
}

/** The word in pieces that each fit, of one character at least. */
function piecesOf(word: string, width: number, measure: Measure): string[] {
  const pieces: string[] = [];
  for (let rest = charactersOf(word); rest.length > 0; ) {
    const count = mostThatFit(rest, width, measure);
    pieces.push(rest.slice(0, count).join(''));
    rest = rest.slice(count);
  }
  return pieces;
}

/** How many of the first characters fit together, by halving; 1 at least. */
function mostThatFit(characters: readonly string[], width: number, measure: Measure): number {
  let [fits, tooMany] = [1, characters.length + 1];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (measure(characters.slice(0, middle).join('')) <= width) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

function cut(lines: readonly string[], most: number, width: number, measure: Measure): string[] {
  const characters = charactersOf(lines[most - 1] ?? '');
  const count = mostThatFit(characters, width - measure(ELLIPSIS), measure);
  return [...lines.slice(0, most - 1), `${characters.slice(0, count).join('').trimEnd()}${ELLIPSIS}`];
}
