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
export function fitText(text: string, space: Space, measure: Measure): Fitted {
  if (text === '') return { size: space.largest, lines: [] };
  const parts = partsOf(text, measure);
  for (let size = space.largest; ; size = Math.max(space.smallest, size * SMALLER)) {
    const lines = linesOf(parts, space.width / size, measure);
    const most = Math.max(1, Math.floor(space.height / (size * LEADING)));
    if (lines.length <= most) return { size, lines };
    if (size <= space.smallest) return { size, lines: cut(lines, most, space.width / size, measure) };
  }
}

interface Measured {
  readonly text: string;
  readonly width: number;
}

/** What stays together on a line where it can: a word, or one character of a script that has no spaces. */
interface Part extends Measured {
  /** Of the space before it, 0 when there is none. */
  readonly gap: number;
}

const BREAKABLE = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}]/u;

const measured = (texts: readonly string[], measure: Measure): Measured[] =>
  texts.map((text) => ({ text, width: measure(text) }));

function partsOf(text: string, measure: Measure): Part[] {
  const space = measure(' ');
  return text.split(' ').flatMap((word, at) => {
    const parts = measured(BREAKABLE.test(word) ? charactersOf(word) : [word], measure);
    return parts.map((part, within) => ({ ...part, gap: within === 0 && at > 0 ? space : 0 }));
  });
}

/** Greedy: a part goes on the line while it fits; one that is wider than a line is broken wherever a line ends. */
function linesOf(parts: readonly Part[], width: number, measure: Measure): string[] {
  const lines: Measured[] = [];
  let line: Measured = { text: '', width: 0 };
  for (const part of parts) {
    const joined = line.width + part.gap + part.width;
    if (line.text !== '' && joined <= width) {
      line = { text: `${line.text}${part.gap > 0 ? ' ' : ''}${part.text}`, width: joined };
      continue;
    }
    if (line.text !== '') lines.push(line);
    const pieces = part.width <= width ? [part] : piecesOf(measured(charactersOf(part.text), measure), width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? part;
  }
  return [...lines, line].map(({ text }) => text);
}

/** The characters of a word in pieces that each fit, of one at least. */
function piecesOf(characters: readonly Measured[], width: number): Measured[] {
  const pieces: Measured[] = [];
  for (const character of characters) {
    const last = pieces.at(-1);
    if (last && last.width + character.width <= width) pieces[pieces.length - 1] = joinedTo(last, character);
    else pieces.push(character);
  }
  return pieces;
}

const joinedTo = (before: Measured, after: Measured): Measured => ({
  text: before.text + after.text,
  width: before.width + after.width,
});

/** The first lines, with an ellipsis in the last one in place of what does not fit beside it. */
function cut(lines: readonly string[], most: number, width: number, measure: Measure): string[] {
  const characters = measured(charactersOf(lines[most - 1] ?? ''), measure);
  const [piece] = piecesOf(characters, width - measure(ELLIPSIS));
  return [...lines.slice(0, most - 1), `${piece?.text.trimEnd() ?? ''}${ELLIPSIS}`];
}
