import type { Router } from 'express';
import type { ComponentChildren } from 'preact';
import type { LoginRefusal } from '../../../accounts/sign-in.js';
import { Alert, Field, PostForm, TopBar } from '../../design/index.js';
import type { Text } from '../../language.js';
import type { Admission } from '../../session/place.js';
import { sendPlacePage } from '../../session/show.js';
import { type Bare, type Root, redirect, rootOf, sessionCookie, type Visit } from '../../session/visit.js';
import { accessTexts as texts } from '../../texts.js';

interface Failure {
  failure?: Text | undefined;
  status?: number;
}

/** Adds the pages of signing in and out, which lead everybody to the place of the own role. */
export function addSignIn(router: Router, root: Root, { page, action, outside }: Admission): void {
  router.get(`${root}/sign-in`, outside(showSignIn));
  router.post(`${root}/sign-in`, outside(signIn));
  router.get(`${root}/code`, page(showCode, 'code'));
  router.post(`${root}/code`, action(giveCode, 'code'));
  router.post(`${root}/sign-out`, action(signOut, 'any'));
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
  sendPlacePage(visit, heading, body, { status });
}

function showSignIn(visit: Bare, failed: Failure = {}): void {
  const failure = failed.failure ?? (visit.url.searchParams.has('ended') ? texts.ended : undefined);
  showOutside(
    visit,
    texts.signIn,
    { ...failed, failure },
    <PostForm action={`${visit.root}/sign-in`} submit={texts.signIn}>
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

async function signIn(visit: Bare): Promise<void> {
  const { deps, form, req } = visit;
  const opened = await deps.sessions.signIn(form.text('email').trim(), form.text('password'), req.ip ?? '');
  if (!opened.ok) return showSignIn(visit, failureOf(opened, texts.wrong, visit));
  keep(visit, opened.session.secret);
  redirect(visit, rootOf(opened.session) + (opened.session.isAdmitted ? '' : '/code'));
}

export function keep({ deps, res }: Bare, secret: string): void {
  const { name, options } = sessionCookie(deps);
  res.cookie(name, secret, options);
}

/** After the password of somebody who has a second factor. */
function showCode(visit: Visit, failed: Failure = {}): void {
  showOutside(
    visit,
    texts.codeTitle,
    failed,
    <PostForm action={`${visit.root}/code`} submit={texts.next}>
      <Field name="code" label={texts.code} hint={texts.codeHint} isRequired autocomplete="one-time-code" />
    </PostForm>,
  );
}

async function giveCode(visit: Visit): Promise<void> {
  const { deps, form, req } = visit;
  const opened = await deps.sessions.giveCode(visit.session, form.text('code'), req.ip ?? '');
  if (!opened.ok) return showCode(visit, failureOf(opened, texts.wrongCode, visit));
  keep(visit, opened.session.secret);
  redirect(visit, visit.root);
}

async function signOut(visit: Visit): Promise<void> {
  await visit.deps.sessions.end(visit.session);
  const { name, options } = sessionCookie(visit.deps);
  visit.res.clearCookie(name, options);
  redirect(visit, `${visit.root}/sign-in`);
}
