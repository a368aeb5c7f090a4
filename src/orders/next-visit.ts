import type { Attempts, Expected } from '../packages/attempts.js';
import type { Location } from '../packages/movement.js';
import type { RecipientDetails } from '../packages/recipient-details.js';
import { calendarAt, dayOf } from '../routing/calendar.js';
import { deliveryWindow } from '../routing/timetable.js';

// The tracking page and its REST answer tell the recipient when the courier comes next. They never show hours or days
// in the past.

type Visits = Pick<RecipientDetails, 'plan' | 'expected' | 'attempts'>;

/**
 * The hours in which a package is expected at its destination: those of the carrier or, without them, the planned ones.
 */
export function visitWindow({ plan, expected }: Visits, destination: Location, now: Date): Expected | undefined {
  if (expected) return expected.to > now ? expected : undefined;
  return plan ? deliveryWindow(plan, destination, now) : undefined;
}

/** The attempts to deliver a package. The day of the next one is left out once it is over at the destination. */
export function visitsBefore({ attempts }: Visits, destination: Location, now: Date): Attempts | undefined {
  if (!attempts) return undefined;
  const { date: today } = dayOf(now.getTime(), calendarAt(destination));
  return attempts.nextOn !== null && attempts.nextOn < today ? { ...attempts, nextOn: null } : attempts;
}
