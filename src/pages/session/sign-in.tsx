import type { Router } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import type { LoginRefusal } from '../../accounts/sign-in.js';
import { Alert, Field, PostForm } from '../design/forms.js';
import { PlaceDocument, TopBar } from '../design/frame.js';
import { afterPause, type Text, accessTexts as texts } from '../texts.js';
import { type Bare, type Root, rootOf, sessionCookie, useVisit, type Visit } from '../visit.js';
import { backField, pageAskedFor, withBack } from './back.js';
import type { Admission } from './place.js';

/** Adds the pages of sign-in and sign-out. They send each person to the pages of their own role. */
export function addSignIn(router: Router, root: Root, { page, action, outside }: Admission): void {
  router.get(`${root}/sign-in`, outside(showSignIn));
  router.post(`${root}/sign-in`, outside(signIn));
  router.get(`${root}/code`, page(showCode, 'code'));
  router.post(`${root}/code`, action(giveCode, 'code'));
  router.post(`${root}/sign-out`, action(signOut, 'any'));
}

/** A page for people who are not signed in yet. */
export function Outside({
  title,
  failure,
  children,
}: {
  title: Text;
  failure: Text | undefined;
  children: ComponentChildren;
}) {
  const heading = useVisit().say(title);
  return (
    <PlaceDocument title={heading}>
      <TopBar />
      <main id="content" class="card outside">
        <h1>{heading}</h1>
        {failure && <Alert text={failure} />}
        {children}
      </main>
    </PlaceDocument>
  );
}

const noteOf = ({ url }: Bare): Text | undefined =>
  (['ended', 'changed', 'chosen', 'demanded', 'factorRemoved'] as const).flatMap((name) =>
    url.searchParams.has(name) ? texts[name] : [],
  )[0];

const showSignIn = (visit: Bare, failure = noteOf(visit)): VNode => (
  <Outside title={texts.signIn} failure={failure}>
    <PostForm action={`${visit.place.home}/sign-in`} submit={texts.signIn} hidden={backField(visit)}>
      <Field name="email" type="email" label={texts.email} isRequired autocomplete="username" />
      <Field name="password" type="password" label={texts.password} isRequired autocomplete="current-password" />
    </PostForm>
    <p class="hint">
      {visit.say(visit.place.home === '/envios' ? texts.forgottenByShipper : texts.forgottenByOperator)}
    </p>
  </Outside>
);

/** Says why sign-in failed, and sets the status of the page. */
function failureOf(refusal: LoginRefusal, wrong: Text, { res }: Bare): Text {
  if (refusal.reason === 'credentials') {
    res.status(401);
    return wrong;
  }
  const { retryAfterSeconds: seconds } = refusal;
  res.status(429).set('Retry-After', String(seconds));
  return afterPause(texts.budget, seconds);
}

async function signIn(visit: Bare): Promise<VNode | string> {
  const { deps, form, req } = visit;
  const opened = await deps.sessions.signIn(form.text('email').trim(), form.text('password'), req.ip ?? '');
  if (!opened.ok) return showSignIn(visit, failureOf(opened, texts.wrong, visit));
  keep(visit, opened.session.secret);
  const root = rootOf(opened.session);
  const page = pageAskedFor(visit, root);
  return opened.session.isAdmitted ? page : root + withBack('/code', page, root);
}

export function keep({ deps, res }: Bare, secret: string): void {
  const { name, options } = sessionCookie(deps);
  res.cookie(name, secret, options);
}

/** Asks for the code of the second factor after the password. */
const showCode = (visit: Visit, failure?: Text): VNode => (
  <Outside title={texts.codeTitle} failure={failure}>
    <PostForm action={`${visit.place.home}/code`} submit={texts.next} hidden={backField(visit)}>
      <Field name="code" label={texts.code} hint={texts.codeHint} isRequired autocomplete="one-time-code" />
    </PostForm>
  </Outside>
);

async function giveCode(visit: Visit): Promise<VNode | string> {
  const { deps, form, req, place } = visit;
  const opened = await deps.sessions.giveCode(visit.session, form.text('code'), req.ip ?? '');
  if (!opened.ok) return showCode(visit, failureOf(opened, texts.wrongCode, visit));
  keep(visit, opened.session.secret);
  return pageAskedFor(visit, place.home);
}

async function signOut({ deps, session, res, place }: Visit): Promise<string> {
  await deps.sessions.end(session);
  const { name, options } = sessionCookie(deps);
  res.clearCookie(name, options);
  return `${place.home}/sign-in`;
}
