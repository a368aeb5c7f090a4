import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dayAfter, dayOf, promisedDate } from '../../src/routing/calendar.js';

const dayAt = (day: string) => dayOf(Date.parse(`${day}T15:00:00Z`));
const DAY_MS = 24 * 60 * 60 * 1_000;

test('the promised date is the day of arrival in São Paulo, not in UTC', () => {
  expect(promisedDate(new Date('2026-03-11T02:59:59Z'))).toBe('2026-03-10');
  expect(promisedDate(new Date('2026-03-11T03:00:00Z'))).toBe('2026-03-11');
});

describe('a day', () => {
  test('is a business day from Monday to Friday; couriers work on Saturdays too', () => {
    expect(dayAt('2026-03-13')).toMatchObject({ isBusinessDay: true, isWorkday: true });
    expect(dayAt('2026-03-14')).toMatchObject({ isBusinessDay: false, isWorkday: true });
    expect(dayAt('2026-03-15')).toMatchObject({ isBusinessDay: false, isWorkday: false });
    expect(dayAt('2026-03-16')).toMatchObject({ isBusinessDay: true, isWorkday: true });
  });

  // The movable ones are Carnival's Monday and Tuesday, Good Friday and Corpus Christi; a Labour Day is a Saturday.
  const HOLIDAYS = `
    2027-01-01 2026-02-16 2026-02-17 2026-04-03 2026-04-21 2026-05-01 2027-05-01 2026-06-04 2026-09-07 2026-10-12
    2026-11-02 2027-11-15 2026-11-20 2026-12-25`;
  test.each(HOLIDAYS.trim().split(/\s+/))('is no business day and no courier day on a holiday, %s', (day) => {
    expect(dayAt(day)).toMatchObject({ isBusinessDay: false, isWorkday: false });
  });

  test('is a holiday on the 20th of November from 2024 on', () => {
    expect(dayAt('2023-11-20').isWorkday).toBe(true);
    expect(dayAt('2024-11-20').isWorkday).toBe(false);
  });

  test('is a business day on Ash Wednesday', () => {
    expect(dayAt('2026-02-18').isBusinessDay).toBe(true);
  });

  test('has its noon at 15:00 UTC, or at 14:00 in the summers until 2019', () => {
    expect(new Date(dayAt('2026-01-10').noon).toISOString()).toBe('2026-01-10T15:00:00.000Z');
    expect(new Date(dayAt('2019-01-10').noon).toISOString()).toBe('2019-01-10T14:00:00.000Z');
  });

  test('is followed by the next one on the calendar', () => {
    const anyTime = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(anyTime, (time) => {
        const day = dayOf(time.getTime());
        expect(Date.parse(dayAfter(day).date) - Date.parse(day.date)).toBe(DAY_MS);
        expect(Math.abs(time.getTime() - day.noon)).toBeLessThanOrEqual(13 * 60 * 60 * 1_000);
      }),
      { numRuns: 500 },
    );
  });
});

const EASTERS =
  '1961-04-02 2000-04-23 2008-03-23 2019-04-21 2024-03-31 2025-04-20 2026-04-05 2038-04-25 2049-04-18 2076-04-19';
test.each(EASTERS.split(' '))('Easter falls on %s: Corpus Christi, 60 days later, is a day off', (day) => {
  const corpusChristi = dayOf(Date.parse(`${day}T15:00:00Z`) + 60 * DAY_MS);
  expect(corpusChristi.isWorkday).toBe(false);
  expect(dayAfter(corpusChristi).isWorkday).toBe(true);
});
