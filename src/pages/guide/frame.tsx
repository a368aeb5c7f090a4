import type { ComponentChildren } from 'preact';
import type { Language } from '../language.js';
import { Document } from '../page.js';
import { groups } from './contents.js';
import type { Page } from './library.js';
import { addressOf } from './links.js';
import type { Rendered } from './markdown.js';
import { type Hit, LONGEST_QUERY } from './search.js';
import { texts } from './texts.js';

interface FrameProps {
  language: Language;
  pages: readonly Page[];
  /** The page that is shown; none on the page of search results. */
  current?: Page;
  title: string;
  description?: string;
  query?: string;
  children: ComponentChildren;
}

/** What stands around each page of the guide. */
function Frame({ language, pages, current, title, description, query = '', children }: FrameProps) {
  const other = language === 'en' ? 'pt-BR' : 'en';
  return (
    <Document
      language={language}
      title={`${title} · Malote`}
      {...(description === undefined ? {} : { description })}
      styles={['guide.css']}
      scripts={['guide.js']}
    >
      <a class="skip" href="#main">
        {texts.skip[language]}
      </a>
      <header class="top">
        <a class="brand" href={addressOf('index')}>
          Malote · {texts.guide[language]}
        </a>
        <search>
          <form action={addressOf('search')}>
            <label class="visually-hidden" for="query">
              {texts.search[language]}
            </label>
            <input
              id="query"
              type="search"
              name="q"
              value={query}
              maxLength={LONGEST_QUERY}
              autocomplete="off"
              required
            />
            <button type="submit">{texts.find[language]}</button>
            <output id="hits" for="query" />
          </form>
        </search>
        <nav aria-label={texts.tools[language]}>
          <a href="#contents" class="to-contents">
            {texts.contents[language]}
          </a>
          <a href="/docs">{texts.explorer[language]}</a>
          <a href="/graphql">{texts.graphiql[language]}</a>
          <a
            href={`?${new URLSearchParams({ ...(query && { q: query }), lang: other })}`}
            lang={other}
            hreflang={other}
          >
            {texts.otherLanguage[language]}
          </a>
        </nav>
      </header>
      <div class="columns">
        <main id="main">
          {children}
          {texts.inEnglish[language] && <p class="note">{texts.inEnglish[language]}</p>}
        </main>
        <nav class="contents" id="contents" aria-label={texts.contents[language]}>
          {groups.map((group) => (
            <section>
              <h2>{texts[group.id][language]}</h2>
              <ul class="links" lang="en">
                {pages
                  .filter((page) => page.group === group)
                  .map((page) => (
                    <li>
                      <a href={addressOf(page.slug)} {...(page === current && { 'aria-current': 'page' })}>
                        {page.title}
                      </a>
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </nav>
      </div>
    </Document>
  );
}

interface GuidePageProps {
  language: Language;
  pages: readonly Page[];
  page: Page;
  rendered: Rendered;
  description: string;
}

/** A list of headings that is longer is closed at first. */
const MOST_SHOWN = 12;

export function GuidePage({ language, pages, page, rendered, description }: GuidePageProps) {
  const at = pages.indexOf(page);
  const [previous, next] = [pages[at - 1], pages[at + 1]];
  const headings = rendered.headings.filter(({ level }) => level === 2 || level === 3);
  return (
    <Frame language={language} pages={pages} current={page} title={page.title} description={description}>
      <h1 id={rendered.title.id} lang="en">
        {rendered.title.text}
      </h1>
      {headings.length > 1 && (
        <details class="on-this-page" open={headings.length <= MOST_SHOWN}>
          <summary>{texts.onThisPage[language]}</summary>
          <ul class="links" lang="en">
            {headings.map(({ id, text, level }) => (
              <li class={`level-${level}`}>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      {/* Rendered of the project's own Markdown, in which HTML is escaped. */}
      <article lang="en" dangerouslySetInnerHTML={{ __html: rendered.html }} />
      <nav class="neighbours" aria-label={texts.neighbours[language]}>
        {previous && (
          <a rel="prev" href={addressOf(previous.slug)}>
            {texts.previous[language]}: <span lang="en">{previous.title}</span>
          </a>
        )}
        {next && (
          <a rel="next" href={addressOf(next.slug)}>
            {texts.next[language]}: <span lang="en">{next.title}</span>
          </a>
        )}
      </nav>
      <p class="note">
        <a href={`/docs/guide/${page.slug}.md`} type="text/markdown">
          {texts.asMarkdown[language]}
        </a>
      </p>
    </Frame>
  );
}

interface ResultsProps {
  language: Language;
  pages: readonly Page[];
  query: string;
  hits: readonly Hit[];
}

export function ResultsPage({ language, pages, query, hits }: ResultsProps) {
  return (
    <Frame language={language} pages={pages} title={texts.results[language]} query={query}>
      <h1>{texts.results[language]}</h1>
      {hits.length === 0 && <p>{texts.noResults[language]}</p>}
      <ol class="results" lang="en">
        {hits.map(({ id, page, heading, excerpt }) => (
          <li>
            <a href={id}>{heading === page ? page : `${page}: ${heading}`}</a>
            <p class="excerpt">{excerpt}</p>
          </li>
        ))}
      </ol>
    </Frame>
  );
}
