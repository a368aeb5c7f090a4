import { type RequestHandler, Router } from 'express';
import { notFound } from '../../base/errors.js';
import { staticFile } from '../../http/reply.js';
import { noteOperation } from '../../http/server/request-log.js';
import { pageErrors } from '../errors.js';
import { pageFile, sendPage } from '../page.js';
import { type Language, languageOf, guideTexts as texts } from '../texts.js';
import type { ConsoleDeps } from '../visit.js';
import { addressOf, groups } from './contents.js';
import { type FrameProps, GuidePage, ResultsPage } from './frame.js';
import { inPortuguese, type Library, linksOf, type Page, readLibrary } from './library.js';
import { render, sectionsIn } from './markdown.js';
import { excerptOf, type Search, searchIn } from './search.js';

const MARKDOWN = 'text/markdown; charset=utf-8';

/** Makes the pages of the guide, by the last part of their address. Each is rendered at its first request and kept. */
function openSite(publicUrl: string) {
  const english = readLibrary();
  const libraries: Record<Language, Library> = { en: english, 'pt-BR': inPortuguese(english) };
  const searches: Partial<Record<Language, Promise<Search>>> = {};
  const search = (language: Language): Promise<Search> => {
    searches[language] ??= searchIn(libraries[language].pages);
    return searches[language];
  };
  const translated = libraries['pt-BR'].pages.filter(({ original }) => original);
  const versionsOf = (language: Language) =>
    libraries[language].pages.map((page) => {
      const isTranslated = translated.some(({ slug }) => slug === page.slug);
      const alternates = isTranslated ? publicUrl + addressOf(page.slug) : undefined;
      return versionOf(page, libraries[language], { language, alternates });
    });
  const portuguese = versionsOf('pt-BR');
  const files: (readonly [string, RequestHandler])[] = [
    ...versionsOf('en').flatMap(({ page, ...version }, at) => [
      [addressOf(page.slug), inLanguage({ en: version, 'pt-BR': portuguese[at] ?? version })] as const,
      [page.source, version.markdown] as const,
    ]),
    ...portuguese
      .map(({ page, markdown }) => [page.source, markdown] as const)
      .filter(([source]) => /pt-BR/.test(source)),
    [`${addressOf('index')}behaviour.md`, textFile(MARKDOWN, () => english.behaviour)],
  ];
  const list = textFile('text/plain; charset=utf-8', () => listForAgents(english.pages, translated));
  for (const path of ['/llms.txt', '/docs/guide/llms.txt']) files.push([path, list]);
  return { libraries, files: new Map(files), search };
}

const textFile = (type: string, load: () => string | Promise<string>): RequestHandler =>
  staticFile(async () => ({ type, body: Buffer.from(await load()) }));

type Version = Record<'html' | 'markdown', RequestHandler>;

function versionOf(page: Page, library: Library, frame: Pick<FrameProps, 'language' | 'alternates'>) {
  const html = staticFile(() => {
    const aliases = page.original ? sectionsIn(page.original.markdown).map(({ id }) => id) : [];
    const samplesLabel = texts.samples[frame.language];
    const rendered = render(page.markdown, { hrefOf: linksOf(page, library), aliases, samplesLabel });
    const description = summaryOf(page);
    return pageFile(<GuidePage {...{ page, pages: library.pages, rendered, description, ...frame }} />);
  });
  return { page, html, markdown: textFile(MARKDOWN, () => page.markdown) };
}

/** Serves the page as HTML, or as Markdown if the client prefers Markdown. */
const inLanguage =
  (versions: Record<Language, Version>): RequestHandler =>
  (req, res, next) => {
    res.vary('Accept, Accept-Language, Cookie');
    const isMarkdown = req.accepts(['text/html', 'text/markdown']) === 'text/markdown';
    // A program that names no language gets English. So does fetch, which sends `*`.
    const namesLanguage = /\w/.test(req.get('accept-language') ?? '');
    const language = languageOf(req, isMarkdown && !namesLanguage ? 'en' : undefined);
    return versions[language][isMarkdown ? 'markdown' : 'html'](req, res, next);
  };

/** Length of a summary. Search engines show about this much. */
const SUMMARY_LENGTH = 160;
const summaryOf = ({ markdown, title }: Page): string =>
  excerptOf(sectionsIn(markdown)[0]?.words || title, SUMMARY_LENGTH);

const CONTRACTS = `## Contracts

- [REST](/docs/openapi.yaml): OpenAPI 3.0, for customers
- [GraphQL](/docs/schema.graphql): SDL, for customers
- [Tracking webhook](/docs/webhooks.openapi.yaml): OpenAPI 3.1, of what is sent to customers
- [Body of the tracking webhook](/docs/tracking-webhook.schema.json): JSON Schema
- [Operator](/docs/operator.openapi.yaml): OpenAPI 3.0, for the carrier
`;

const listed = (pages: readonly Page[]): string =>
  pages.map((page) => `- [${page.title}](${page.source}): ${summaryOf(page)}\n`).join('');

/** Lists the guide and the contracts for programs, in the format of https://llmstxt.org. */
function listForAgents(pages: readonly Page[], translated: readonly Page[]): string {
  const lists = groups.map(
    (group) => `## ${texts[group.id].en}\n\n${listed(pages.filter((page) => page.group === group))}`,
  );
  const all = [...lists, `## Em português\n\n${listed(translated)}`, CONTRACTS].join('\n');
  return `# Malote\n\n> ${pages[0] ? summaryOf(pages[0]) : ''}\n\nThe pages for people are at ${addressOf('index')}.\n\n${all}`;
}

export type GuideDeps = Pick<ConsoleDeps, 'log' | 'publicUrl'>;

/** Serves the guide at `/docs/guide/` and its list at `/llms.txt`. Both are made at the first request. */
export function guideRouter({ log, publicUrl }: GuideDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let opened: ReturnType<typeof openSite> | undefined;
  const site = () => {
    opened ??= openSite(publicUrl);
    return opened;
  };
  router.use(['/docs/guide', '/llms.txt'], (req, _res, next) => {
    noteOperation(req, 'pages', 'readGuide');
    next();
  });
  router.get('/docs/guide', (_req, res) => res.redirect(addressOf('index')));
  router.get('/docs/guide/search', async (req, res) => {
    const { libraries, search } = site();
    const language = languageOf(req);
    const query = String(req.query['q'] ?? '');
    const find = await search(language);
    sendPage(res, <ResultsPage {...{ language, pages: libraries[language].pages, query, hits: find(query) }} />);
  });
  router.get(['/docs/guide/{:file}', '/docs/guide/pt-BR/:file', '/llms.txt'], (req, res, next) => {
    const serve = site().files.get(req.path);
    if (!serve) throw notFound('page');
    return serve(req, res, next);
  });
  router.use(pageErrors(log));
  return router;
}
