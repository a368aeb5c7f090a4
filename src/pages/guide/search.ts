import { setImmediate as turn } from 'node:timers/promises';
import MiniSearch, { type Options } from 'minisearch';
import type { Language } from '../texts.js';
import { addressOf } from './contents.js';
import type { Page } from './library.js';
import { sectionsIn } from './markdown.js';

// Search in the sections of all pages, for the form, and for browsers while one types (assets/guide.js).

interface Entry {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly words: string;
  readonly excerpt: string;
  readonly lang: Language;
  /** The reference counts less, as it repeats itself. */
  readonly weight: number;
}

export type Hit = Pick<Entry, 'id' | 'page' | 'heading' | 'excerpt' | 'lang'>;

export type Search = (query: string) => Hit[];

/** Words that nobody looks for. */
const COMMON_WORDS = new Set(
  [
    'a an and any are as at be but by can do does for from get has have how if in into is it its may my no nor not of',
    'on or so than that the their them then there these they this those to until was what when where which who with',
    'ao as com como da das de do dos em eu fazer meu minha na nas nos os ou para por posso qual quais quando que se',
    'sem ser sua um uma',
  ].flatMap((line) => line.split(' ')),
);

/** Words that find texts about the other words of their line, in both languages. */
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

/** A word as it is looked up: `Devolução` as `devolucao`. */
const plain = (word: string): string => word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');

const options: Options<Entry> = {
  processTerm: (term) => (COMMON_WORDS.has(plain(term)) ? null : plain(term)),
  fields: ['page', 'heading', 'words'],
  storeFields: ['page', 'heading', 'excerpt', 'lang', 'weight'],
  searchOptions: { boost: { page: 3, heading: 5 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
};

export const MAX_QUERY_LENGTH = 100;
/** Each word costs a look-up. A single letter would begin thousands of words. */
const MAX_WORDS = 8;
const BETWEEN_WORDS = /[\s\p{P}]+/u;
const MAX_HITS = 30;
const REFERENCE_WEIGHT = 0.2;
const EXCERPT_LENGTH = 90;

/** Adds one page after another, so that other requests get their turns. */
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

/** The word, and those that it finds too. */
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

/** The beginning of a text, up to the end of a sentence where there is one, else of a word. */
export function excerptOf(text: string, length = EXCERPT_LENGTH): string {
  const beginning = text.slice(0, length);
  if (beginning === text) return text;
  return /^.*[.!?](?= )/.exec(beginning)?.[0] ?? `${beginning.replace(/\s+\S*$/, '')} …`;
}
