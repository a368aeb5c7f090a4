import type { Router } from 'express';
import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { ComponentChildren, VNode } from 'preact';
import type { Enrolment } from '../../accounts/sessions/enrolment.js';
import type { ConfirmedFactor } from '../../accounts/sessions/sessions.js';
import { ServiceError } from '../../base/errors.js';
import { requestIdOf } from '../../http/server/request-log.js';
import { Alert, Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { LinkLine } from '../design/pieces.js';
import { type Text, accessTexts as texts } from '../texts.js';
import { type Root, signedIn, type Visit, VisitContext } from '../visit.js';
import type { Admission } from './place.js';
import { keep } from './sign-in.js';

// Lets a person set up a second factor, at the console and at /envios. A session that must have one can do only this.

/** Adds the pages at which a person sets up a second factor. */
export function addSecondFactor(router: Router, root: Root, { page, action }: Admission, showOn: ShowOn): void {
  router.get(
    `${root}/second-factor`,
    page((visit) => showSecondFactor(visit, showOn), 'enrolment'),
  );
  router.post(`${root}/second-factor`, action(beginSecondFactor, 'enrolment'));
  router.post(`${root}/second-factor/confirmation`, action(confirmSecondFactor, 'enrolment'));
}

/** Tells a person how to remove the second factor. */
type ShowOn = (visit: Visit) => ComponentChildren;

function showSecondFactor(visit: Visit, showOn: ShowOn): VNode {
  const { say, session, place } = visit;
  const isOn = [<p>{say(texts.isOn)}</p>, showOn(visit)];
  const isOff = (
    <PostForm action={`${place.home}/second-factor`} submit={texts.begin}>
      <p>{say(whyOf(visit))}</p>
    </PostForm>
  );
  return <Page title={texts.codeTitle}>{session.hasSecondFactor ? isOn : isOff}</Page>;
}

/** Says why the person should or must have a second factor. */
function whyOf({ session: { role, mustEnrol }, deps }: Visit): Text {
  if (role === 'customer') return mustEnrol ? texts.isDemanded : texts.isOffForShippers;
  return deps.requireSecondFactor ? texts.isRequired : texts.isOff;
}

const beginSecondFactor = async (visit: Visit): Promise<VNode> =>
  showEnrolment(visit, await visit.deps.sessions.beginEnrolment(visit.session));

function showEnrolment({ say, res, place }: Visit, { secret, uri, sealed }: Enrolment, failure?: Text): VNode {
  if (failure) res.status(400);
  const picture = toSvgDataURL(generate(uri), { off: 'white', pad: 4 });
  const digits = { inputMode: 'numeric', maxLength: 16, autocomplete: 'one-time-code' } as const;
  return (
    <Page title={texts.codeTitle}>
      <PostForm
        action={`${place.home}/second-factor/confirmation`}
        submit={texts.confirm}
        hidden={{ enrolment: sealed }}
      >
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

/** After a wrong code or password, shows the same enrolment again. If it has ended, shows a new one. */
async function showAgain(visit: Visit, sealed: string, failure: Text): Promise<VNode> {
  const { sessions } = visit.deps;
  const begun = sessions.readEnrolment(visit.session, sealed);
  if (begun) return showEnrolment(visit, begun, failure);
  return showEnrolment(visit, await sessions.beginEnrolment(visit.session), texts.enrolmentEnded);
}

async function confirmSecondFactor(visit: Visit): Promise<VNode | string> {
  const { form, deps } = visit;
  const typed = { enrolment: form.text('enrolment'), code: form.text('code') };
  const given = { ...typed, currentPassword: form.text('current_password') };
  try {
    return showConfirmed(visit, await deps.sessions.confirmEnrolment(visit.session, given, requestIdOf(visit.req)));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'VALIDATION_ERROR') throw error;
    const isPassword = error.details.some(({ field }) => field === 'currentPassword');
    return showAgain(visit, typed.enrolment, isPassword ? texts.wrongPassword : texts.wrongCode);
  }
}

function showConfirmed(visit: Visit, { recoveryCodes, session: opened }: ConfirmedFactor): VNode | string {
  const { say, place } = visit;
  if (!opened.ok) return `${place.home}/sign-in`;
  const { session } = opened;
  keep(visit, session.secret);
  // Confirmation opened a new session, so the forms of this page carry its token.
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
        <LinkLine href={place.home} text={texts.next} />
      </Page>
    </VisitContext.Provider>
  );
}
