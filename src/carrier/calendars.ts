import { databaseTime } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import type { Listed, Page } from '../base/page.js';
import { inSlices } from '../base/turns/slices.js';
import type { Db } from '../db/connect.js';
import type { CalendarHours, ClosedDay } from '../db/tables/calendars.js';
import {
  addVersion,
  currentVersion,
  getVersion,
  keepVersion,
  listVersions,
  type Version,
  type VersionInForce,
  type VersionSummary,
  versionInForceSql,
} from '../db/versions.js';
import { fromNoon, type WorkCalendar, workHoursOf } from '../routing/calendar.js';
import { municipalityOfCode } from '../routing/places/municipalities.js';
import { calendarErrors } from './calendar-errors.js';

// The carrier's working time, in versions that never change (contracts/guides/behaviour.md#working-time). The version
// in force when an order is planned decides the times of its route. Existing orders keep their times. No version
// changes a price. National holidays are computed (routing/calendar.ts); a version adds the carrier's days off.

export type CalendarVersion = Version<'calendars'>;

export interface Calendar extends CalendarHours {
  closed: readonly ClosedDay[];
}

export interface NewCalendar extends Calendar {
  /** The start of the version. Undefined means at once. */
  validFrom: Date | undefined;
}

/**
 * Throws VALIDATION_ERROR for working time that contradicts itself, or that leaves a place without a workday for too
 * long.
 */
export async function demandCalendar(calendar: Calendar): Promise<void> {
  const steps = calendarErrors(calendar, workCalendarOf(calendar), new Date(databaseTime()));
  const errors = await inSlices('operators', steps);
  if (errors.length > 0) throw invalid(errors);
}

/** Adds the next version completely, or not at all. Throws VALIDATION_ERROR as `demandCalendar` does. */
export async function addCalendar(db: Db, { validFrom, closed, ...hours }: NewCalendar): Promise<CalendarVersion> {
  await demandCalendar({ ...hours, closed });
  const texts = { hours: JSON.stringify(hours), closed: JSON.stringify(closed) };
  return addVersion(db, 'calendars', validFrom, { ...texts, closed_count: closed.length });
}

export async function currentCalendar(db: Db): Promise<CalendarVersion> {
  const current = await currentVersion(db, 'calendars');
  if (!current) throw new Error('there is no calendar');
  return current;
}

export const getCalendar = (db: Db, version: number): Promise<CalendarVersion | undefined> =>
  getVersion(db, 'calendars', version);

const summaryColumns = ['version', 'valid_from', 'hours', 'closed_count', 'created_at'] as const;

export type CalendarSummary = VersionSummary<'calendars', (typeof summaryColumns)[number]>;

export const listCalendars = (db: Db, page: Page): Promise<Listed<CalendarSummary>> =>
  listVersions(db, 'calendars', summaryColumns, page);

type Content = Pick<CalendarVersion, 'hours' | 'closed'>;

export const calendarInForceSql = (knownVersion: string): string =>
  versionInForceSql('calendars', `json_build_object('hours', hours, 'closed', closed)`, knownVersion);

export type CalendarInForce = VersionInForce<Content>;

export const keptCalendar = keepVersion((version, { hours, closed }: Content) => ({
  version,
  work: workCalendarOf({ ...hours, closed }),
}));

/** Converts working time to the form that the planning of routes takes. */
export function workCalendarOf({ closed, ...hours }: Calendar): WorkCalendar {
  const { collectionLeadMinutes, collectionCutoff, opening, closing, saturdays, sundays } = hours;
  return {
    leadMs: collectionLeadMinutes * 60_000,
    cutoff: collectionCutoff === null ? undefined : fromNoon(collectionCutoff),
    ...workHoursOf({ opening, closing }),
    saturdays,
    sundays,
    closed: closedDates(closed),
  };
}

function closedDates(closed: readonly ClosedDay[]): WorkCalendar['closed'] {
  const country = new Set<string>();
  const states = new Map<string, Set<string>>();
  const municipalities = new Map<string, Set<string>>();
  const datesIn = <K>(lists: Map<K, Set<string>>, key: K): Set<string> => {
    const dates = lists.get(key) ?? new Set();
    lists.set(key, dates);
    return dates;
  };
  for (const { date, state, municipality } of closed) {
    const place = municipality === undefined ? undefined : municipalityOfCode(municipality);
    if (place) datesIn(municipalities, `${place.name} - ${place.state}`).add(date);
    else if (state !== undefined) datesIn(states, state).add(date);
    else if (municipality === undefined) country.add(date);
  }
  return { country, states, municipalities };
}
