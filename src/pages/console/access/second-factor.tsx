import { generate } from 'lean-qr';
import { toSvgDataURL } from 'lean-qr/extras/svg';
import type { Enrolment } from '../../../accounts/sessions/enrolment.js';
import { ServiceError } from '../../../base/errors.js';
import type { Text } from '../../language.js';
import { Field, HiddenFields } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { asOperator, type ConsoleDeps, formFields, redirect, type Visit } from '../visit.js';
import { keep } from './sign-in.js';
import { texts } from './texts.js';

/** `GET /console/second-factor` */
export function showSecondFactor(deps: ConsoleDeps, visit: Visit): void {
  const { say, session } = visit;
  const isOn = (
    <>
      <p>{say(texts.isOn)}</p>
      <p>
        {say(texts.lost)} <code>malote operators reset-second-factor {session.email}</code>
      </p>
    </>
  );
  const isOff = (
    <form method="post" action="/console/second-factor">
      <p>{say(deps.requireSecondFactor ? texts.isRequired : texts.isOff)}</p>
      <HiddenFields fields={formFields(visit)} />
      <p class="send">
        <button type="submit">{say(texts.begin)}</button>
      </p>
    </form>
  );
  show(visit, say(texts.codeTitle), session.hasSecondFactor ? isOn : isOff);
}

/** `POST /console/second-factor` shows what the authenticator app reads. */
export const beginSecondFactor = async (deps: ConsoleDeps, visit: Visit): Promise<void> =>
  showEnrolment(visit, await deps.sessions.beginEnrolment(visit.session));

function showEnrolment(visit: Visit, { secret, uri, sealed }: Enrolment, failure?: Text): void {
  const { say } = visit;
  show(
    visit,
    say(texts.codeTitle),
    <form method="post" action="/console/second-factor/confirmation">
      {failure && (
        <p class="notice bad" role="alert">
          {say(failure)}
        </p>
      )}
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
      <HiddenFields fields={{ ...formFields(visit), enrolment: sealed }} />
      <Field
        visit={visit}
        name="code"
        label={texts.digits}
        isRequired
        autocomplete="one-time-code"
        inputMode="numeric"
        maxLength={16}
      />
      <p class="send">
        <button type="submit">{say(texts.confirm)}</button>
      </p>
    </form>,
    { status: failure ? 400 : 200 },
  );
}

/** Shows the same enrolment after a wrong code, and a new one in place of one that has ended. */
async function showAgain(deps: ConsoleDeps, visit: Visit, sealed: string): Promise<void> {
  const begun = deps.sessions.readEnrolment(visit.session, sealed);
  if (begun) return showEnrolment(visit, begun, texts.wrongCode);
  showEnrolment(visit, await deps.sessions.beginEnrolment(visit.session), texts.enrolmentEnded);
}

/** `POST /console/second-factor/confirmation` */
export async function confirmSecondFactor(deps: ConsoleDeps, visit: Visit, form: Form): Promise<void> {
  const given = { enrolment: form.text('enrolment'), code: form.text('code') };
  const confirmed = await deps.sessions.confirmEnrolment(visit.session, given).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'VALIDATION_ERROR') return undefined;
    throw error;
  });
  if (!confirmed) return showAgain(deps, visit, given.enrolment);
  if (!confirmed.session.ok) return redirect(visit, '/console/sign-in');
  const { session } = confirmed.session;
  keep(deps, visit, session.secret);
  const { say } = visit;
  // The forms of the page belong to the new session.
  show(
    asOperator(deps, visit, session),
    say(texts.recoveryTitle),
    <>
      <p>{say(texts.recovery)}</p>
      <ul class="codes">
        {confirmed.recoveryCodes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p>
        <a href="/console">{say(texts.next)}</a>
      </p>
    </>,
  );
}
