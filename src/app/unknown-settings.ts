/** Matches variables that Kubernetes and Docker add for a service of the same name. */
const LINK = /_(SERVICE_(HOST|PORT)(_.*)?|PORT(_\d+_.*)?)$/;
const NAME = /^[A-Z][A-Z\d_]*$/;
const MAX_SLIPS = 2;
/** Shorter names are too similar to others, as HOME and HOST are. */
const SHORTEST = 8;
const MIN_WORDS = 3;

/** The names in an environment that look like settings of the service but are not, such as `RATE_LIMIT_PER_HOUR`. */
export function unknownSettings(env: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const isMeant = (name: string) => name.startsWith('MALOTE_') || known.some((setting) => resembles(name, setting));
  return Object.entries(env)
    .filter(([name, value]) => value !== '' && NAME.test(name) && !known.includes(name) && !LINK.test(name))
    .flatMap(([name]) => (isMeant(name) ? [name] : []));
}

function resembles(name: string, setting: string): boolean {
  const [letters, meant] = [name.replaceAll('_', ''), setting.replaceAll('_', '')];
  if (letters === meant) return true;
  const isNear = Math.abs(letters.length - meant.length) <= MAX_SLIPS;
  if (isNear && meant.length >= SHORTEST && slips(letters, meant) <= MAX_SLIPS) return true;
  const words = name.split('_');
  return words.length >= MIN_WORDS && areInOrder(words, setting.split('_'));
}

/** Computes the Levenshtein distance: the number of letters to change, remove or add. */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === otherLetter ? 0 : 1)));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

function areInOrder(words: readonly string[], others: readonly string[]): boolean {
  let from = 0;
  return words.every((word) => {
    from = others.indexOf(word, from) + 1;
    return from > 0;
  });
}
