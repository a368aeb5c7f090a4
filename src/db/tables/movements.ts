import type { ColumnType, Generated } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

/** Reasons of a failed attempt to deliver. `not_attempted` means that no attempt was made. */
export const deliveryOutcomes = [
  'absent',
  'refused',
  'unknown_recipient',
  'address_not_found',
  'closed',
  'no_access',
  'unsafe',
  'damaged',
  'not_attempted',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** The title of a status for people, in each language. */
export interface PublicTitle {
  pt_br: string;
  en: string;
}

export interface Movements {
  id: string;
  loggi_key: string;
  seq: number;
  status_code: number;
  /** Microseconds matter here, so read it with to_char and not as a Date. */
  happened_at: ColumnType<Date, Date | string, never>;
  /** The reported time, if another time counts. */
  reported_at: ColumnType<Date | null, Date | string | null | undefined, never>;
  recorded_at: Stamp;
  city: string | null;
  state: string | null;
  reason_label: string | null;
  reason_description: string | null;
  agency_address: string | null;
  agency_city: string | null;
  agency_state: string | null;
  agency_postal_code: string | null;
  attempt_outcome: DeliveryOutcome | null;
  /** `YYYY-MM-DD`. */
  attempt_next_on: string | null;
  expected_from: MaybeStamp;
  expected_to: MaybeStamp;
  /** `seq` of the final status that this reopening takes back. Null for other movements. */
  reopens: Generated<number | null>;
  /** `seq` of the reopening that took this final status back. Null without one. */
  reopened_by: Generated<number | null>;
}
