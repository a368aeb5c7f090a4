import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { VNode } from 'preact';
import type { Enrolment } from '../../../accounts/sessions/enrolment.js';
import { ServiceError } from '../../../base/errors.js';
import { Alert, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { LinkLine } from '../../design/pieces.js';
import { signedIn, type Visit, VisitContext } from '../../session/visit.js';
import { type Text, accessTexts as texts } from '../../texts.js';
import { keep } from './sign-in.js';

export function showSecondFactor({ say, session, deps }: Visit): VNode {
  const isOn = (
    <>
      <p>{say(texts.isOn)}</p>
      <p>
        {say(texts.lost)} <code>malote operators reset-second-factor {session.email}</code>
      </p>
    </>
  );
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
      </PostForm>
    </Page>
  );
}

/** Shows the same enrolment after a wrong code, and a new one in place of one that has ended. */
async function showAgain(visit: Visit, sealed: string): Promise<VNode> {
  const { sessions } = visit.deps;
  const begun = sessions.readEnrolment(visit.session, sealed);
  if (begun) return showEnrolment(visit, begun, texts.wrongCode);
  return showEnrolment(visit, await sessions.beginEnrolment(visit.session), texts.enrolmentEnded);
}

export async function confirmSecondFactor(visit: Visit): Promise<VNode | string> {
  const { form, deps, say } = visit;
  const typed = { enrolment: form.text('enrolment'), code: form.text('code') };
  const confirmed = await deps.sessions.confirmEnrolment(visit.session, typed).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'VALIDATION_ERROR') return undefined;
    throw error;
  });
  if (!confirmed) return showAgain(visit, typed.enrolment);
  if (!confirmed.session.ok) return '/console/sign-in';
  const { session } = confirmed.session;
  keep(visit, session.secret);
  // The forms of the page belong to the new session.
  return (
    <VisitContext.Provider value={signedIn(visit, session)}>
      <Page title={texts.recoveryTitle}>
        <p>{say(texts.recovery)}</p>
        <ul class="codes">
          {confirmed.recoveryCodes.map((code) => (
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
