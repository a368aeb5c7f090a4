import type { ComponentChildren } from 'preact';
import type { LoginRefusal } from '../../../accounts/sign-in.js';
import { Alert, Field, PostForm, TopBar } from '../../design/index.js';
import type { Text } from '../../language.js';
import { type Bare, redirect, sessionCookie, type Visit } from '../../session/visit.js';
import { accessTexts as texts } from '../../texts.js';
import { sendConsolePage } from '../frame.js';

interface Failure {
  failure?: Text | undefined;
  status?: number;
}

/** A page of people who are not signed in yet. */
function showOutside(visit: Bare, title: Text, { failure, status = 200 }: Failure, children: ComponentChildren): void {
  const heading = visit.say(title);
  const body = (
    <>
      <TopBar />
      <main id="content" class="card outside">
        <h1>{heading}</h1>
        {failure && <Alert text={failure} />}
        {children}
      </main>
    </>
  );
  sendConsolePage(visit, heading, body, { status });
}

export function showSignIn(visit: Bare, failed: Failure = {}): void {
  const failure = failed.failure ?? (visit.url.searchParams.has('ended') ? texts.ended : undefined);
  showOutside(
    visit,
    texts.signIn,
    { ...failed, failure },
    <PostForm action="/console/sign-in" submit={texts.signIn}>
      <Field name="email" type="email" label={texts.email} isRequired autocomplete="username" />
      <Field name="password" type="password" label={texts.password} isRequired autocomplete="current-password" />
    </PostForm>,
  );
}

function failureOf(refusal: LoginRefusal, wrong: Text, visit: Bare): Failure {
  if (refusal.reason === 'credentials') return { failure: wrong, status: 401 };
  visit.res.set('Retry-After', String(refusal.retryAfterSeconds));
  return { failure: texts.budget, status: 429 };
}

export async function signIn(visit: Bare): Promise<void> {
  const { deps, form, req } = visit;
  const opened = await deps.sessions.signIn(form.text('email').trim(), form.text('password'), req.ip ?? '');
  if (!opened.ok) return showSignIn(visit, failureOf(opened, texts.wrong, visit));
  keep(visit, opened.session.secret);
  redirect(visit, opened.session.isAdmitted ? '/console' : '/console/code');
}

export function keep({ deps, res }: Bare, secret: string): void {
  const { name, options } = sessionCookie(deps);
  res.cookie(name, secret, options);
}

/** After the password of an operator who has a second factor. */
export function showCode(visit: Visit, failed: Failure = {}): void {
  showOutside(
    visit,
    texts.codeTitle,
    failed,
    <PostForm action="/console/code" submit={texts.next}>
      <Field name="code" label={texts.code} hint={texts.codeHint} isRequired autocomplete="one-time-code" />
    </PostForm>,
  );
}

export async function giveCode(visit: Visit): Promise<void> {
  const { deps, form, req } = visit;
  const opened = await deps.sessions.giveCode(visit.session, form.text('code'), req.ip ?? '');
  if (!opened.ok) return showCode(visit, failureOf(opened, texts.wrongCode, visit));
  keep(visit, opened.session.secret);
  redirect(visit, '/console');
}

export async function signOut(visit: Visit): Promise<void> {
  await visit.deps.sessions.end(visit.session);
  const { name, options } = sessionCookie(visit.deps);
  visit.res.clearCookie(name, options);
  redirect(visit, '/console/sign-in');
}
