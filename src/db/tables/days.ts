import type { Time } from '../columns.js';
import type { DeliveryOutcome } from './movements.js';

/**
 * A package under way, or one that ended since yesterday. Columns with `before` have its state at the start of the day
 * of its last change.
 */
interface CountedPackages {
  loggi_key: string;
  account_id: string;
  promised_date: string;
  status_code: number;
  status_since: Time;
  /** The present place. Null until the package left the shipper. */
  city: string | null;
  state: string | null;
  /** The day and the outcome of its last attempt without a delivery. */
  missed_on: string | null;
  missed_why: DeliveryOutcome | null;
  has_missed: boolean;
  changed_on: string;
  /** A package that was created on that day has null here. */
  status_code_before: number | null;
  city_before: string | null;
  state_before: string | null;
  missed_on_before: string | null;
  missed_why_before: DeliveryOutcome | null;
}

/** Results of a day: the packages that were promised for it and have ended, without cancelled ones. */
interface DayResults {
  date: string;
  packages: number;
  delivered: number;
  on_time: number;
  first_attempt: number;
}

/** A count of packages with these values at the end of a day. Null means that the count ignores the value. */
export interface DayEndCounts {
  date: string;
  number: number;
  packages: number;
  status_code: number;
  /** Days since the promised date: -1 before it, 30 for 30 or more. */
  late_days: number | null;
  is_late: boolean | null;
  /** The outcome of an attempt on that day. */
  missed_why: DeliveryOutcome | null;
  city: string | null;
  state: string | null;
  account_id: string | null;
}

export interface DayTables {
  counted_packages: CountedPackages;
  day_results: DayResults;
  day_end_counts: DayEndCounts;
}
