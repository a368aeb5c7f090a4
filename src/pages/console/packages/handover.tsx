import { DELIVERED } from '../../../packages/movement.js';
import { useVisit } from '../../design/context.js';
import { Field, PostForm } from '../../design/forms.js';
import { Section } from '../../design/pieces.js';
import { Word } from '../../page.js';
import { ProofSection } from '../../parcel/proof.js';
import type { RestSchemas, Schemas } from '../../session/operations.js';
import { calling, type Visit } from '../../session/visit.js';
import { pinStates, packageTexts as texts } from '../../texts.js';
import type { TrackedPackage } from './list.js';

const OVERRIDE = 'POST /operator/v1/packages/{loggi_key}/pin/override';

/** The proof that a package was handed over; before that, the PIN that it waits for. */
interface Handover {
  proof?: RestSchemas['DeliveryProof'] | undefined;
  pin?: Schemas['PinState'] | undefined;
}

export const handoverOf = async ({ askIfAny }: Visit, { status }: TrackedPackage): Promise<Handover> =>
  status.code === DELIVERED
    ? { proof: await askIfAny('GET /operator/v1/packages/{loggi_key}/proof') }
    : { pin: await askIfAny('GET /operator/v1/packages/{loggi_key}/pin') };

export function HandoverSection({ path, proof, pin }: Handover & { path: string }) {
  const { say } = useVisit();
  if (proof) return <ProofSection proof={proof} path={path} />;
  if (!pin) return null;
  return (
    <Section title={texts.pin}>
      <p>
        <Word of={pinStates} value={pin.state} /> {say(texts.wrongTries)} {pin.wrong_tries}.
      </p>
      {pin.override_reason && (
        <p>
          {say(texts.reason)}: {pin.override_reason}
        </p>
      )}
      {(pin.state === 'waiting' || pin.state === 'blocked') && (
        <PostForm action={`${path}/pin-override`} operation={OVERRIDE} submit={texts.overridePin} kind="danger">
          <Field name="reason" label={texts.reason} isRequired maxLength={255} />
        </PostForm>
      )}
    </Section>
  );
}

export const overridePin = calling(OVERRIDE, '/console/packages/{loggi_key}', 'saved', ({ form }) => ({
  reason: form.text('reason').trim(),
}));
