import type { ComponentChildren } from 'preact';
import { statusOf } from '../../base/errors.js';
import { Document, sendPage } from '../page.js';
import { HiddenFields, Refusal } from './components.js';
import type { RefusalError } from './operations.js';
import { done, sections, texts } from './texts.js';
import { formFields, type Visit } from './visit.js';

interface FrameProps {
  visit: Visit;
  title: string;
  /** Why what was just tried did not happen. */
  refusal?: RefusalError | undefined;
  scripts: readonly string[];
  children: ComponentChildren;
}

const languageLink = ({ url, language }: Visit): string => {
  const query = new URLSearchParams(url.searchParams);
  query.set('lang', language === 'en' ? 'pt-BR' : 'en');
  return `?${query}`;
};

/** What stands around every page of an operator who is signed in. */
function Frame({ visit, title, refusal, scripts, children }: FrameProps) {
  const { say, session, url } = visit;
  const message = done[url.searchParams.get('done') ?? ''];
  return (
    <Document
      language={visit.language}
      title={`${title} – ${say(texts.console)}`}
      styles={['console.css']}
      scripts={scripts}
    >
      <a class="skip" href="#content">
        {say(texts.skip)}
      </a>
      <header>
        <p class="brand">
          <a href="/console">Malote</a>
        </p>
        <nav aria-label={say(texts.sections)}>
          <ul>
            {sections.map(({ path, name }) => (
              <li>
                <a href={path} aria-current={path === url.pathname ? 'page' : undefined}>
                  {say(name)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <search>
          <form action="/console/search">
            <label class="visually-hidden" for="q">
              {say(texts.searchLabel)}
            </label>
            <input
              id="q"
              name="q"
              type="search"
              maxLength={255}
              required
              placeholder={say(texts.searchLabel)}
              value={url.searchParams.get('q') ?? ''}
            />
            <button type="submit">{say(texts.search)}</button>
          </form>
        </search>
        <div class="who">
          <a href="/console/second-factor">{session.email}</a>
          <a href={languageLink(visit)} lang={visit.language === 'en' ? 'pt-BR' : 'en'}>
            {say(texts.otherLanguage)}
          </a>
          <form method="post" action="/console/sign-out">
            <HiddenFields fields={formFields(visit)} />
            <button type="submit">{say(texts.signOut)}</button>
          </form>
        </div>
      </header>
      <main id="content">
        <h1>{title}</h1>
        {refusal && <Refusal visit={visit} refusal={refusal} />}
        {message && (
          <p class="notice good" role="status">
            {say(message)}
          </p>
        )}
        {children}
      </main>
    </Document>
  );
}

interface ShowOptions {
  /** Shown above the page, whose status it is. */
  refusal?: RefusalError | undefined;
  status?: number;
  /** Names of files under `/assets/`. */
  scripts?: readonly string[];
}

/** Sends a page to an operator. */
export function show(
  visit: Visit,
  title: string,
  children: ComponentChildren,
  { refusal, status = refusal ? statusOf(refusal.code) : 200, scripts = [] }: ShowOptions = {},
): void {
  const page = (
    <Frame visit={visit} title={title} refusal={refusal} scripts={scripts}>
      {children}
    </Frame>
  );
  sendPage(visit.res, page, { status });
}
