import type { Attempts, Expected } from '../packages/attempts.js';
import type { Location } from '../packages/movement.js';
import type { RecipientDetails } from '../packages/recipient-details.js';
import { calendarAt, dayOf } from '../routing/calendar.js';
import { deliveryWindow } from '../routing/timetable.js';

// The page of a package and its REST answer tell the recipient when the courier comes next. Hours and days that are
// over are never shown.

type Visits = Pick<RecipientDetails, 'plan' | 'expected' | 'attempts'>;

/** The hours in which a package is expected at its destination: as the carrier said, else as they were planned. */
export function visitWindow({ plan, expected }: Visits, destination: Location, now: Date): Expected | undefined {
  if (expected) return expected.to > now ? expected : undefined;
  return plan ? deliveryWindow(plan, destination, now) : undefined;
}

/** The attempts to deliver a package, without the day of the next one once that is over at the destination. */
export function visitsBefore({ attempts }: Visits, destination: Location, now: Date): Attempts | undefined {
  if (!attempts) return undefined;
  const { date: today } = dayOf(now.getTime(), calendarAt(destination));
  return attempts.nextOn !== null && attempts.nextOn < today ? { ...attempts, nextOn: null } : attempts;
}
