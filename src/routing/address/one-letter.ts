import { hashOf } from '../places/name-hash.js';

/** The least letters of a name. A shorter one is one letter off too many others. */
const SHORTEST = 5;
const LONGEST = 50;
const alphabet = [...' abcdefghijklmnopqrstuvwxyz'];

/**
 * Finds known names that differ from a text by one letter: missing, added or replaced, or two swapped. Of some thousand
 * candidates it builds only those with a known hash.
 */
export function oneLetterOff(text: string, isKnown: (hash: number) => boolean): string[] {
  const { length } = text;
  if (length < SHORTEST - 1 || length > LONGEST) return [];
  const names = new Set<string>();
  for (let at = 0, before = hashOf(''); at <= length; before = hashOf(text, before, at, ++at)) {
    const offer = (letters: string, from: number): void => {
      if (isKnown(hashOf(text, hashOf(letters, before), from)))
        names.add(text.slice(0, at) + letters + text.slice(from));
    };
    for (const letter of alphabet) {
      offer(letter, at);
      if (at < length) offer(letter, at + 1);
    }
    if (at < length) offer('', at + 1);
    if (at < length - 1) offer(`${text[at + 1]}${text[at]}`, at + 2);
  }
  names.delete(text);
  return [...names].filter((name) => name.length >= SHORTEST);
}

/** Words that keys leave out, or spell in another way. */
const common = 'de da do das dos sao santo santa rua avenida travessa alameda praca estrada rodovia'.split(' ');

/** Replaces a word that is one letter off one of these common words. Returns one text per replacement. */
export const withCommonWord = (words: readonly string[]): string[][] =>
  words.flatMap((word, at) =>
    common.filter((other) => isOneLetterOff(word, other)).map((other) => words.toSpliced(at, 1, other)),
  );

function isOneLetterOff(a: string, b: string): boolean {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [left, right] = [a.slice(from), b.slice(from)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}
