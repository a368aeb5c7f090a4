import type { JSONColumnType } from 'kysely';
import type { Stamp } from '../columns.js';

/** Working hours, as local times such as `08:00`. */
export interface CalendarHours {
  collectionLeadMinutes: number;
  /** The time from which an order is collected on the next workday. Null: no order waits for the next workday. */
  collectionCutoff: string | null;
  opening: string;
  closing: string;
  saturdays: boolean;
  sundays: boolean;
}

/** A day off of the carrier, in the whole country or in a part of it. */
export interface ClosedDay {
  /** `YYYY-MM-DD`. */
  date: string;
  name: string;
  state?: string;
  /** The IBGE code. */
  municipality?: number;
}

/** A version of the working time. A row never changes. */
export interface Calendars {
  version: number;
  valid_from: Stamp;
  hours: JSONColumnType<CalendarHours>;
  closed: JSONColumnType<ClosedDay[]>;
  closed_count: number;
  created_at: Stamp;
}
