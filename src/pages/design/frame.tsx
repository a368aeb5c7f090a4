import type { ComponentChildren } from 'preact';
import type { Text } from '../language.js';
import { OtherLanguage, useSay } from '../page.js';
import { formFields } from '../session/visit.js';
import { done, consoleTexts as texts } from '../texts.js';
import { useVisit } from './context.js';
import { HiddenFields, Refusal } from './forms.js';

/** The links of a place, in groups; the first group needs no name. */
type Navigation = readonly (readonly [
  group: Text | undefined,
  links: readonly (readonly [path: string, name: Text])[],
])[];

/** The common parts of a room's pages for people who are signed in. */
export interface Place {
  home: string;
  navigation: Navigation;
  /** The page that a search leads to, which gets it as `q`. */
  search: { path: string; label: Text };
  /** The page of one's own account. */
  account: string;
  signOut: string;
}

interface FrameProps {
  place: Place;
  title: string;
  children: ComponentChildren;
}

/** The frame of a page: who is signed in, the ways to other pages, and what came of the form that was sent. */
export function Frame({ place, title, children }: FrameProps) {
  const { say, refusal, url } = useVisit();
  const message = done[url.searchParams.get('done') ?? ''];
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {say(texts.skip)}
      </a>
      <Bar place={place} />
      <Menu place={place} />
      <main id="content">
        <h1>{title}</h1>
        {refusal && <Refusal refusal={refusal} />}
        {message && (
          <p class="notice good" role="status">
            {say(message)}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

const MENU = 'menu';

/** The button opens the menu by the browser's own means; it is there on a phone only. */
function Bar({ place: { home, search } }: { place: Place }) {
  const { say, url } = useVisit();
  return (
    <header class="bar">
      <Brand href={home} />
      <search>
        <form action={search.path}>
          <label class="visually-hidden" for="q">
            {say(search.label)}
          </label>
          <input
            id="q"
            name="q"
            type="search"
            maxLength={255}
            required
            placeholder={say(search.label)}
            value={url.searchParams.get('q') ?? ''}
          />
          <button type="submit" class="secondary">
            {say(texts.search)}
          </button>
        </form>
      </search>
      <button type="button" class="secondary menu-button" popovertarget={MENU}>
        {say(texts.menu)}
      </button>
    </header>
  );
}

function Menu({ place: { home, navigation, account, signOut } }: { place: Place }) {
  const { say, session, url, formToken } = useVisit();
  const isCurrent = (path: string) => {
    if (path === url.pathname) return 'page';
    return path !== home && url.pathname.startsWith(`${path}/`) ? 'true' : undefined;
  };
  return (
    <nav class="menu" id={MENU} popover="auto" aria-label={say(texts.sections)}>
      {navigation.map(([group, links]) => (
        <>
          {group && <p class="group">{say(group)}</p>}
          <ul>
            {links.map(([path, name]) => (
              <li>
                <a href={path} aria-current={isCurrent(path)}>
                  {say(name)}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
      <div class="who">
        <a href={account}>{session?.email}</a>
        <OtherLanguage query={url.searchParams} />
        <form method="post" action={signOut}>
          <HiddenFields fields={formToken === undefined ? {} : formFields(formToken)} />
          <button type="submit" class="secondary">
            {say(texts.signOut)}
          </button>
        </form>
      </div>
    </nav>
  );
}

const Brand = ({ href }: { href: string }) => (
  <a class="brand" href={href}>
    Malote
  </a>
);

/** The top of a page for everybody; `query` is the rest of the query of its link to the other language. */
export function TopBar({ query }: { query?: Record<string, string> }) {
  const say = useSay();
  return (
    <header class="bar">
      <Brand href="/" />
      <nav aria-label={say(texts.language)}>
        <OtherLanguage {...(query && { query })} />
      </nav>
    </header>
  );
}
