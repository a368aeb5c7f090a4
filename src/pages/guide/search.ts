import { setImmediate as turn } from 'node:timers/promises';
import MiniSearch, { type Options } from 'minisearch';
import { addressOf } from './contents.js';
import type { Page } from './library.js';
import { sectionsIn } from './markdown.js';

// Search in the sections of all pages: here for the form, and in browsers by the same index (assets/guide.js).

interface Entry {
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly words: string;
  readonly excerpt: string;
  /** The reference counts less, as it repeats itself. */
  readonly weight: number;
}

export type Hit = Pick<Entry, 'id' | 'page' | 'heading' | 'excerpt'>;

export interface Search {
  find(query: string): Hit[];
  /** The index, the options that a MiniSearch reads it with, and the words that it leaves out. */
  readonly json: string;
}

/** Words that nobody looks for, which would be an eighth of the index. */
const COMMON_WORDS = new Set(
  [
    'a an and any are as at be but by can do for from has have if in into is it its may no nor not of on or so than',
    'that the their them then there these they this those to until was what when where which who with',
  ].flatMap((line) => line.split(' ')),
);

const options: Options<Entry> = {
  fields: ['page', 'heading', 'words'],
  storeFields: ['page', 'heading', 'excerpt', 'weight'],
  searchOptions: { boost: { page: 3, heading: 5 }, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
};

export const LONGEST_QUERY = 100;
/** Each word costs; a single letter would be the beginning of thousands. */
const MOST_WORDS = 8;
const BETWEEN_WORDS = /[\s\p{P}]+/u;
const MOST_HITS = 30;
const REFERENCE_WEIGHT = 0.2;
const EXCERPT_LENGTH = 90;

/** Adds one page after another, so that other requests get their turns. */
export async function searchIn(pages: readonly Page[]): Promise<Search> {
  const processTerm = (term: string) => (COMMON_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase());
  const index = new MiniSearch({ ...options, processTerm });
  for (const page of pages) {
    index.addAll(entriesOf(page));
    await turn();
  }
  return {
    find: (query) =>
      index
        .search(wordsOf(query), { boostDocument: (_id, _word, stored) => Number(stored?.['weight']) })
        .slice(0, MOST_HITS)
        .map(({ id, page, heading, excerpt }) => ({ id, page, heading, excerpt })),
    json: JSON.stringify({ options, index, common: [...COMMON_WORDS] }),
  };
}

const wordsOf = (query: string): string =>
  query
    .slice(0, LONGEST_QUERY)
    .split(BETWEEN_WORDS)
    .filter(({ length }) => length > 1)
    .slice(0, MOST_WORDS)
    .join(' ');

function entriesOf({ slug, title: page, markdown, group }: Page): Entry[] {
  const weight = group.id === 'reference' && slug !== 'statuses' ? REFERENCE_WEIGHT : 1;
  return sectionsIn(markdown).map(({ id, text: heading, words }) => {
    return { id: `${addressOf(slug)}#${id}`, page, heading, words, excerpt: excerptOf(words), weight };
  });
}

/** The beginning of a text, up to the end of a word. */
export const excerptOf = (text: string): string =>
  text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, EXCERPT_LENGTH).replace(/\s+\S*$/, '')} …`;
