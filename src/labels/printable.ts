/** Shown for what cannot be: a control character, a code point that means nothing, more marks than a letter can carry. */
export const REPLACEMENT = '\u{fffd}';

const SPACES = /[\s\u0085]+/gu;
/** Unicode's own list of what has no appearance, such as marks of direction; a non-joiner stays, for it parts letters. */
const INVISIBLE = /(?!\u200c)\p{Default_Ignorable_Code_Point}/gu;
const MEANINGLESS = /[\p{Cc}\p{Co}\p{Cn}\p{Cs}]/gu;
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * The text as it can stand on one line: composed letters, single spaces, and a visible replacement for what has no form. Never empty
 * unless the text is.
 */
export function printable(text: string): string {
  const shown = text
    .normalize('NFC')
    .replace(SPACES, ' ')
    .replace(INVISIBLE, '')
    .replace(MEANINGLESS, REPLACEMENT)
    .replace(MANY_MARKS, `$1${REPLACEMENT}`)
    .trim();
  return shown === '' && text !== '' ? REPLACEMENT : shown;
}

const segmenter = new Intl.Segmenter('pt-BR', { granularity: 'grapheme' });

/** What a reader takes for one character. */
export const charactersOf = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);
