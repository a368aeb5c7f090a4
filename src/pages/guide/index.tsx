import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';
import { notFound } from '../../base/errors.js';
import type { Logger } from '../../base/log.js';
import { staticFile } from '../../http/reply.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { type Language, languageOf } from '../language.js';
import { pageFile, sendPage } from '../page.js';
import { guideTexts as texts } from '../texts.js';
import { addressOf, groups } from './contents.js';
import { GuidePage, ResultsPage } from './frame.js';
import { type Library, linksIn, type Page, readLibrary } from './library.js';
import { render, sectionsIn } from './markdown.js';
import { excerptOf, type Search, searchIn } from './search.js';

const MARKDOWN = 'text/markdown; charset=utf-8';

/** The guide as it is served, by the last part of an address: each file is rendered at its first request, and kept. */
function openSite() {
  const library = readLibrary();
  const { pages, behaviour } = library;
  let made: Promise<Search> | undefined;
  const search = (): Promise<Search> => {
    made ??= searchIn(pages);
    return made;
  };
  const files: (readonly [string, RequestHandler])[] = [
    ...pages.flatMap((page) => {
      const markdown = textFile(MARKDOWN, () => page.markdown);
      const name = page.slug === 'index' ? '' : page.slug;
      return [[name, pageHandler(page, library, markdown)] as const, [`${page.slug}.md`, markdown] as const];
    }),
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

/** The page as HTML, or as Markdown for a client that would rather have that. */
function pageHandler(page: Page, library: Library, markdown: RequestHandler): RequestHandler {
  const inLanguage = (language: Language): RequestHandler =>
    staticFile(() => {
      const rendered = render(page.markdown, linksIn(library));
      const description = summaryOf(page);
      return pageFile(<GuidePage {...{ language, page, pages: library.pages, rendered, description }} />);
    });
  const handlers: Record<Language, RequestHandler> = { 'pt-BR': inLanguage('pt-BR'), en: inLanguage('en') };
  return (req, res, next) => {
    res.vary('Accept, Accept-Language');
    const isMarkdown = req.accepts(['text/html', 'text/markdown']) === 'text/markdown';
    return (isMarkdown ? markdown : handlers[languageOf(req)])(req, res, next);
  };
}

const summaryOf = ({ markdown, title }: Page): string => excerptOf(sectionsIn(markdown)[0]?.words || title);

const CONTRACTS = `## Contracts

- [REST](/docs/openapi.yaml): OpenAPI 3.0, for customers
- [GraphQL](/docs/schema.graphql): SDL, for customers
- [Tracking webhook](/docs/webhooks.openapi.yaml): OpenAPI 3.1, of what is sent to customers
- [Body of the tracking webhook](/docs/tracking-webhook.schema.json): JSON Schema
- [Operator](/docs/operator.openapi.yaml): OpenAPI 3.0, for the carrier
`;

/** Guide and contracts as a list of files for programs, as https://llmstxt.org has it. */
function listForAgents(pages: readonly Page[]): string {
  const lists = groups.map((group) => {
    const listed = pages.filter((page) => page.group === group);
    const lines = listed.map((page) => `- [${page.title}](/docs/guide/${page.slug}.md): ${summaryOf(page)}`);
    return `## ${texts[group.id].en}\n\n${lines.join('\n')}\n`;
  });
  return `# Malote\n\n> ${pages[0] ? summaryOf(pages[0]) : ''}\n\nThe pages for people are at ${addressOf('index')}.\n\n${[...lists, CONTRACTS].join('\n')}`;
}

export interface GuideDeps {
  log: Logger;
}

/** `/docs/guide/` and `/llms.txt`: the guide for integrators, made at the first request. */
export function guideRouter({ log }: GuideDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let opened: ReturnType<typeof openSite> | undefined;
  const site = () => {
    opened ??= openSite();
    return opened;
  };
  router.use(['/docs/guide', '/llms.txt'], (req, _res, next) => {
    noteOperation(req, 'pages', 'readGuide');
    next();
  });
  router.get('/docs/guide', (_req, res) => res.redirect(addressOf('index')));
  router.get('/docs/guide/search', async (req, res) => {
    const { pages, search } = site();
    const query = String(req.query['q'] ?? '');
    const language = languageOf(req);
    sendPage(res, <ResultsPage {...{ language, pages, query, hits: (await search()).find(query) }} />);
  });
  router.get(['/docs/guide/{:file}', '/llms.txt'], (req, res, next) => {
    const serve = site().files.get(req.path.split('/').at(-1) ?? '');
    if (!serve) throw notFound('page');
    return serve(req, res, next);
  });
  router.use(pageErrors(log));
  return router;
}
