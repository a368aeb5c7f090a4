import type { Library } from './library.js';
import type { HrefOf } from './markdown.js';

const BASE = '/docs/guide/';

export const addressOf = (slug: string): string => (slug === 'index' ? BASE : `${BASE}${slug}`);

/** Where links lead that are written as between the files of contracts/guides. Throws where there is no such page. */
export function linksIn({ pages, pagesOfAnchors }: Library): HrefOf {
  const slugs = new Set(pages.map(({ slug }) => slug));
  const chapterPage = (anchor?: string) => (anchor === undefined ? 'index' : pagesOfAnchors.get(anchor));
  return (target) => {
    if (/^(https?:|mailto:|\/|#)/.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    if (path.startsWith('../')) return `/docs/${path.slice('../'.length)}`;
    const file = path.replace(/\.md$/, '');
    const slug = file === 'behaviour' ? chapterPage(anchor) : file;
    if (slug === undefined || !slugs.has(slug)) throw new Error(`The guide links ${target}, which is no page of it.`);
    return addressOf(slug) + (anchor === undefined ? '' : `#${anchor}`);
  };
}
