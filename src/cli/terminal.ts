import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { wrongUsage } from './errors.js';

/** The streams that a command reads and writes. `isTTY` is true if a person is there. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

export type Style = Parameters<typeof styleText>[0];

/** Styles a text if the stream is a terminal. NO_COLOR switches this off, FORCE_COLOR switches it on for pipes. */
export const styled = (stream: Writable, style: Style, text: string): string =>
  styleText(style, text, { stream, validateStream: true });

/** True if `styled` changes texts for the stream. */
export const hasStyles = (stream: Writable): boolean => styled(stream, 'bold', '.') !== '.';

/**
 * Reads a secret from standard input (without one trailing line break), or lets a person type it without echo. It is
 * never on the command line, which every user of the machine can read. Throws CommandError if there is no terminal.
 */
export async function readSecret(terminal: Terminal, question: string, fromStdin: boolean): Promise<string> {
  const secret = fromStdin ? (await text(terminal.stdin)).replace(/\r?\n$/, '') : await askSecret(terminal, question);
  if (secret === '') throw wrongUsage('The password is empty.');
  return secret;
}

export async function askSecret({ stdin, stderr }: Terminal, question: string): Promise<string> {
  if (!stdin.isTTY) throw wrongUsage('There is no terminal to ask for the password: use --password-stdin.');
  const silence = new Writable({ write: (_chunk, _encoding, next) => next() });
  const lines = createInterface({ input: stdin, output: silence, terminal: true });
  const aborted = new Promise<never>((_, refuse) => {
    for (const end of ['SIGINT', 'close']) lines.on(end, () => refuse(wrongUsage('Nothing was typed.')));
  });
  stderr.write(`${question}: `);
  try {
    return await Promise.race([lines.question(''), aborted]);
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/**
 * Matches characters that a terminal executes, that reorder text, or that are invisible (control characters,
 * directions, separators, tags). Characters that join letters or hyphenate are not included, because names need them.
 */
const ACTING =
  /[\p{Cc}\p{Zl}\p{Zp}\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/g;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** Makes a foreign text safe for a terminal: one line, with such characters escaped so that they are visible. */
export const visible = (text: string): string => text.replace(BREAKS, ' ').replace(ACTING, escaped);

export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');

/**
 * Writes JSON that is safe on a terminal and keeps its meaning. JSON's own escapes leave most of those characters
 * unescaped.
 */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(ACTING, (character) =>
    character === '\n' ? character : escaped(character),
  );
