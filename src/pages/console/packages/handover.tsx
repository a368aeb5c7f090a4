import type { components } from '../../../../generated/rest.js';
import { DELIVERED } from '../../../packages/movement.js';
import { Facts, Field, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { dataIfAny, dataOf, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import type { TrackedPackage } from './list.js';
import { texts } from './texts.js';

type Proof = components['schemas']['DeliveryProof'];
type Picture = NonNullable<Proof['photo']>;

const pathOf = ({ loggi_key }: Pick<TrackedPackage, 'loggi_key'>) => ({ params: { path: { loggi_key } } });

/** What proves that a package was handed over; before that, the PIN that it waits for. */
export interface Handover {
  proof?: Proof | undefined;
  pin?: Schemas['PinState'] | undefined;
}

export async function handoverOf({ operator }: Visit, tracked: TrackedPackage): Promise<Handover> {
  const at = pathOf(tracked);
  return tracked.status.code === DELIVERED
    ? { proof: await dataIfAny(operator.GET('/operator/v1/packages/{loggi_key}/proof', at)) }
    : { pin: await dataIfAny(operator.GET('/operator/v1/packages/{loggi_key}/pin', at)) };
}

interface SectionProps {
  visit: Visit;
  tracked: TrackedPackage;
  handover: Handover;
  /** What was typed, when it was refused. */
  form: Form | undefined;
}

export function HandoverSection({ visit, tracked, handover: { proof, pin }, form }: SectionProps) {
  if (proof) return <ProofSection visit={visit} proof={proof} />;
  if (!pin) return null;
  const { say } = visit;
  return (
    <section>
      <h2>{say(texts.pin)}</h2>
      <p>
        {say(pinStates[pin.state] ?? texts.pin)} {say(texts.wrongTries)} {pin.wrong_tries}.
      </p>
      {pin.override_reason && (
        <p>
          {say(texts.overrideReason)}: {pin.override_reason}
        </p>
      )}
      {(pin.state === 'waiting' || pin.state === 'blocked') && (
        <OperationForm
          visit={visit}
          action={`/console/packages/${tracked.loggi_key}/pin-override`}
          operation="POST /operator/v1/packages/{loggi_key}/pin/override"
          submit={texts.overridePin}
          isDangerous
        >
          <Field
            visit={visit}
            name="reason"
            label={texts.overrideReason}
            isRequired
            maxLength={255}
            value={form?.text('reason')}
          />
        </OperationForm>
      )}
    </section>
  );
}

const pinStates: Readonly<Record<string, (typeof texts)[keyof typeof texts]>> = {
  waiting: texts.pinWaits,
  blocked: texts.pinBlocked,
  confirmed: texts.pinConfirmed,
  overridden: texts.pinOverridden,
};

function ProofSection({ visit, proof }: { visit: Visit; proof: Proof }) {
  const { position, pin } = proof;
  return (
    <section id="proof">
      <h2>{visit.say(texts.proof)}</h2>
      <Facts
        visit={visit}
        facts={[
          [texts.deliveredAt, <Time visit={visit} at={proof.delivered_at} />],
          [texts.receivedBy, proof.recipient_name ?? '–'],
          [texts.document, proof.recipient_document ?? '–'],
          [texts.position, position ? placeOf(position) : '–'],
          [texts.pin, pin === undefined ? '–' : visit.say(pinStates[pin] ?? texts.pin)],
        ]}
      />
      <div class="pictures">
        <PictureOf visit={visit} proof={proof} kind="photo" picture={proof.photo} />
        <PictureOf visit={visit} proof={proof} kind="signature" picture={proof.signature} />
      </div>
    </section>
  );
}

const placeOf = ({ latitude, longitude, accuracy }: NonNullable<Proof['position']>): string =>
  `${latitude}, ${longitude}${accuracy === undefined ? '' : ` ± ${accuracy} m`}`;

interface PictureProps {
  visit: Visit;
  proof: Proof;
  kind: 'photo' | 'signature';
  picture: Picture | undefined;
}

function PictureOf({ visit, proof, kind, picture }: PictureProps) {
  if (!picture) return null;
  const address = `/console/packages/${proof.loggi_key}/proof/${kind}`;
  const name = visit.say(texts[kind]);
  return (
    <figure>
      <a href={address}>
        <img src={address} alt={name} loading="lazy" />
      </a>
      <figcaption>
        {name}, {Math.ceil(picture.size / 1024)} KiB
      </figcaption>
    </figure>
  );
}

/** `POST /console/packages/{loggi_key}/pin-override` */
export async function overridePin(visit: Visit, form: Form): Promise<void> {
  const path = { loggi_key: String(visit.req.params['loggi_key']) };
  const params = { path, header: { 'Idempotency-Key': form.text('key') } };
  const body = { reason: form.text('reason').trim() };
  await dataOf(visit.operator.POST('/operator/v1/packages/{loggi_key}/pin/override', { params, body }));
  redirect(visit, `/console/packages/${path.loggi_key}?done=saved`);
}
