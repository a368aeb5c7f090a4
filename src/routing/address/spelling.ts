import abbreviations from '../data/abbreviations.json' with { type: 'json' };

const expansions = new Map(Object.entries(abbreviations.words));

/** The full word for an abbreviation in names of cities and districts, or the word itself. */
export const expand = (word: string): string => expansions.get(word) ?? word;

/** The words with abbreviations written out. Undefined if they have no abbreviation. */
export const expanded = (words: readonly string[]): string[] | undefined =>
  words.some((word) => expansions.has(word)) ? words.map(expand) : undefined;

const CONNECTORS = new Set(['d', 'da', 'das', 'de', 'do', 'dos', 'e']);
const SAINTS = new Set(['s', 'sao', 'san', 'santo', 'santa', 'sto', 'sta']);

export const isConnector = (word: string): boolean => CONNECTORS.has(word);

const spell = (word: string) => ({ loose: loosen(word), full: expand(word), isConnector: isConnector(word) });

/** Cache of spellings, by word. Words recur from address to address, and a look-up is faster than rewriting. */
const spellings = new Map<string, ReturnType<typeof spell>>();
const MAX_SPELLINGS = 20_000;

function spellingOf(word: string): ReturnType<typeof spell> {
  const known = spellings.get(word);
  if (known) return known;
  if (spellings.size === MAX_SPELLINGS) spellings.clear();
  const spelling = spell(word);
  spellings.set(word, spelling);
  return spelling;
}

/** The form that old and new spellings of a word share: Mogi and Moji, Luiz and Luís, Paraty and Parati. */
function loosen(word: string): string {
  if (SAINTS.has(word)) return 's';
  if (word.length === 1) return expand(word);
  // A code has only one spelling.
  if (/\d/.test(word)) return word;
  return expand(word)
    .replace(/^d(?=oeste$|agua$|abadia$|alcantara$|arco$|alianca$)/, '')
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replaceAll('y', 'i')
    .replaceAll('z', 's')
    .replaceAll('k', 'c')
    .replaceAll('w', 'v')
    .replaceAll('ct', 't')
    .replaceAll('pt', 't')
    .replace(/assu$/, 'acu')
    .replace(/eia$/, 'ea')
    .replace(/aes$/, 'ais')
    .replace(/oel$/, 'uel')
    .replace(/g(?=[ei])/g, 'j')
    .replace(/([a-z])\1/g, '$1');
}

/** The key that all spellings of a name share. Connectors do not count (but `Rua D`), nor the form of "saint". */
export function looseKey(words: readonly string[]): string {
  let key = '';
  let before = '';
  for (let at = 0; at < words.length; at++) {
    const { loose, full, isConnector } = spellingOf(words[at] ?? '');
    if (isConnector && at < words.length - 1) continue;
    const isSenhora = before === 'nossa' && full === 'senhora';
    if (!isSenhora) key = key === '' ? loose : `${key} ${loose}`;
    before = full;
  }
  return key;
}
