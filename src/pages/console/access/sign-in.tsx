import type { ComponentChildren } from 'preact';
import type { LoginRefusal } from '../../../accounts/sign-in.js';
import type { Text } from '../../language.js';
import { Document, sendPage } from '../../page.js';
import { Field, HiddenFields } from '../components.js';
import type { Form } from '../forms.js';
import { texts as shared } from '../texts.js';
import { type Bare, type ConsoleDeps, formFields, redirect, sessionCookie, type Visit } from '../visit.js';
import { texts } from './texts.js';

interface NoticeProps {
  title: Text;
  /** Why the last attempt failed. */
  failure?: Text | undefined;
  status?: number;
}

/** A page of those who are not signed in yet. */
function showOutside(visit: Bare, { title, failure, status = 200 }: NoticeProps, children: ComponentChildren): void {
  const { say, language } = visit;
  const page = (
    <Document language={language} title={`${say(title)} – ${say(shared.console)}`} styles={['console.css']}>
      <main id="content" class="outside">
        <p class="brand">Malote</p>
        <h1>{say(title)}</h1>
        {failure && (
          <p class="notice bad" role="alert">
            {say(failure)}
          </p>
        )}
        {children}
        <p>
          <a href={`?lang=${language === 'en' ? 'pt-BR' : 'en'}`} lang={language === 'en' ? 'pt-BR' : 'en'}>
            {say(shared.otherLanguage)}
          </a>
        </p>
      </main>
    </Document>
  );
  sendPage(visit.res, page, { status });
}

/** `GET /console/sign-in` */
export function showSignIn(visit: Bare, refused: Omit<NoticeProps, 'title'> = {}): void {
  const failure = refused.failure ?? (visit.url.searchParams.has('ended') ? texts.ended : undefined);
  showOutside(
    visit,
    { title: texts.signIn, ...refused, failure },
    <form method="post" action="/console/sign-in">
      <Field visit={visit} name="email" type="email" label={texts.email} isRequired autocomplete="username" />
      <Field
        visit={visit}
        name="password"
        type="password"
        label={texts.password}
        isRequired
        autocomplete="current-password"
      />
      <p class="send">
        <button type="submit">{visit.say(texts.signIn)}</button>
      </p>
    </form>,
  );
}

function failureOf(refusal: LoginRefusal, wrong: Text, visit: Bare): Omit<NoticeProps, 'title'> {
  if (refusal.reason === 'credentials') return { failure: wrong, status: 401 };
  visit.res.set('Retry-After', String(refusal.retryAfterSeconds));
  return { failure: texts.budget, status: 429 };
}

/** `POST /console/sign-in` */
export async function signIn(deps: ConsoleDeps, visit: Bare, form: Form): Promise<void> {
  const opened = await deps.sessions.signIn(form.text('email').trim(), form.text('password'), visit.req.ip ?? '');
  if (!opened.ok) return showSignIn(visit, failureOf(opened, texts.wrong, visit));
  keep(deps, visit, opened.session.secret);
  redirect(visit, opened.session.isAdmitted ? '/console' : '/console/code');
}

/** Has the browser hold the session. */
export function keep(deps: ConsoleDeps, { res }: Pick<Bare, 'res'>, secret: string): void {
  const { name, options } = sessionCookie(deps);
  res.cookie(name, secret, options);
}

/** `GET /console/code`, after the password of an operator who has a second factor. */
export function showCode(visit: Visit, refused: Omit<NoticeProps, 'title'> = {}): void {
  showOutside(
    visit,
    { title: texts.codeTitle, ...refused },
    <form method="post" action="/console/code">
      <HiddenFields fields={formFields(visit)} />
      <Field
        visit={visit}
        name="code"
        label={texts.code}
        hint={texts.codeHint}
        isRequired
        autocomplete="one-time-code"
      />
      <p class="send">
        <button type="submit">{visit.say(texts.next)}</button>
      </p>
    </form>,
  );
}

/** `POST /console/code` */
export async function giveCode(deps: ConsoleDeps, visit: Visit, form: Form): Promise<void> {
  const opened = await deps.sessions.giveCode(visit.session, form.text('code'), visit.req.ip ?? '');
  if (!opened.ok) return showCode(visit, failureOf(opened, texts.wrongCode, visit));
  keep(deps, visit, opened.session.secret);
  redirect(visit, '/console');
}

/** `POST /console/sign-out` */
export async function signOut(deps: ConsoleDeps, visit: Visit): Promise<void> {
  await deps.sessions.end(visit.session);
  const { name, options } = sessionCookie(deps);
  visit.res.clearCookie(name, options);
  redirect(visit, '/console/sign-in');
}
