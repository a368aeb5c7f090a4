import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { Enrolment } from '../../../accounts/sessions/enrolment.js';
import { ServiceError } from '../../../base/errors.js';
import { Alert, Field, LinkLine, PostForm } from '../../design/index.js';
import type { Text } from '../../language.js';
import { redirect, signedIn, type Visit } from '../../session/visit.js';
import { accessTexts as texts } from '../../texts.js';
import { show } from '../frame.js';
import { keep } from './sign-in.js';

export function showSecondFactor(visit: Visit): void {
  const { say, session, deps } = visit;
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
  show(visit, texts.codeTitle, session.hasSecondFactor ? isOn : isOff);
}

export const beginSecondFactor = async (visit: Visit): Promise<void> =>
  showEnrolment(visit, await visit.deps.sessions.beginEnrolment(visit.session));

function showEnrolment(visit: Visit, { secret, uri, sealed }: Enrolment, failure?: Text): void {
  const { say } = visit;
  show(
    visit,
    texts.codeTitle,
    <PostForm action="/console/second-factor/confirmation" submit={texts.confirm} hidden={{ enrolment: sealed }}>
      {failure && <Alert text={failure} />}
      <p>{say(texts.scan)}</p>
      <img
        class="qr"
        src={toSvgDataURL(generate(uri), { off: 'white', pad: 4 })}
        alt={say(texts.picture)}
        width="240"
        height="240"
      />
      <p>
        {say(texts.byHand)} <code class="secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <Field
        name="code"
        label={texts.digits}
        isRequired
        autocomplete="one-time-code"
        inputMode="numeric"
        maxLength={16}
      />
    </PostForm>,
    { status: failure ? 400 : 200 },
  );
}

/** Shows the same enrolment after a wrong code, and a new one in place of one that has ended. */
async function showAgain(visit: Visit, sealed: string): Promise<void> {
  const { sessions } = visit.deps;
  const begun = sessions.readEnrolment(visit.session, sealed);
  if (begun) return showEnrolment(visit, begun, texts.wrongCode);
  showEnrolment(visit, await sessions.beginEnrolment(visit.session), texts.enrolmentEnded);
}

export async function confirmSecondFactor(visit: Visit): Promise<void> {
  const { form, deps, say } = visit;
  const typed = { enrolment: form.text('enrolment'), code: form.text('code') };
  const confirmed = await deps.sessions.confirmEnrolment(visit.session, typed).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'VALIDATION_ERROR') return undefined;
    throw error;
  });
  if (!confirmed) return showAgain(visit, typed.enrolment);
  if (!confirmed.session.ok) return redirect(visit, '/console/sign-in');
  const { session } = confirmed.session;
  keep(visit, session.secret);
  // The forms of the page belong to the new session.
  show(
    signedIn(visit, session),
    texts.recoveryTitle,
    <>
      <p>{say(texts.recovery)}</p>
      <ul class="codes">
        {confirmed.recoveryCodes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <LinkLine href="/console" text={texts.next} />
    </>,
  );
}
