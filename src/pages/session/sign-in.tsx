import type { Router } from 'express';
import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { ComponentChildren, VNode } from 'preact';
import type { Enrolment } from '../../accounts/sessions/enrolment.js';
import type { ConfirmedFactor } from '../../accounts/sessions/sessions.js';
import type { LoginRefusal } from '../../accounts/sign-in.js';
import { ServiceError } from '../../base/errors.js';
import { Alert, Field, PostForm } from '../design/forms.js';
import { Page, PlaceDocument, TopBar } from '../design/frame.js';
import { LinkLine } from '../design/pieces.js';
import { afterPause, type Text, accessTexts as texts } from '../texts.js';
import { type Bare, type Root, rootOf, sessionCookie, signedIn, useVisit, type Visit, VisitContext } from '../visit.js';
import { backField, pageAskedFor, withBack } from './back.js';
import type { Admission } from './place.js';

/** Adds the pages of signing in and out, which lead everybody to the place of the own role. */
export function addSignIn(router: Router, root: Root, { page, action, outside }: Admission): void {
  router.get(`${root}/sign-in`, outside(showSignIn));
  router.post(`${root}/sign-in`, outside(signIn));
  router.get(`${root}/code`, page(showCode, 'code'));
  router.post(`${root}/code`, action(giveCode, 'code'));
  router.post(`${root}/sign-out`, action(signOut, 'any'));
}

/** A page of people who are not signed in yet. */
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
  (['ended', 'changed', 'chosen'] as const).flatMap((name) => (url.searchParams.has(name) ? texts[name] : []))[0];

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

/** Why it failed, in words and as the status of the page. */
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

function keep({ deps, res }: Bare, secret: string): void {
  const { name, options } = sessionCookie(deps);
  res.cookie(name, secret, options);
}

/** After the password of somebody who has a second factor. */
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

export function showSecondFactor({ say, session, deps }: Visit): VNode {
  const isOn = [
    <p>{say(texts.isOn)}</p>,
    <p>
      {say(texts.lost)} <code>malote operators reset-second-factor {session.email}</code>
    </p>,
  ];
  const isOff = (
    <PostForm action="/console/second-factor" submit={texts.begin}>
      <p>{say(deps.requireSecondFactor ? texts.isRequired : texts.isOff)}</p>
    </PostForm>
  );
  return <Page title={texts.codeTitle}>{session.hasSecondFactor ? isOn : isOff}</Page>;
}

export const beginSecondFactor = async (visit: Visit): Promise<VNode> =>
  showEnrolment(visit, await visit.deps.sessions.beginEnrolment(visit.session));

function showEnrolment({ say, res }: Visit, { secret, uri, sealed }: Enrolment, failure?: Text): VNode {
  if (failure) res.status(400);
  const picture = toSvgDataURL(generate(uri), { off: 'white', pad: 4 });
  const digits = { inputMode: 'numeric', maxLength: 16, autocomplete: 'one-time-code' } as const;
  return (
    <Page title={texts.codeTitle}>
      <PostForm action="/console/second-factor/confirmation" submit={texts.confirm} hidden={{ enrolment: sealed }}>
        {failure && <Alert text={failure} />}
        <p>{say(texts.scan)}</p>
        <img class="qr" src={picture} alt={say(texts.picture)} width="240" height="240" />
        <p>
          {say(texts.byHand)} <code class="secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <Field name="code" label={texts.digits} isRequired {...digits} />
        <Field
          name="current_password"
          type="password"
          label={texts.password}
          isRequired
          autocomplete="current-password"
        />
      </PostForm>
    </Page>
  );
}

/** Shows the same enrolment after a wrong code or password, and a new one in place of one that has ended. */
async function showAgain(visit: Visit, sealed: string, failure: Text): Promise<VNode> {
  const { sessions } = visit.deps;
  const begun = sessions.readEnrolment(visit.session, sealed);
  if (begun) return showEnrolment(visit, begun, failure);
  return showEnrolment(visit, await sessions.beginEnrolment(visit.session), texts.enrolmentEnded);
}

export async function confirmSecondFactor(visit: Visit): Promise<VNode | string> {
  const { form, deps } = visit;
  const typed = { enrolment: form.text('enrolment'), code: form.text('code') };
  const given = { ...typed, currentPassword: form.text('current_password') };
  try {
    return showConfirmed(visit, await deps.sessions.confirmEnrolment(visit.session, given));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    const isPassword = error.details.some(({ field }) => field === 'currentPassword');
    return showAgain(visit, typed.enrolment, isPassword ? texts.wrongPassword : texts.wrongCode);
  }
}

function showConfirmed(visit: Visit, { recoveryCodes, session: opened }: ConfirmedFactor): VNode | string {
  if (!opened.ok) return '/console/sign-in';
  const { session } = opened;
  const { say } = visit;
  keep(visit, session.secret);
  // The forms of the page belong to the new session.
  return (
    <VisitContext.Provider value={signedIn(visit, session)}>
      <Page title={texts.recoveryTitle}>
        <p>{say(texts.recovery)}</p>
        <ul class="codes">
          {recoveryCodes.map((code) => (
            <li>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <LinkLine href="/console" text={texts.next} />
      </Page>
    </VisitContext.Provider>
  );
}
