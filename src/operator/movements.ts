import { type NoKey, omitUndefined } from '../base/every-key.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { snakePath } from '../http/errors.js';
import type { DeliveryAttempt } from '../packages/attempts.js';
import {
  type ActionRequired,
  type Handover,
  type Location,
  type MovementOutcome,
  type NewMovement,
  type PickupAgency,
  type Proof,
  type Refusal,
  refusedField,
  unknownPackage,
} from '../packages/movement.js';
import { keysByCode } from '../packages/queries.js';
import type { Bodies, OperatorDeps, Schemas, SomeHandlers } from './deps.js';

type MovementInput = Schemas['MovementInput'];

export const movementsHandlers = ({ db, recording, encryptionKeys }: OperatorDeps) =>
  ({
    recordMovements: async ({ body: { movements, ...others }, ctx }) => {
      others satisfies NoKey;
      const codes = (names: (string | undefined)[]) => names.filter((name) => name !== undefined);
      const trackingCodes = codes(movements.map(({ tracking_code }) => tracking_code));
      const keys = await keysByCode(db, trackingCodes, codes(movements.map(({ barcode }) => barcode)));
      return recording.writeOf(
        movements.map((each) => fromMovement(each, keys, encryptionKeys)),
        (outcomes) => ({ status: 200 as const, body: { results: outcomes.map(toResult) } }),
        ctx.origin,
      );
    },
  }) satisfies SomeHandlers;

export function fromMovement(
  body: MovementInput,
  keysOfCodes: ReadonlyMap<string, string>,
  keys: KeyRing,
): NewMovement {
  const { id, loggi_key, tracking_code, barcode, status_code, happened_at, ...facts } = body;
  const { location, action_required, pickup_agency, attempt, expected, proof, pin, ...others } = facts;
  others satisfies NoKey;
  const isHandover = proof !== undefined || pin !== undefined;
  return omitUndefined<NewMovement>({
    id,
    ...namedPackage({ loggiKey: loggi_key, trackingCode: tracking_code, barcode }, keysOfCodes),
    statusCode: status_code,
    happenedAt: happened_at,
    location: location ? fromLocation(location) : null,
    actionRequired: action_required && fromActionRequired(action_required),
    pickupAgency: pickup_agency && fromPickupAgency(pickup_agency),
    attempt: attempt && fromAttempt(attempt),
    expected: expected && fromExpected(expected),
    handover: isHandover ? omitUndefined<Handover>({ proof: proof && fromProof(proof), pin, keys }) : undefined,
    traceparent: undefined,
  });
}

const namedWrongly: Refusal = refusedField(
  'loggiKey',
  'contradiction',
  'must be given alone, or tracking_code alone, or barcode alone',
);

/** The package of a movement. The movement must name it in exactly one way. */
function namedPackage(names: Readonly<Record<string, string | undefined>>, keysOfCodes: ReadonlyMap<string, string>) {
  const [[field, name] = [], ...more] = Object.entries(names).filter(([, name]) => name !== undefined);
  if (field === undefined || name === undefined || more.length > 0) return { loggiKey: '', unnamed: namedWrongly };
  const loggiKey = field === 'loggiKey' ? name : keysOfCodes.get(name);
  return loggiKey === undefined ? { loggiKey: '', unnamed: unknownPackage(field) } : { loggiKey, unnamed: undefined };
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

function fromAttempt({ outcome, next_on, ...others }: Schemas['AttemptInput']): DeliveryAttempt {
  others satisfies NoKey;
  return { outcome, nextOn: next_on ?? null };
}

function fromExpected({ from, to, ...others }: Schemas['ExpectedInput']) {
  others satisfies NoKey;
  return { from, to };
}

function fromProof(proof: Schemas['DeliveryProofInput']): Proof {
  const { recipient_name, recipient_document, position, ...others } = proof;
  others satisfies NoKey;
  return omitUndefined<Proof>({
    recipientName: recipient_name,
    recipientDocument: recipient_document,
    position: position && fromPosition(position),
  });
}

type Position = NonNullable<Proof['position']>;

function fromPosition({ latitude, longitude, accuracy, ...others }: Position): Position {
  others satisfies NoKey;
  return omitUndefined<Position>({ latitude, longitude, accuracy });
}

function toResult(outcome: MovementOutcome): Bodies['MovementResult'] {
  const { id, result } = outcome;
  if (result !== 'refused')
    return {
      id,
      result,
      code: undefined,
      reason: undefined,
      message: undefined,
      field: undefined,
      field_code: undefined,
    };
  const { code, reason, message, field, fieldCode } = outcome;
  return { id, result, code, reason, message, field: snakePath(field), field_code: fieldCode };
}
