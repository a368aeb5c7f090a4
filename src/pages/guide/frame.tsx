import type { ComponentChildren } from 'preact';
import { Search, Skip } from '../design/frame.js';
import { Mark } from '../design/icons.js';
import { Document, OtherLanguage } from '../page.js';
import { consoleTexts as copyTexts, type Language, type Text, guideTexts as texts } from '../texts.js';
import { useSay } from '../written.js';
import { addressOf, groups } from './contents.js';
import type { Page } from './library.js';
import type { Rendered } from './markdown.js';
import { type Hit, MAX_QUERY_LENGTH } from './search.js';

export interface FrameProps {
  language: Language;
  pages: readonly Page[];
  /** The shown page. Undefined for search results. */
  current?: Page;
  title: string;
  description?: string;
  /** Address of a translated page without a language. */
  alternates?: string | undefined;
  query?: string;
  children: ComponentChildren;
}

function Frame({ language, pages, current, title, description, alternates, query = '', children }: FrameProps) {
  const note = current?.language === 'en' && texts.inEnglish[language];
  return (
    <Document
      {...{ language, description, alternates }}
      title={`${title} · Malote`}
      styles={['guide.css']}
      scripts={['design.js', 'guide.js']}
    >
      <Header query={query} />
      <div class="columns">
        <main id="main">
          {children}
          {note && <p class="note">{note}</p>}
        </main>
        <Contents pages={pages} current={current} />
      </div>
    </Document>
  );
}

function Header({ query }: { query: string }) {
  const say = useSay();
  return (
    <>
      <Skip to="main" />
      <header class="top">
        <a class="brand" href={addressOf('index')}>
          <Mark />
          Malote · {say(texts.guide)}
        </a>
        <Search
          action={addressOf('search')}
          label={say(texts.search)}
          field={{ maxLength: MAX_QUERY_LENGTH, autocomplete: 'off', value: query }}
        >
          <button type="submit">{say(texts.find)}</button>
          <output id="hits" for="search-field" />
        </Search>
        <nav aria-label={say(texts.tools)}>
          <a href="#contents" class="to-contents">
            {say(texts.contents)}
          </a>
          <a href="/docs">{say(texts.explorer)}</a>
          <a href="/graphql">{say(texts.graphiql)}</a>
          <OtherLanguage query={query ? { q: query } : {}} />
        </nav>
      </header>
    </>
  );
}

function Contents({ pages, current }: { pages: readonly Page[]; current: Page | undefined }) {
  const say = useSay();
  return (
    <nav class="contents" id="contents" aria-label={say(texts.contents)}>
      {groups.map((group) => (
        <section>
          <h2>{say(texts[group.id])}</h2>
          <ul class="links">
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <PageEntry page={page} isCurrent={page === current} />
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

const PageEntry = ({ page: { language, slug, title }, isCurrent }: { page: Page; isCurrent?: boolean }) => (
  <li lang={language}>
    <a href={addressOf(slug)} aria-current={isCurrent ? 'page' : undefined}>
      {title}
    </a>
  </li>
);

/** A page with more headings than this shows their list closed. */
const MAX_SHOWN = 12;

interface GuidePageProps extends Pick<FrameProps, 'language' | 'pages' | 'description' | 'alternates'> {
  page: Page;
  rendered: Rendered;
}

export function GuidePage({ page, rendered, ...frame }: GuidePageProps) {
  const { language, pages } = frame;
  const at = pages.indexOf(page);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  const headings = rendered.headings.filter(({ level }) => level === 2 || level === 3);
  return (
    <Frame {...frame} current={page} title={page.title}>
      <h1 id={rendered.title.id} lang={page.language}>
        {rendered.title.text}
      </h1>
      {headings.length > 1 && (
        <details class="on-this-page" open={headings.length <= MAX_SHOWN}>
          <summary>{texts.onThisPage[language]}</summary>
          <ul class="links" lang={page.language}>
            {headings.map(({ id, text, level }) => (
              <li class={`level-${level}`}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      {/* Rendered of the project's own Markdown, in which HTML is escaped. */}
      <article
        lang={page.language}
        data-label={copyTexts.copy[language]}
        data-copied={copyTexts.copied[language]}
        dangerouslySetInnerHTML={{ __html: rendered.html }}
      />
      <nav class="neighbours" aria-label={texts.neighbours[language]}>
        {previous && <Neighbour rel="prev" text={texts.previous} page={previous} />}
        {next && <Neighbour rel="next" text={texts.next} page={next} />}
      </nav>
      <p class="note">
        <a href={page.source} type="text/markdown">
          {texts.asMarkdown[language]}
        </a>
      </p>
    </Frame>
  );
}

const Neighbour = ({ rel, text, page }: { rel: string; text: Text; page: Page }) => (
  <a rel={rel} href={addressOf(page.slug)}>
    {useSay()(text)}: <span lang={page.language}>{page.title}</span>
  </a>
);

interface ResultsProps extends Pick<FrameProps, 'language' | 'pages' | 'query'> {
  hits: readonly Hit[];
}

export function ResultsPage({ hits, ...frame }: ResultsProps) {
  const { language, pages } = frame;
  const start = pages.filter(({ group }) => group.id === 'start');
  return (
    <Frame {...frame} title={texts.results[language]}>
      <h1>{texts.results[language]}</h1>
      {hits.length === 0 && [
        <p>{`${texts.noResults[language]} ${texts.searchAgain[language]}`}</p>,
        <ul>
          {start.map((page) => (
            <PageEntry page={page} />
          ))}
        </ul>,
      ]}
      <ol class="results">
        {hits.map(({ id, page, heading, excerpt, lang }) => (
          <li lang={lang}>
            <a href={id}>{heading === page ? page : `${page}: ${heading}`}</a>
            <p class="excerpt">{excerpt}</p>
          </li>
        ))}
      </ol>
    </Frame>
  );
}
