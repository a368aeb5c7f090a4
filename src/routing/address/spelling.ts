import { LRUCache } from 'lru-cache';

/** Abbreviations of words that names of cities and districts hold. */
const expansions: Record<string, string> = {
  s: 'sao',
  sto: 'santo',
  sta: 'santa',
  sra: 'senhora',
  sr: 'senhor',
  n: 'nossa',
  nsa: 'nossa',
  jd: 'jardim',
  jrd: 'jardim',
  jdm: 'jardim',
  vl: 'vila',
  pq: 'parque',
  pque: 'parque',
  cid: 'cidade',
  res: 'residencial',
  pres: 'presidente',
  gov: 'governador',
  cel: 'coronel',
  mal: 'marechal',
  gal: 'general',
  gen: 'general',
  cap: 'capitao',
  ten: 'tenente',
  maj: 'major',
  brig: 'brigadeiro',
  sen: 'senador',
  dep: 'deputado',
  eng: 'engenheiro',
  dr: 'doutor',
  prof: 'professor',
  cons: 'conselheiro',
  con: 'conego',
  pe: 'padre',
  mons: 'monsenhor',
  des: 'desembargador',
  vis: 'visconde',
  alm: 'almirante',
};

/** The full word for an abbreviation, or the word itself. */
export function expand(word: string): string {
  return expansions[word] ?? word;
}

const CONNECTORS = new Set(['d', 'da', 'das', 'de', 'do', 'dos', 'e']);
const SAINTS = new Set(['s', 'sao', 'san', 'santo', 'santa', 'sto', 'sta']);

export function isConnector(word: string): boolean {
  return CONNECTORS.has(word);
}

/** Words recur from address to address, and rewriting one takes longer than finding it. */
const loosened = new LRUCache<string, string>({ max: 5_000, memoMethod: loosen });

/** One word as old and new spellings share it: Mogi and Moji, Luiz and Luís, Paraty and Parati, dOeste and Oeste. */
function loosen(word: string): string {
  if (SAINTS.has(word)) return 's';
  return expand(word)
    .replace(/^d(?=oeste$|agua$|abadia$|alcantara$|arco$|alianca$)/, '')
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replaceAll('y', 'i')
    .replaceAll('z', 's')
    .replaceAll('k', 'c')
    .replace(/assu$/, 'acu')
    .replace(/g(?=[ei])/g, 'j')
    .replace(/([a-z])\1/g, '$1');
}

/** A key that spelling variants of one name share; connectors and the form of "saint" do not count. */
export function looseKey(words: readonly string[]): string {
  return words
    .filter((word) => !isConnector(word))
    .map((word) => loosened.memo(word))
    .join(' ');
}
