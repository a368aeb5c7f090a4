import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { promisedDate } from '../../src/routing/calendar.js';

const noon = (day: string): Date => new Date(`${day}T15:00:00Z`);
const DAY_MS = 24 * 60 * 60 * 1_000;
const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
const midnight = (day: string): Date => new Date(`${day}T00:00:00Z`);

describe('the promised date', () => {
  test('is the day of arrival when that is a business day', () => {
    expect(promisedDate(noon('2026-03-10'))).toBe('2026-03-10');
  });

  test('is a day of São Paulo, not of UTC', () => {
    expect(promisedDate(new Date('2026-03-11T02:59:59Z'))).toBe('2026-03-10');
    expect(promisedDate(new Date('2026-03-11T03:00:00Z'))).toBe('2026-03-11');
  });

  test.each([
    ['a Saturday', '2026-03-14', '2026-03-16'],
    ['a Sunday', '2026-03-15', '2026-03-16'],
    ['New Year', '2027-01-01', '2027-01-04'],
    ['Carnival, from its Saturday', '2026-02-14', '2026-02-18'],
    ['Good Friday', '2026-04-03', '2026-04-06'],
    ['Tiradentes', '2026-04-21', '2026-04-22'],
    ['Labour Day on a Friday', '2026-05-01', '2026-05-04'],
    ['Corpus Christi', '2026-06-04', '2026-06-05'],
    ['Independence Day', '2026-09-07', '2026-09-08'],
    ['Nossa Senhora Aparecida', '2026-10-12', '2026-10-13'],
    ['Finados', '2026-11-02', '2026-11-03'],
    ['the Republic', '2027-11-15', '2027-11-16'],
    ['Consciência Negra on a Friday', '2026-11-20', '2026-11-23'],
    ['Christmas on a Friday', '2026-12-25', '2026-12-28'],
  ])('on %s it is the next business day', (_, day, promised) => {
    expect(promisedDate(noon(day))).toBe(promised);
  });

  test('the 20th of November is a holiday since 2024', () => {
    expect(promisedDate(noon('2023-11-20'))).toBe('2023-11-20');
    expect(promisedDate(noon('2024-11-20'))).toBe('2024-11-21');
  });

  test('Ash Wednesday is a business day', () => {
    expect(promisedDate(noon('2026-02-18'))).toBe('2026-02-18');
  });

  test('is never before the arrival, never on a day off, at most six days later', () => {
    const anyTime = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(anyTime, (eta) => {
        const day = midnight(promisedDate(eta));
        expect([0, 6]).not.toContain(day.getUTCDay());
        expect(promisedDate(noon(promisedDate(eta)))).toBe(promisedDate(eta));
        // The day begins at three or, in past summers, at two o'clock UTC.
        const hours = (day.getTime() - eta.getTime()) / 3_600_000;
        expect(hours).toBeGreaterThanOrEqual(-27);
        expect(hours).toBeLessThan(6 * 24);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  '1961-04-02',
  '2000-04-23',
  '2008-03-23',
  '2019-04-21',
  '2024-03-31',
  '2025-04-20',
  '2026-04-05',
  '2038-04-25',
  '2049-04-18',
  '2076-04-19',
])('Easter falls on %s: Corpus Christi, 60 days later, is a day off', (day) => {
  const corpusChristi = midnight(day).getTime() + 60 * DAY_MS;
  expect(promisedDate(new Date(corpusChristi + DAY_MS / 2))).toBe(isoDay(corpusChristi + DAY_MS));
});
