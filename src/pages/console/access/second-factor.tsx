import { drawingSVG, qrcode } from 'bwip-js/node';
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

/** A QR code as the address of a picture: the policy of the pages admits `data:`. */
function qrAddress(text: string): string {
  const svg = qrcode({ bcid: 'qrcode', text, padding: 4, backgroundcolor: 'ffffff' }, drawingSVG());
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

/** `POST /console/second-factor` shows what the authenticator app reads. */
export async function beginSecondFactor(deps: ConsoleDeps, visit: Visit, isWrong = false): Promise<void> {
  const { say } = visit;
  const { secret, uri } = await deps.sessions.beginEnrolment(visit.session);
  show(
    visit,
    say(texts.codeTitle),
    <form method="post" action="/console/second-factor/confirmation">
      {isWrong && (
        <p class="notice bad" role="alert">
          {say(texts.wrongCode)}
        </p>
      )}
      <p>{say(texts.scan)}</p>
      <img class="qr" src={qrAddress(uri)} alt={say(texts.picture)} width="240" height="240" />
      <p>
        {say(texts.byHand)} <code class="secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
      <HiddenFields fields={formFields(visit)} />
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
    { status: isWrong ? 400 : 200 },
  );
}

/** `POST /console/second-factor/confirmation` */
export async function confirmSecondFactor(deps: ConsoleDeps, visit: Visit, form: Form): Promise<void> {
  const confirmed = await deps.sessions.confirmEnrolment(visit.session, form.text('code').replace(/\s/g, ''));
  if (!confirmed) return beginSecondFactor(deps, visit, true);
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
        {confirmed.codes.map((code) => (
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
