import { given, type NoKey } from '../base/every-key.js';
import type { KeyRing } from '../base/keys.js';
import { snakePath } from '../http/errors.js';
import type {
  ActionRequired,
  Handover,
  Location,
  MovementOutcome,
  NewMovement,
  PickupAgency,
  Proof,
} from '../packages/movement.js';
import type { Bodies, OperatorDeps, Schemas, SomeHandlers } from './deps.js';

export const movementsHandlers = ({ recording, encryptionKeys }: OperatorDeps) =>
  ({
    recordMovements: async ({ body, ctx }) =>
      recording.writeOf(
        body.movements.map((each) => fromMovement(each, encryptionKeys)),
        (outcomes) => ({ status: 200 as const, body: { results: outcomes.map(toResult) } }),
        ctx.origin,
      ),
  }) satisfies SomeHandlers;

function fromMovement(body: Schemas['MovementInput'], keys: KeyRing): NewMovement {
  const { id, loggi_key, status_code, happened_at, location, action_required, pickup_agency, proof, pin, ...others } =
    body;
  others satisfies NoKey;
  const isHandover = proof !== undefined || pin !== undefined;
  return given<NewMovement>({
    id,
    loggiKey: loggi_key,
    statusCode: status_code,
    happenedAt: happened_at,
    location: location ? fromLocation(location) : null,
    actionRequired: action_required && fromActionRequired(action_required),
    pickupAgency: pickup_agency && fromPickupAgency(pickup_agency),
    handover: isHandover ? given<Handover>({ proof: proof && fromProof(proof), pin, keys }) : undefined,
    traceparent: undefined,
  });
}

function fromLocation({ city, state, ...others }: Schemas['Location']): Location {
  others satisfies NoKey;
  return { city, state };
}

function fromActionRequired(body: Schemas['ActionRequired']): ActionRequired {
  const { reason_label, reason_description, ...others } = body;
  others satisfies NoKey;
  return { reasonLabel: reason_label, reasonDescription: reason_description };
}

function fromPickupAgency({ address, city, state, postal_code, ...others }: Schemas['PickupAgency']): PickupAgency {
  others satisfies NoKey;
  return { address, city, state, postalCode: postal_code };
}

function fromProof(proof: Schemas['DeliveryProofInput']): Proof {
  const { recipient_name, recipient_document, position, ...others } = proof;
  others satisfies NoKey;
  return given<Proof>({
    recipientName: recipient_name,
    recipientDocument: recipient_document,
    position: position && fromPosition(position),
  });
}

type Position = NonNullable<Proof['position']>;

function fromPosition({ latitude, longitude, accuracy, ...others }: Position): Position {
  others satisfies NoKey;
  return given<Position>({ latitude, longitude, accuracy });
}

function toResult(outcome: MovementOutcome): Bodies['MovementResult'] {
  const { id, result } = outcome;
  if (result !== 'refused') return { id, result, code: undefined, message: undefined, field: undefined };
  const { code, message, field } = outcome;
  return { id, result, code, message, field: field === undefined ? undefined : snakePath(field) };
}
