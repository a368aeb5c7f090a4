import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { staticFile } from '../../http/reply.js';
import { type Language, languageOf } from '../language.js';
import { pageFile } from '../page.js';
import { guideTexts as texts } from '../texts.js';
import { addressOf, groups } from './contents.js';
import { GuidePage } from './frame.js';
import { type Library, linksIn, type Page, readLibrary } from './library.js';
import { render, sectionsIn } from './markdown.js';
import { excerptOf, type Search, searchIn } from './search.js';

/** The guide as it is served: each file is rendered at its first request, and kept. */
export interface Site {
  readonly pages: readonly Page[];
  /** By the last part of the address; the landing page's is empty. */
  readonly files: ReadonlyMap<string, RequestHandler>;
  search(): Promise<Search>;
}

const MARKDOWN = 'text/markdown; charset=utf-8';

export function openSite(): Site {
  const library = readLibrary();
  const { pages, behaviour } = library;
  let made: Promise<Search> | undefined;
  const search = (): Promise<Search> => {
    made ??= searchIn(pages);
    return made;
  };
  const files: (readonly [string, RequestHandler])[] = [
    ...pages.map((page) => [page.slug === 'index' ? '' : page.slug, pageHandler(page, library)] as const),
    ...pages.map(({ slug, markdown }) => [`${slug}.md`, textFile(MARKDOWN, () => markdown)] as const),
    ['behaviour.md', textFile(MARKDOWN, () => behaviour)],
    ['llms.txt', textFile('text/plain; charset=utf-8', () => listForAgents(pages))],
    ['search.json', textFile('application/json', async () => (await search()).json)],
    ['minisearch.js', textFile('text/javascript; charset=utf-8', () => readFile(minisearch, 'utf8'))],
  ];
  return { pages, files: new Map(files), search };
}

const minisearch = new URL(import.meta.resolve('minisearch'));

const textFile = (type: string, load: () => string | Promise<string>): RequestHandler =>
  staticFile(async () => ({ type, body: Buffer.from(await load()) }));

function pageHandler(page: Page, library: Library): RequestHandler {
  const inLanguage = (language: Language): RequestHandler =>
    staticFile(() => {
      const rendered = render(page.markdown, linksIn(library));
      const description = summaryOf(page);
      return pageFile(<GuidePage {...{ language, page, pages: library.pages, rendered, description }} />);
    });
  const handlers: Record<Language, RequestHandler> = { 'pt-BR': inLanguage('pt-BR'), en: inLanguage('en') };
  return (req, res, next) => {
    res.vary('Accept-Language');
    return handlers[languageOf(req)](req, res, next);
  };
}

const summaryOf = ({ markdown, title }: Page): string => excerptOf(sectionsIn(markdown)[0]?.words || title);

/** The guide as a list of Markdown files, as https://llmstxt.org has it. */
function listForAgents(pages: readonly Page[]): string {
  const lists = groups.map((group) => {
    const listed = pages.filter((page) => page.group === group);
    const lines = listed.map((page) => `- [${page.title}](/docs/guide/${page.slug}.md): ${summaryOf(page)}`);
    return `## ${texts[group.id].en}\n\n${lines.join('\n')}\n`;
  });
  return `# Malote\n\n> ${pages[0] ? summaryOf(pages[0]) : ''}\n\nThe pages for people are at ${addressOf('index')}.\n\n${lists.join('\n')}`;
}
