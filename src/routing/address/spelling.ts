import abbreviations from '../data/abbreviations.json' with { type: 'json' };

const expansions = new Map(Object.entries(abbreviations.words));

/** The full word for an abbreviation in names of cities and districts, or the word itself. */
export const expand = (word: string): string => expansions.get(word) ?? word;

const CONNECTORS = new Set(['d', 'da', 'das', 'de', 'do', 'dos', 'e']);
const SAINTS = new Set(['s', 'sao', 'san', 'santo', 'santa', 'sto', 'sta']);

export const isConnector = (word: string): boolean => CONNECTORS.has(word);

/** Words recur from address to address, and rewriting one takes longer than finding it. */
const loosened = new Map<string, string>();
const MOST_LOOSENED = 20_000;

function loosenedOnce(word: string): string {
  const known = loosened.get(word);
  if (known !== undefined) return known;
  if (loosened.size === MOST_LOOSENED) loosened.clear();
  const loose = loosen(word);
  loosened.set(word, loose);
  return loose;
}

/** The form that old and new spellings of a word share: Mogi and Moji, Luiz and Luís, Paraty and Parati. */
function loosen(word: string): string {
  if (SAINTS.has(word)) return 's';
  if (word.length === 1) return expand(word);
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

/** A key that spelling variants of one name share; connectors, but `Rua D`, and the form of "saint" do not count. */
export function looseKey(words: readonly string[]): string {
  let key = '';
  let before = '';
  words.forEach((word, at) => {
    if (isConnector(word) && at < words.length - 1) return;
    const isSenhora = expand(before) === 'nossa' && expand(word) === 'senhora';
    if (!isSenhora) key += `${key && ' '}${loosenedOnce(word)}`;
    before = word;
  });
  return key;
}
