import type { JSONColumnType } from 'kysely';
import type { Stamp } from '../columns.js';

/** Times of day are local ones, such as `08:00`. */
export interface CalendarHours {
  collectionLeadMinutes: number;
  /** The time from which an order is collected on the next workday; null when there is none. */
  collectionCutoff: string | null;
  opening: string;
  closing: string;
  saturdays: boolean;
  sundays: boolean;
}

/** An own day off, in the country or in a part of it. */
export interface ClosedDay {
  /** YYYY-MM-DD */
  date: string;
  name: string;
  state?: string;
  /** IBGE code. */
  municipality?: number;
}

/** Versions of the working time; a row never changes. */
export interface Calendars {
  version: number;
  valid_from: Stamp;
  hours: JSONColumnType<CalendarHours>;
  closed: JSONColumnType<ClosedDay[]>;
  closed_count: number;
  created_at: Stamp;
}
