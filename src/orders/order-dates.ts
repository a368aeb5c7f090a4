import { DAY_MS } from '../base/clock.js';
import type { FieldError } from '../base/errors.js';
import { calendarAt, dayOf } from '../routing/calendar.js';
import type { OrderInput, PackageInput } from './order.js';

// Checks the times and days in an order. Clocks may differ by minutes, as for reports of movements.

const SKEW_MS = 5 * 60 * 1_000;
const MAX_READY_DAYS = 30;
const MAX_DELIVERY_DAYS = 60;

/** Calendar of Brazil's last time zone. A day that is over there is over everywhere. */
const lastClock = calendarAt({ city: 'Rio Branco', state: 'AC' });

/** The last day that a package may ask for. */
const lastDay = (now: Date): string => dayOf(now.getTime() + SKEW_MS + MAX_DELIVERY_DAYS * DAY_MS).date;

/** Finds the times and days that are wrong for every plan. */
export function checkDates({ readyAt, packages }: OrderInput, now: Date): FieldError[] {
  const bounds = { first: dayOf(now.getTime() - SKEW_MS, lastClock).date, last: lastDay(now) };
  return [...checkReadyTime(readyAt, now), ...packages.flatMap((each, at) => checkDays(each, at, bounds))];
}

function checkReadyTime(readyAt: Date | null | undefined, now: Date): FieldError[] {
  const aheadMs = readyAt ? readyAt.getTime() - now.getTime() : 0;
  if (aheadMs < -SKEW_MS)
    return [{ field: 'readyAt', code: 'too_early', message: 'lies more than 5 minutes in the past' }];
  if (aheadMs <= MAX_READY_DAYS * DAY_MS + SKEW_MS) return [];
  return [{ field: 'readyAt', code: 'too_late', message: `lies more than ${MAX_READY_DAYS} days ahead` }];
}

function checkDays(
  { deliverFrom, deliverBy }: PackageInput,
  at: number,
  { first, last }: { first: string; last: string },
): FieldError[] {
  const field = `packages.${at}.deliverFrom`;
  if (deliverFrom && deliverFrom < first) return [{ field, code: 'too_early', message: 'is a day that is over' }];
  if (deliverFrom && deliverFrom > last) return [{ field, ...tooLate }];
  if (!deliverFrom || !deliverBy || deliverFrom <= deliverBy) return [];
  const message = `is before the first day of the delivery, ${deliverFrom}`;
  return [{ field: `packages.${at}.deliverBy`, code: 'contradiction', message }];
}

const tooLate = { code: 'too_late', message: `lies more than ${MAX_DELIVERY_DAYS} days ahead` } as const;

interface PlannedPackage {
  deliverBy: string | null;
  promisedDate: string;
}

/** Finds last days that a plan does not meet. The date that the error suggests is always accepted. */
export function checkPlannedDates(packages: readonly PlannedPackage[], now: Date): FieldError[] {
  const last = lastDay(now);
  return packages.flatMap(({ deliverBy, promisedDate }, at): FieldError[] => {
    const field = `packages.${at}.deliverBy`;
    if (deliverBy === null || deliverBy === promisedDate) return [];
    if (deliverBy > promisedDate) return deliverBy > last ? [{ field, ...tooLate }] : [];
    const message = `cannot be met: the first day that can is ${promisedDate}`;
    return [{ field, code: 'too_early', message, firstDate: promisedDate }];
  });
}
