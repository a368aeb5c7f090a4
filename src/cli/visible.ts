/**
 * Characters that a terminal acts on, that reorder their neighbours, or that cannot be seen (control characters,
 * directions, separators, tags). Those that join letters or hyphenate belong to names.
 */
const ACTING =
  /[\p{Cc}\p{Zl}\p{Zp}\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]/g;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** A text of other people on one line, as a person may see it on a terminal: all of it is read, none of it acts. */
export const visible = (text: string): string => text.replace(BREAKS, ' ').replace(ACTING, escaped);

export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');

/** JSON that is safe to look at, and means the same: its own escapes leave most of those characters as they are. */
export const visibleJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(ACTING, (character) =>
    character === '\n' ? character : escaped(character),
  );
