import type { ColumnType, Generated } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

/** Failures of an attempt to deliver; `not_attempted` says that there was none. */
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

/** The word for a status that people read, in each language. */
export interface PublicTitle {
  pt_br: string;
  en: string;
}

export interface Movements {
  id: string;
  loggi_key: string;
  seq: number;
  status_code: number;
  /** Microseconds matter here: read it with to_char, not as a Date. */
  happened_at: ColumnType<Date, Date | string, never>;
  /** The time that was reported, where another one counts. */
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
  /** YYYY-MM-DD. */
  attempt_next_on: string | null;
  expected_from: MaybeStamp;
  expected_to: MaybeStamp;
  /** `seq` of the final status that it takes back, where it is a reopening. */
  reopens: Generated<number | null>;
  /** `seq` of the reopening that took it back, where it was final. */
  reopened_by: Generated<number | null>;
}
