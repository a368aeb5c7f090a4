import type { components } from '../../../../generated/rest.js';
import { DELIVERED } from '../../../packages/movement.js';
import { Facts, Field, PostForm, Section, useVisit } from '../../design/index.js';
import type { Text } from '../../language.js';
import { Say } from '../../page.js';
import { dataIfAny, type Schemas } from '../../session/operations.js';
import { calling, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import type { TrackedPackage } from './list.js';

const OVERRIDE = 'POST /operator/v1/packages/{loggi_key}/pin/override';

type Proof = components['schemas']['DeliveryProof'];

/** The proof that a package was handed over; before that, the PIN that it waits for. */
interface Handover {
  proof?: Proof | undefined;
  pin?: Schemas['PinState'] | undefined;
}

export async function handoverOf({ operator }: Visit, { loggi_key, status }: TrackedPackage): Promise<Handover> {
  const params = { path: { loggi_key } };
  return status.code === DELIVERED
    ? { proof: await dataIfAny(operator.GET('/operator/v1/packages/{loggi_key}/proof', { params })) }
    : { pin: await dataIfAny(operator.GET('/operator/v1/packages/{loggi_key}/pin', { params })) };
}

export function HandoverSection({ tracked, proof, pin }: Handover & { tracked: TrackedPackage }) {
  const { say } = useVisit();
  if (proof) return <ProofSection proof={proof} />;
  if (!pin) return null;
  return (
    <Section title={texts.pin}>
      <p>
        {say(pinStates[pin.state] ?? texts.pin)} {say(texts.wrongTries)} {pin.wrong_tries}.
      </p>
      {pin.override_reason && (
        <p>
          {say(texts.reason)}: {pin.override_reason}
        </p>
      )}
      {(pin.state === 'waiting' || pin.state === 'blocked') && (
        <PostForm
          action={`/console/packages/${tracked.loggi_key}/pin-override`}
          operation={OVERRIDE}
          submit={texts.overridePin}
          isDangerous
        >
          <Field name="reason" label={texts.reason} isRequired maxLength={255} />
        </PostForm>
      )}
    </Section>
  );
}

const pinStates: Readonly<Record<string, Text>> = {
  waiting: texts.pinWaits,
  blocked: texts.pinBlocked,
  confirmed: texts.pinConfirmed,
  overridden: texts.pinOverridden,
};

function ProofSection({ proof }: { proof: Proof }) {
  const { position, pin } = proof;
  return (
    <Section title={texts.proof} id="proof">
      <Facts
        facts={[
          [texts.deliveredAt, <Time at={proof.delivered_at} />],
          [texts.receivedBy, proof.recipient_name],
          [texts.document, proof.recipient_document],
          [texts.position, position && positionText(position)],
          [texts.pin, pin && <Say text={pinStates[pin] ?? texts.pin} />],
        ]}
      />
      <div class="pictures">
        <Picture proof={proof} kind="photo" />
        <Picture proof={proof} kind="signature" />
      </div>
    </Section>
  );
}

const positionText = ({ latitude, longitude, accuracy }: NonNullable<Proof['position']>): string =>
  `${latitude}, ${longitude}${accuracy === undefined ? '' : ` ± ${accuracy} m`}`;

function Picture({ proof, kind }: { proof: Proof; kind: 'photo' | 'signature' }) {
  const name = useVisit().say(texts[kind]);
  const picture = proof[kind];
  if (!picture) return null;
  const address = `/console/packages/${proof.loggi_key}/proof/${kind}`;
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

export const overridePin = calling(OVERRIDE, '/console/packages/{loggi_key}', 'saved', ({ form }) => ({
  reason: form.text('reason').trim(),
}));
