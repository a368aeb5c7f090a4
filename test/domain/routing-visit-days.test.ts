import { expect, test } from '@jest/globals';
import { type Weekday, weekdays } from '../../src/base/weekdays.js';
import { calendarAt } from '../../src/routing/calendar.js';
import { type VisitDays, waypointsAlong } from '../../src/routing/timetable.js';
import { between, randomFrom } from '../support/random.js';

const calendar = calendarAt({ city: 'São Paulo', state: 'SP' });
const HOUR = 3600;

/** Arrivals at a pickup and two deliveries, an hour apart, at places with these visit days. */
function etas(departAt: Date, days: readonly (VisitDays | undefined)[], restDays = 0): Date[] {
  const seconds = days.map(() => days.map(() => HOUR));
  const legs = { metres: seconds, seconds, calendars: days.map(() => calendar), days };
  const notBefore = [departAt.getTime()];
  return waypointsAlong([0, 1, 2], 1, { ...legs, notBefore }, restDays).map(({ eta }) => eta);
}

const on = (some: Weekday[], extraWorkdays = 0): VisitDays => ({ weekdays: some, extraWorkdays });
const daily = on([...weekdays]);
const dates = (times: readonly Date[]) => times.map((time) => time.toISOString().slice(0, 16));

// A Wednesday, 09:00 in São Paulo.
const wednesday = new Date('2026-03-11T12:00:00Z');

test('places with all weekdays and no extra workdays have the same times as places without visit days', () => {
  expect(etas(wednesday, [daily, daily, daily], 2)).toEqual(etas(wednesday, [undefined, undefined, undefined], 2));
});

test('a delivery waits for a day of its place, and the next delivery does not wait with it', () => {
  const times = etas(wednesday, [daily, on(['monday']), daily]);
  expect(dates(times)).toEqual(['2026-03-11T12:00', '2026-03-16T11:00', '2026-03-11T14:09']);
});

test('a pickup waits for a day of its place, and all deliveries wait with it', () => {
  const times = etas(wednesday, [on(['friday']), daily, daily]);
  expect(dates(times)).toEqual(['2026-03-13T11:00', '2026-03-13T12:05', '2026-03-13T13:09']);
});

test('extra workdays delay deliveries, but not pickups', () => {
  const later = on([...weekdays], 3);
  // Saturday is a workday, Sunday is not.
  expect(dates(etas(wednesday, [later, later, daily]))).toEqual([
    ...['2026-03-11T12:00', '2026-03-14T13:05', '2026-03-11T14:09'],
  ]);
  expect(dates(etas(wednesday, [daily, on([...weekdays], 4), daily]))[1]).toBe('2026-03-16T13:05');
});

test('a holiday is no visit day, and a place with Sundays only is visited on the next workday', () => {
  // Friday 3 April 2026 is Good Friday.
  expect(dates(etas(new Date('2026-04-01T12:00:00Z'), [daily, on(['friday']), daily]))[1]).toBe('2026-04-10T11:00');
  expect(etas(wednesday, [daily, on(['sunday']), daily])).toEqual(etas(wednesday, [daily, daily, daily]));
});

test('a later departure, one more extra workday or one weekday less never makes an arrival earlier', () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  for (let round = 0; round < 2_000; round++) {
    const place = () =>
      on(
        weekdays.filter((day) => day === 'tuesday' || random() < 0.5),
        between(random, 0, 4),
      );
    const places = [place(), place(), place()];
    const departAt = new Date(wednesday.getTime() + between(random, 0, 60 * 24 * 60) * 60_000);
    const times = etas(departAt, places);
    const isEarlier = (others: readonly Date[]) => others.some((time, at) => time < (times[at] ?? time));
    const later = new Date(departAt.getTime() + between(random, 1, 3 * 24 * 60) * 60_000);
    const fewer = places.map((each) =>
      on(
        each.weekdays.filter((day) => day === 'tuesday' || random() < 0.7),
        each.extraWorkdays,
      ),
    );
    const slower = places.map((each) => on([...each.weekdays], each.extraWorkdays + 1));
    const shown = { seed, round, departAt, places };
    expect([
      isEarlier(etas(later, places)),
      isEarlier(etas(departAt, fewer)),
      isEarlier(etas(departAt, slower)),
      shown,
    ]).toEqual([...[false, false, false, shown]]);
  }
});
