import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import operator from '../../../generated/operator.openapi.json' with { type: 'json' };
import rest from '../../../generated/rest.openapi.json' with { type: 'json' };
import { sdl } from '../../../generated/schema.js';
import { trackingSchema } from '../../../generated/tracking-webhook.js';
import { root } from '../../base/root.js';
import { fieldsOf } from '../../base/values.js';
import { resolve } from '../../validation/document.js';
import type { Language } from '../texts.js';
import { addressOf, type Draft, type Group, groups, homes } from './contents.js';
import { type HrefOf, outsideFences, slugOf } from './markdown.js';
import { graphqlDrafts } from './reference/graphql.js';
import { openapiDrafts } from './reference/openapi.js';
import { json, schemaSection } from './reference/schemas.js';
import { bodySample, takerOf } from './samples.js';

// Reads the pages of the guide as Markdown: from contracts/guides, the contracts and CHANGELOG.md.

export interface Page extends Draft {
  readonly title: string;
  readonly group: Group;
  /** Language of the text. */
  readonly language: Language;
  /** Address of the page as Markdown. */
  readonly source: string;
  /** The English page, if this page is a translation. */
  readonly original?: Page;
}

export interface Library {
  readonly pages: readonly Page[];
  /** The slug of the page for each anchor of contracts/guides/behaviour.md. */
  readonly pagesOfAnchors: ReadonlyMap<string, string>;
  /** The whole text of contracts/guides/behaviour.md. */
  readonly behaviour: string;
}

const TRANSLATIONS = 'pt-BR';

