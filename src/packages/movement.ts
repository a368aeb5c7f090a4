import type { DetailCode, ErrorCode, ErrorReason } from '../base/errors.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import type { DeliveryOutcome } from '../db/tables/movements.js';
import type { DeliveryAttempt, Expected } from './attempts.js';
import { type Instant, instantOf, instantText } from './instant.js';

export interface Location {
  city: string;
  state: string;
}

export interface ActionRequired {
  reasonLabel: string;
  reasonDescription: string;
}

/** The postal agency where a package waits; `postalCode` has 8 digits. */
export interface PickupAgency {
  address: string;
  city: string;
  state: string;
  postalCode: string;
}

/** The status of a new package, which no movement reports. */
export const FIRST_STATUS = 1;
export const CANCELLED = 2;
export const DELIVERED = 5;
/** In this status a package waits for its sender's answer. */
export const ASKS_SENDER = 6;

/** Facts about the handover to the recipient, as the courier reports them. At least one field is set. */
export interface Proof {
  recipientName?: string;
  recipientDocument?: string;
  /** The courier's position in degrees; `accuracy` in metres. */
  position?: { latitude: number; longitude: number; accuracy?: number };
}

export interface Handover {
  proof?: Proof;
  pin?: string;
  /** Keys that seal the proof, and open stored proofs and PINs. */
  keys: KeyRing;
}

/** A reported movement. `happenedAt` is RFC 3339 with up to six decimals. `id` makes a repetition harmless. */
export interface NewMovement {
  id: string;
  /** Empty if no package was found; then `unnamed` is the refusal. */
  loggiKey: string;
  unnamed?: Refusal;
  statusCode: number;
  happenedAt: string;
  location: Location | null;
  actionRequired?: ActionRequired;
  pickupAgency?: PickupAgency;
  attempt?: DeliveryAttempt;
  /** RFC 3339, like `happenedAt`. */
  expected?: { from: string; to: string };
  handover?: Handover;
  traceparent?: TraceParent | undefined;
}

export type MovementOutcome =
  | { id: string; result: 'recorded' | 'duplicate' }
  | ({ id: string; result: 'refused' } & Refusal);

export interface Refusal {
  code: ErrorCode;
  reason: ErrorReason;
  message: string;
  field: string;
  fieldCode: DetailCode;
}

export const refusedField = (field: string, fieldCode: DetailCode, message: string): Refusal => ({
  code: 'VALIDATION_ERROR',
  reason: 'invalid_fields',
  message,
  field,
  fieldCode,
});

/** The refusal of an unknown package. `field` is the name by which it was looked up. */
export const unknownPackage = (field: string): Refusal => ({
  code: 'NOT_FOUND',
  reason: 'record_not_found',
  message: 'There is no such package.',
  field,
  fieldCode: 'not_found',
});

export interface MovementFacts {
  moved_city: string | null;
  moved_state: string | null;
  reason_label: string | null;
  reason_description: string | null;
  agency_address: string | null;
  agency_city: string | null;
  agency_state: string | null;
  agency_postal_code: string | null;
  moved_attempt: DeliveryOutcome | null;
  moved_next_on: string | null;
  expected_from: Instant | null;
  expected_to: Instant | null;
  /** `seq` of the final status that this movement takes back. */
  reopens: number | null;
}

export const factColumns = `
  m.city as moved_city, m.state as moved_state, m.reason_label, m.reason_description,
  m.agency_address, m.agency_city, m.agency_state, m.agency_postal_code,
  m.attempt_outcome as moved_attempt, m.attempt_next_on as moved_next_on,
  ${instantText('m.expected_from')} as expected_from, ${instantText('m.expected_to')} as expected_to,
  m.reopens`;

export interface Facts {
  location: Location | null;
  actionRequired: ActionRequired | null;
  pickupAgency: PickupAgency | null;
  attempt: DeliveryAttempt | null;
  expected: Expected | null;
  /** True if it takes back a final status that was a mistake. */
  isReopening: boolean;
}

export function toFacts(row: MovementFacts): Facts {
  const { moved_city: city, moved_state: state } = row;
  const { reason_label: reasonLabel, reason_description: reasonDescription } = row;
  const { agency_address: address, agency_city, agency_state, agency_postal_code: postalCode } = row;
  const { moved_attempt: outcome, expected_from: from, expected_to: to } = row;
  const hasAgency = address !== null && agency_city !== null && agency_state !== null && postalCode !== null;
  return {
    location: city !== null && state !== null ? { city, state } : null,
    actionRequired: reasonLabel !== null && reasonDescription !== null ? { reasonLabel, reasonDescription } : null,
    pickupAgency: hasAgency ? { address, city: agency_city, state: agency_state, postalCode } : null,
    attempt: outcome && { outcome, nextOn: row.moved_next_on },
    isReopening: row.reopens !== null,
    expected: from !== null && to !== null ? { from: new Date(from), to: new Date(to) } : null,
  };
}

/** Facts other than the location, with the names of the contracts. */
export const factsBody = ({ actionRequired, pickupAgency }: Partial<Facts>) => ({
  action_required: actionRequired
    ? { reason_label: actionRequired.reasonLabel, reason_description: actionRequired.reasonDescription }
    : undefined,
  pickup_agency: pickupAgency ? agencyBody(pickupAgency) : undefined,
});

export const agencyBody = ({ address, city, state, postalCode }: PickupAgency) => ({
  address,
  city,
  state,
  postal_code: postalCode,
});

export const factsRow = ({
  location,
  actionRequired,
  pickupAgency,
  attempt,
  expected,
}: NewMovement): MovementFacts => ({
  moved_city: location?.city ?? null,
  moved_state: location?.state ?? null,
  reason_label: actionRequired?.reasonLabel ?? null,
  reason_description: actionRequired?.reasonDescription ?? null,
  agency_address: pickupAgency?.address ?? null,
  agency_city: pickupAgency?.city ?? null,
  agency_state: pickupAgency?.state ?? null,
  agency_postal_code: pickupAgency?.postalCode ?? null,
  moved_attempt: attempt?.outcome ?? null,
  moved_next_on: attempt?.nextOn ?? null,
  expected_from: (expected && instantOf(expected.from)) ?? null,
  expected_to: (expected && instantOf(expected.to)) ?? null,
  reopens: null,
});

/** The reported content of a movement. It tells a repetition from another movement with the same id. */
export interface MovementContent extends MovementFacts {
  loggiKey: string;
  statusCode: number;
  reportedAt: Instant;
  /** The text of its proof, or an erased text. */
  proof: string | null;
}

/** A movement to write. Its proof is sealed and written separately. */
export interface AcceptedMovement extends Omit<MovementContent, 'proof'> {
  id: string;
  seq: number;
  /** The time that counts: the reported time, corrected if a clock was a little fast or slow. */
  happenedAt: Instant;
  traceparent?: TraceParent | undefined;
}

export interface PackageState {
  loggiKey: string;
  accountId: string;
  orderId: string;
  seq: number;
  statusCode: number;
  since: Instant;
  currentMovementId: string;
  /** Count of the attempts that were made. The next three fields belong to the attempt that happened last. */
  attemptCount: number;
  attemptOutcome: DeliveryOutcome | null;
  attemptNextOn: string | null;
  attemptedAt: Instant | null;
  /** The creation of the order, and the earliest reported time that counts as the creation. */
  createdAt: Instant;
  earliest: Instant;
}
