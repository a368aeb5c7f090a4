import type { ComponentChildren } from 'preact';
import { statusOf } from '../../base/errors.js';
import type { Text } from '../language.js';
import { Document, OtherLanguage, sendPage } from '../page.js';
import { type Bare, formFields, type Visit } from '../session/visit.js';
import { done, navigation, consoleTexts as texts } from '../texts.js';
import { HiddenFields, Refusal, VisitContext } from './components.js';

function Header({ visit: { say, session, url, formToken } }: { visit: Visit }) {
  return (
    <header>
      <p class="brand">
        <a href="/console">Malote</a>
      </p>
      <nav aria-label={say(texts.sections)}>
        <ul>
          {Object.entries(navigation).map(([path, name]) => (
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
        <OtherLanguage query={url.searchParams} />
        <form method="post" action="/console/sign-out">
          <HiddenFields fields={formFields(formToken)} />
          <button type="submit">{say(texts.signOut)}</button>
        </form>
      </div>
    </header>
  );
}

interface ShowOptions {
  status?: number;
  /** Names of files under `/assets/`. */
  scripts?: readonly string[];
}

/** Sends a page of the console, for components that ask for the visit. */
export function sendConsolePage(
  visit: Bare,
  title: string,
  body: ComponentChildren,
  { status = 200, scripts = [] }: ShowOptions,
): void {
  const { language, say, res } = visit;
  const page = (
    <Document {...{ language, scripts }} title={`${title} – ${say(texts.console)}`} styles={['console.css']}>
      <VisitContext.Provider value={visit}>{body}</VisitContext.Provider>
    </Document>
  );
  sendPage(res, page, { status });
}

/** Sends a page to an operator, with the refusal of the form that was sent, whose status it has. */
export function show(visit: Visit, title: Text | string, children: ComponentChildren, options: ShowOptions = {}): void {
  const { say, refusal, url } = visit;
  const heading = typeof title === 'string' ? title : say(title);
  const message = done[url.searchParams.get('done') ?? ''];
  const body = (
    <>
      <a class="skip" href="#content">
        {say(texts.skip)}
      </a>
      <Header visit={visit} />
      <main id="content">
        <h1>{heading}</h1>
        {refusal && <Refusal refusal={refusal} />}
        {message && (
          <p class="notice good" role="status">
            {say(message)}
          </p>
        )}
        {children}
      </main>
    </>
  );
  sendConsolePage(visit, heading, body, { ...(refusal && { status: statusOf(refusal.code) }), ...options });
}
