import { setImmediate as turn } from 'node:timers/promises';
import MiniSearch, { type Options } from 'minisearch';
import type { Language } from '../texts.js';
import { addressOf } from './contents.js';
import type { Page } from './library.js';
import { sectionsIn } from './markdown.js';

// Searches the sections of all pages: for the search form, and while a person types (assets/guide.js).

interface Entry {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly words: string;
  readonly excerpt: string;
  readonly lang: Language;
  /** The reference pages have a low weight, because they repeat themselves. */
  readonly weight: number;
}

export type Hit = Pick<Entry, 'id' | 'page' | 'heading' | 'excerpt' | 'lang'>;

export type Search = (query: string) => Hit[];

/** Words that the search ignores. */
const COMMON_WORDS = new Set(
  [
    'a an and any are as at be but by can do does for from get has have how if in into is it its may my no nor not of',
    'on or so than that the their them then there these they this those to until was what when where which who with',
    'ao as com como da das de do dos em eu fazer meu minha na nas nos os ou para por posso qual quais quando que se',
    'sem ser sua um uma',
  ].flatMap((line) => line.split(' ')),
);

/** Groups of words with a similar meaning, in both languages. Each word also finds the others of its line. */
const alike = [
  'cancel cancellation cancelar cancelamento',
  'refund reembolso estorno cancel cancelar return devolucao devolver',
  'return devolucao devolver',
  'key chave credential credencial',
  'order pedido',
  'package parcel pacote encomenda',
  'price cost preco custo custa tarifa frete',
  'address endereco',
  'label etiqueta',
  'tracking rastreio rastreamento rastrear acompanhar',
  'error erro falha',
  'limit limite',
  'login entrar autenticacao authentication',
  'password senha',
  'retry repeat repetir tentativa',
  'delivery entrega',
  'recipient destinatario',
  'signature assinatura',
  'notification notificacao aviso webhook callback',
  'test testar teste sandbox',
  'invoice nfe nota fiscal',
].map((line) => line.split(' '));

/** The form of a word in the index: `Devolução` becomes `devolucao`. */
const plain = (word: string): string => word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

const options: Options<Entry> = {
  processTerm: (term) => (COMMON_WORDS.has(plain(term)) ? null : plain(term)),
  fields: ['page', 'heading', 'words'],
  storeFields: ['page', 'heading', 'excerpt', 'lang', 'weight'],
  searchOptions: { boost: { page: 3, heading: 5 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
};

export const MAX_QUERY_LENGTH = 100;
/** Maximum number of words in a query. Each word costs a look-up, and words of one letter would match thousands. */
const MAX_WORDS = 8;
const BETWEEN_WORDS = /[\s\p{P}]+/u;
const MAX_HITS = 30;
const REFERENCE_WEIGHT = 0.2;
const EXCERPT_LENGTH = 90;

/** Builds the index page by page, so that other requests are served in between. */
export async function searchIn(pages: readonly Page[]): Promise<Search> {
  const index = new MiniSearch(options);
  for (const page of pages) {
    index.addAll(entriesOf(page));
    await turn();
  }
  return (query) =>
    index
      .search(
        { combineWith: 'AND', queries: wordsOf(query).map((word) => ({ combineWith: 'OR', queries: likeOf(word) })) },
        { boostDocument: (_id, _word, stored) => Number(stored?.['weight']) },
      )
      .slice(0, MAX_HITS)
      .map(({ id, page, heading, excerpt, lang }) => ({ id, page, heading, excerpt, lang }));
}

const wordsOf = (query: string): string[] =>
  query
    .slice(0, MAX_QUERY_LENGTH)
    .split(BETWEEN_WORDS)
    .filter((word) => word.length > 1 && !COMMON_WORDS.has(plain(word)))
    .slice(0, MAX_WORDS);

/** The word and the words that it also finds. */
const likeOf = (word: string): string[] => [
  word,
  ...alike.filter((words) => words.includes(plain(word))).flatMap((words) => words.filter((each) => each !== word)),
];

function entriesOf({ slug, title: page, markdown, group, language: lang }: Page): Entry[] {
  const weight = group.id === 'reference' && slug !== 'statuses' ? REFERENCE_WEIGHT : 1;
  return sectionsIn(markdown).map(({ id, text: heading, words }) => {
    return { id: `${addressOf(slug)}#${id}`, page, heading, words, excerpt: excerptOf(words), lang, weight };
  });
}

/** The beginning of a text. It ends with a sentence if possible, else with a whole word and `…`. */
export function excerptOf(text: string, length = EXCERPT_LENGTH): string {
  const beginning = text.slice(0, length);
  if (beginning === text) return text;
  return /^.*[.!?](?= )/.exec(beginning)?.[0] ?? `${beginning.replace(/\s+\S*$/, '')} …`;
}
