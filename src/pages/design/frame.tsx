import type { ComponentChildren } from 'preact';
import { Document, Fixed, OtherLanguage } from '../page.js';
import { done, type Text, consoleTexts as texts } from '../texts.js';
import { formFields, useVisit } from '../visit.js';
import { Say, useSay } from '../written.js';
import { HiddenFields, Refusal } from './forms.js';
import { Icon, iconsOf, Mark } from './icons.js';
import { Copy, LinkLine } from './pieces.js';

interface DocumentOfProps {
  title: string;
  scripts?: readonly string[];
  children: ComponentChildren;
}

/** The document of a page of a place. */
export function PlaceDocument({ title, scripts = [], children }: DocumentOfProps) {
  const { language, say, place } = useVisit();
  const name = place.home === '/console' ? say(texts.console) : 'Malote';
  return <Document {...{ language, scripts, children }} title={`${title} – ${name}`} />;
}

interface PageProps extends Omit<DocumentOfProps, 'title'> {
  title: Text | string;
}

/** A page for people who are signed in: navigation, the result of the sent form, and the content. */
export function Page({ title, scripts = [], children }: PageProps) {
  const { say, refusal, url } = useVisit();
  const message = done[url.searchParams.get('done') ?? ''];
  const heading = typeof title === 'string' ? title : say(title);
  return (
    <PlaceDocument title={heading} scripts={['design.js', ...scripts]}>
      <div class="frame">
        <Skip to="content" />
        <Bar />
        <Menu />
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
      </div>
    </PlaceDocument>
  );
}

/** A page of one record, with forms that change it at the side. */
export const SplitPage = ({ title, side, children }: PageProps & { side: ComponentChildren }) => (
  <Page title={title}>
    <div class="split">
      <div>{children}</div>
      <div>{side}</div>
    </div>
  </Page>
);

interface SecretPageProps extends Record<'text' | 'link', Text>, Record<'secret' | 'back', string> {
  title: Text | string;
  children?: ComponentChildren;
}

/** Shows a secret. It is shown only this once. */
export const SecretPage = ({ title, text, secret, back, link, children }: SecretPageProps) => (
  <Page title={title}>
    <div class="card">
      <p>{useSay()(text)}</p>
      <p class="send">
        <code class="secret">{secret}</code> <Copy value={secret} />
      </p>
      {children}
      <LinkLine href={back} text={link} />
    </div>
  </Page>
);

const MENU = 'menu';

/** The bar at the top. Only phones show its menu button; the browser opens the menu without a script. */
function Bar() {
  const { say, url, place } = useVisit();
  const label = say(place.searchLabel);
  return (
    <header class="bar">
      <Brand href={place.home} />
      <Search
        action={`${place.home}/search`}
        field={{ maxLength: 255, placeholder: label, value: url.searchParams.get('q') ?? '' }}
        label={label}
      >
        <button type="submit" class="secondary">
          <Icon name="search" />
          {say(texts.search)}
        </button>
      </Search>
      <button type="button" class="secondary menu-button" popovertarget={MENU}>
        <Icon name="menu" />
        {say(texts.menu)}
      </button>
    </header>
  );
}

function Menu() {
  const { say, session, url, formToken, place } = useVisit();
  const { home, navigation, account } = place;
  const isCurrent = (path: string) => {
    if (path === url.pathname) return 'page';
    return path !== home && url.pathname.startsWith(`${path}/`) ? 'true' : undefined;
  };
  const paths = navigation.flatMap(([, links]) => links.map(([path]) => path));
  return (
    <nav class="menu" id={MENU} popover="auto" aria-label={say(texts.sections)}>
      <Fixed name={`menu ${home} ${paths.map(isCurrent)}`}>
        {() =>
          navigation.map(([group, links]) => [
            group && <p class="group">{say(group)}</p>,
            <ul>
              {links.map(([path, name]) => (
                <li>
                  <a href={path} aria-current={isCurrent(path)}>
                    <MenuIcon path={path} />
                    {say(name)}
                  </a>
                </li>
              ))}
            </ul>,
          ])
        }
      </Fixed>
      <div class="who">
        <a href={account}>{session?.email}</a>
        <OtherLanguage query={url.searchParams} />
        <form method="post" action={`${home}/sign-out`}>
          <HiddenFields fields={formToken === undefined ? {} : formFields(formToken)} />
          <button type="submit" class="secondary">
            {say(texts.signOut)}
          </button>
        </form>
      </div>
    </nav>
  );
}

/** A link past the top of a page, for people who use a keyboard. */
export const Skip = ({ to }: { to: string }) => (
  <a class="skip" href={`#${to}`}>
    <Say text={texts.skip} />
  </a>
);

interface SearchProps {
  action: string;
  label: string;
  field: { value: string; maxLength: number; placeholder?: string; autocomplete?: string };
  /** The button, and everything else after the field. */
  children: ComponentChildren;
}

export const Search = ({ action, label, field, children }: SearchProps) => (
  <search>
    <form action={action}>
      <label class="visually-hidden" for="search-field">
        {label}
      </label>
      <input id="search-field" name="q" type="search" required {...field} />
      {children}
    </form>
  </search>
);

function MenuIcon({ path }: { path: string }) {
  const name = iconsOf[path.slice(path.lastIndexOf('/') + 1)];
  return name === undefined ? null : <Icon name={name} />;
}

const Brand = ({ href }: { href: string }) => (
  <a class="brand" href={href}>
    <Mark />
    Malote
  </a>
);

/** The top of a public page. `query` has the other parameters of its link to the other language. */
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