export function readLibrary(): Library {
  const { behaviour = '', ...files } = readGuides('.');
  const drafts = new Map(Object.entries(files));
  const pagesOfAnchors = new Map<string, string>();
  for (const chapter of behaviour.split(/^(?=## )/m).slice(1)) {
    const [name = '', ...others] = headingsOf(chapter).map(slugOf);
    const home = homes[name] ?? name;
    for (const anchor of [name, ...others]) pagesOfAnchors.set(anchor, home);
    const above = drafts.get(home);
    drafts.set(home, above === undefined ? promoted(chapter) : `${above}\n${chapter}`);
  }
  const pages = groups.flatMap((group) => draftsOf(group, drafts).map((draft) => pageOf(draft, group)));
  return { pages, pagesOfAnchors, behaviour };
}

const pageOf = (draft: Draft, group: Group): Page => ({
  ...draft,
  group,
  title: headingsOf(draft.markdown)[0] ?? '',
  language: 'en',
  source: `/docs/guide/${draft.slug}.md`,
});

/** The library with Portuguese pages instead of English ones, where a translation exists. */
export function inPortuguese(library: Library): Library {
  const texts = readGuides(TRANSLATIONS);
  const pages = library.pages.map((original) => {
    const text = texts[original.slug];
    if (text === undefined) return original;
    const page = pageOf({ slug: original.slug, markdown: withExamples(text) }, original.group);
    const source = `/docs/guide/${TRANSLATIONS}/${page.slug}.md`;
    return { ...page, language: 'pt-BR' as const, source, original };
  });
  return { ...library, pages };
}

function readGuides(path: string): Record<string, string> {
  const folder = new URL(`contracts/guides/${path}/`, root);
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const texts = names.map((name) => [name.replace('.md', ''), readFileSync(new URL(name, folder), 'utf8')] as const);
  return Object.fromEntries(texts);
}

function draftsOf({ id, slugs }: Group, written: ReadonlyMap<string, string>): Draft[] {
  const listed = new Set(groups.flatMap((group) => group.slugs));
  const further = id === 'guides' ? [...written.keys()].filter((slug) => !listed.has(slug)) : [];
  const drafts = [...slugs, ...further].map((slug) => ({ slug, markdown: withExamples(written.get(slug) ?? '') }));
  if (id === 'reference') return [...drafts, ...referenceDrafts()];
  return id === 'changes' ? [...drafts, changelog()] : drafts;
}

function headingsOf(markdown: string): string[] {
  const headings: string[] = [];
  outsideFences(markdown, (part) => {
    headings.push(...[...part.matchAll(/^#+ +(.*?) *$/gm)].map(([, heading = '']) => heading));
    return part;
  });
  return headings;
}

/** Makes a page of a chapter: each heading moves one level up. */
const promoted = (chapter: string): string => outsideFences(chapter, (part) => part.replaceAll(/^#(?=#+ )/gm, ''));

/** Matches a paragraph that is only a link to a file of contracts/examples, or to an example in openapi.yaml. */
const LONE_LINK =
  /^\[[^\]]+\]\((?:\.\.\/)+(?:(?<file>examples\/[\w/-]+\.(?<kind>\w+))|openapi\.yaml#\/components\/examples\/(?<name>\w+))\):?$/gm;

/** Adds each linked example below the paragraph of its link. */
const withExamples = (markdown: string): string =>
  markdown.replaceAll(LONE_LINK, (paragraph, ...match) => {
    const { file, kind = 'json', name = '' } = match.at(-1);
    if (file === undefined) return `${paragraph}\n\n${inContract(name)}`;
    const text = readFileSync(new URL(`contracts/${file}`, root), 'utf8');
    return `${paragraph}\n\n\`\`\`${kind}\n${text.trim()}\n\`\`\``;
  });

function inContract(name: string): string {
  const examples: Readonly<Record<string, { value: unknown }>> = rest.components.examples;
  const example = examples[name];
  if (!example) throw new Error(`openapi.yaml has no example ${name}`);
  const taker = takerOf(name);
  return taker === undefined ? json(example.value) : bodySample(taker, name, JSON.stringify(example.value, null, 2));
}

const ABOUT_CHANGES = `What changed for clients of the interfaces in the latest versions. All interfaces have one version, and follow
[Semantic Versioning](https://semver.org); what is deprecated, and for how long, is said [here](behaviour.md#rest-over-http).`;

/**
 * The number of versions in the changelog, including the unreleased one. More would make the page large; CHANGELOG.md
 * has them all.
 */
const LATEST_VERSIONS = 4;

/**
 * Makes a page of the latest versions in CHANGELOG.md. Parts with a heading that ends in "for operators" are left out.
 */
function changelog(): Draft {
  const [, ...versions] = readFileSync(new URL('CHANGELOG.md', root), 'utf8').split(/^(?=## )/m);
  const latest = versions.slice(0, LATEST_VERSIONS).map(publicPart).join('');
  return { slug: 'changelog', markdown: `# Changelog\n\n${ABOUT_CHANGES}\n\n${latest}` };
}

const publicPart = (version: string): string =>
  version
    .split(/^(?=### )/m)
    .filter((part) => !/^### .* for operators$/m.test(part))
    .join('')
    .replace(/^## \[(.+?)\]/, '## $1')
    .replaceAll(/^\[[^\]]+\]: .*$/gm, '')
    .replaceAll('](contracts/guides/', '](')
    // Links to other files of the repository become plain text, since those files are not published.
    .replaceAll(/\[([^\]]+)\]\((?!https:|[\w-]+\.md)[^)]*\)/g, '$1');

/** Turns links between files of contracts/guides into addresses. Throws for a page that does not exist. */
export function linksOf({ language }: Page, { pages, pagesOfAnchors }: Library): HrefOf {
  const bySlug = new Map(pages.map((page) => [page.slug, page]));
  const folder = language === 'en' ? '.' : TRANSLATIONS;
  const chapterPage = (anchor?: string) => (anchor === undefined ? 'index' : pagesOfAnchors.get(anchor));
  return (target) => {
    if (/^(https?:|mailto:|\/|#)/.test(target)) {
      const [, slug = '', chapter = ''] = /^\/docs\/guide\/([\w-]+)#(.+)$/.exec(target) ?? [];
      const isInEnglish = bySlug.get(slug)?.original && pagesOfAnchors.has(chapter);
      return isInEnglish ? target.replace('#', '?lang=en#') : target;
    }
    const [written = '', anchor] = target.split('#');
    const path = posix.join(folder, written);
    if (path.startsWith('../')) return `/docs/${path.slice('../'.length)}`;
    const file = posix.basename(path, '.md');
    const page = bySlug.get((file === 'behaviour' ? chapterPage(anchor) : file) ?? '');
    if (!page) throw new Error(`The guide links ${target}, which is no page of it.`);
    // Only English pages contain the chapters of contracts/guides/behaviour.md.
    const inEnglish = file === 'behaviour' && page.original ? '?lang=en' : '';
    return addressOf(page.slug) + inEnglish + (anchor === undefined ? '' : `#${anchor}`);
  };
}

/** Makes the reference pages of all contracts, from the output of codegen. */
const referenceDrafts = (): Draft[] => [
  ...openapiDrafts(rest, 'rest', 'REST'),
  ...graphqlDrafts(sdl),
  webhookDraft(),
  ...openapiDrafts(operator, 'operator', 'Operator', rest, 'rest'),
];

function webhookDraft(): Draft {
  const { examples, definitions, ...body } = fieldsOf(trackingSchema);
  const resolved = (value: unknown) => fieldsOf(resolve(trackingSchema, value));
  const schemas = [['TrackingPayload', body] as const, ...Object.entries(fieldsOf(definitions))];
  const sections = schemas.map(([name, schema]) => schemaSection(name, fieldsOf(schema), resolved));
  const example = [examples].flat()[0];
  return {
    slug: 'webhook-body',
    markdown: ['# Webhook: the body', INTRODUCTION, ...sections, '## Example', json(example)].join('\n\n'),
  };
}

const INTRODUCTION = 'What a receiver gets. How it is sent, signed and repeated is said [here](webhook.md).';
