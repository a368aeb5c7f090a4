/** A shorter name is one letter off too many others. */
const SHORTEST = 5;
const LONGEST = 50;
const letters = [...'abcdefghijklmnopqrstuvwxyz'];

/** The names that a text is one letter off: a letter missing, too many or another, or two swapped. */
export function oneLetterOff(text: string): string[] {
  if (text.length < SHORTEST - 1 || text.length > LONGEST) return [];
  const names = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, letter, next, after] = [text.slice(0, at), text[at], text[at + 1] ?? '', text.slice(at + 1)];
    for (const other of letters) names.add(before + other + text.slice(at));
    if (letter === undefined) continue;
    names.add(before + after).add(before + next + letter + after.slice(1));
    for (const other of letters) names.add(before + other + after);
  }
  names.delete(text);
  return [...names].filter((name) => name.length >= SHORTEST);
}

/** Words that keys leave out, or have in other forms. */
const common = 'de da do das dos sao santo santa rua avenida travessa alameda praca estrada rodovia'.split(' ');

/** The texts that have one of these words where the words have one that is one letter off. */
export const withCommonWord = (words: readonly string[]): string[][] =>
  words.flatMap((word, at) =>
    common.filter((other) => isOneLetterOff(word, other)).map((other) => words.toSpliced(at, 1, other)),
  );

/**
 * Looks up `oneLetterOff` among names, many times faster than one by one: such a name begins or ends with the same
 * half, so that few are compared.
 */
export function oneLetterIndex(names: Iterable<string>): (text: string) => string[] {
  const byHalf = new Map<string, string[]>();
  for (const name of names)
    for (const half of name.length < SHORTEST ? [] : halvesOf(name, name.length))
      byHalf.set(half, [...(byHalf.get(half) ?? []), name]);
  return (text) => {
    if (text.length < SHORTEST - 1 || text.length > LONGEST) return [];
    const halves = [-1, 0, 1].flatMap((more) => halvesOf(text, text.length + more));
    const swapped = halvesOf(withMiddleSwapped(text), text.length);
    const near = [...halves, ...swapped].flatMap((half) => byHalf.get(half) ?? []);
    return [...new Set(near)].filter((name) => isOneLetterOff(text, name));
  };
}

/** The halves of a name of that length which begins or ends as the text. */
const halvesOf = (text: string, length: number): string[] => [
  `${length} ${text.slice(0, length >> 1)}-`,
  `${length} -${text.slice((length >> 1) - length)}`,
];

function withMiddleSwapped(text: string): string {
  const at = text.length >> 1;
  return `${text.slice(0, at - 1)}${text[at]}${text[at - 1]}${text.slice(at + 1)}`;
}

function isOneLetterOff(a: string, b: string): boolean {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  const [left, right] = [a.slice(from), b.slice(from)];
  if (left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1)) return true;
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}
