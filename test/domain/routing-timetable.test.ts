import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { calendarAt } from '../../src/routing/calendar.js';
import { waypointsAlong } from '../../src/routing/timetable.js';

interface Leg {
  km: number;
  hours: number;
  /** The end of the leg. Without it, the leg ends in São Paulo. */
  to?: Town;
}

type Town = Parameters<typeof calendarAt>[0];

const saoPaulo: Town = { city: 'São Paulo', state: 'SP' };
const manaus: Town = { city: 'Manaus', state: 'AM' };
const rioBranco: Town = { city: 'Rio Branco', state: 'AC' };

/** A pickup, then a delivery at the end of each leg. */
function tableOf(legs: readonly Leg[], from: Town) {
  const legsInto = [{ km: 0, hours: 0, to: from }, ...legs];
  return {
    metres: legsInto.map(() => legsInto.map(({ km }) => km * 1_000)),
    seconds: legsInto.map(() => legsInto.map(({ hours }) => hours * 3_600)),
    calendars: legsInto.map(({ to = saoPaulo }) => calendarAt(to)),
  };
}

function etas(departAt: Date, legs: readonly Leg[], from = saoPaulo): Date[] {
  const order = Array.from({ length: legs.length + 1 }, (_, stop) => stop);
  const table = { ...tableOf(legs, from), notBefore: [departAt.getTime()] };
  return waypointsAlong(order, 1, table).map(({ eta }) => eta);
}

/** A time of day in São Paulo, which is three hours behind UTC since 2019. */
const at = (local: string): Date => new Date(`${local.replace(' ', 'T')}:00-03:00`);
const local = (time: Date): string => new Date(time.getTime() - 3 * 3_600_000).toISOString().slice(0, 16);
/** The arrivals after this departure, as one text. */
const arrivals = (departure: string, ...legs: Leg[]): string => {
  const [first = '', ...others] = etas(at(departure), legs).map((eta) => local(eta).replace('T', ' '));
  if (legs.length > 0) expect(first).toBe(departure);
  return legs.length > 0 ? others.join(', ') : first;
};
/** The same for a day in 2026, without the year. */
const arrivals2026 = (day: string, ...legs: Leg[]) => arrivals(`2026-${day}`, ...legs).replaceAll('2026-', '');

const nextDoor: Leg = { km: 0, hours: 0 };
const hours = (count: number): Leg => ({ km: Math.min(count * 40, 400), hours: count });
const lineHaul = (km: number): Leg => ({ km, hours: km / 70 });

// 2026-03-09 is a Monday.
describe('the first pickup', () => {
  test.each([
    ['in the working day is at once', '2026-03-10 11:20', '2026-03-10 11:20'],
    ['before opening waits for it', '2026-03-10 04:00', '2026-03-10 08:00'],
    ['that could not end by closing is made the next morning', '2026-03-10 19:56', '2026-03-11 08:00'],
    ['that ends at closing is still made', '2026-03-10 19:55', '2026-03-10 19:55'],
    ['after closing is made the next morning', '2026-03-10 22:00', '2026-03-11 08:00'],
    ['on a Saturday is made like any other day', '2026-03-14 10:00', '2026-03-14 10:00'],
    ['on a Saturday evening waits for Monday', '2026-03-14 21:00', '2026-03-16 08:00'],
    ['on a Sunday waits for Monday', '2026-03-15 10:00', '2026-03-16 08:00'],
    ['on a holiday waits for the next workday', '2026-04-21 10:00', '2026-04-22 08:00'],
    ['on Good Friday waits for Saturday', '2026-04-03 10:00', '2026-04-04 08:00'],
    ['on a Saturday that is a holiday waits for Monday', '2027-05-01 10:00', '2027-05-03 08:00'],
    ['at the end of a year waits for the next', '2026-12-31 20:00', '2027-01-02 08:00'],
  ])('%s', (_, departure, eta) => {
    expect(arrivals(departure)).toBe(eta);
  });
});

describe('a leg by courier', () => {
  test.each<[string, string, Leg[], string]>([
    ['adds the driving to the time at the stop', '03-10 09:00', [hours(1), nextDoor], '03-10 10:05, 03-10 10:09'],
    ['pauses in the evening and goes on the next morning', '03-10 18:55', [hours(3)], '03-11 10:00'],
    ['pauses from Saturday evening to Monday', '03-14 18:55', [hours(3)], '03-16 10:00'],
    ['ends the next morning where the delivery could not end', '03-10 18:00', [hours(1.9)], '03-11 08:00'],
    ['pauses after ten hours of driving a day', '03-10 08:00', [hours(30)], '03-12 18:00'],
    ['counts the legs before it too', '03-10 08:00', [hours(6), hours(5)], '03-10 14:05, 03-11 09:00'],
    ['of ten hours ends the day that it began', '03-10 08:00', [hours(10), nextDoor], '03-10 18:05, 03-10 18:09'],
  ])('%s', (_, departure, legs, expected) => {
    expect(arrivals2026(departure, ...legs)).toBe(expected);
  });
});

describe('a leg by line-haul', () => {
  test.each<[string, string, Leg[], string]>([
    ['does not begin within 400 km', '03-10 08:00', [{ km: 400, hours: 6 }], '03-10 14:05'],
    ['begins beyond 400 km', '03-10 08:00', [{ km: 420, hours: 6 }], '03-10 15:05'],
    ['that arrives at 05:05 is delivered in the morning', '03-10 09:00', [lineHaul(1_200)], '03-11 08:00'],
    ['goes on at night', '03-10 09:00', [lineHaul(1_800)], '03-11 15:05'],
    ['stands still from Friday midnight to Monday', '03-13 18:55', [lineHaul(1_200)], '03-16 15:00'],
    ['stands still on a Saturday', '03-14 10:00', [lineHaul(600)], '03-16 10:00'],
    ['stands still on a holiday', '04-20 18:55', [lineHaul(1_200)], '04-22 15:00'],
    ['that arrives on a Saturday at midnight is delivered then', '03-13 08:00', [lineHaul(955)], '03-14 08:00'],
    [
      'hands over to a courier who has not driven yet',
      '03-10 08:00',
      [hours(5), lineHaul(420), hours(4)],
      '03-10 13:05, 03-11 08:00, 03-11 12:04',
    ],
  ])('%s', (_, departure, legs, expected) => {
    expect(arrivals2026(departure, ...legs)).toBe(expected);
  });
});

test('hours follow the clocks of São Paulo in summer time, too, and no change of clocks holds a leg up for ever', () => {
  // Two hours behind UTC until the 17th of February 2019, a Sunday.
  expect(etas(new Date('2019-02-15T21:00:00Z'), [lineHaul(1_200)])).toEqual([
    new Date('2019-02-15T21:00:00Z'),
    new Date('2019-02-18T18:05:00Z'),
  ]);
  // From the 4th of November 2018 on, a Sunday; the Friday before it was a holiday.
  expect(etas(new Date('2018-11-01T22:55:00Z'), [lineHaul(1_200)])).toEqual([
    new Date('2018-11-01T22:55:00Z'),
    new Date('2018-11-05T18:00:00Z'),
  ]);
});

describe('in another time zone', () => {
  const nextMorning = (from: Town): string | undefined => etas(at('2026-03-10 22:30'), [], from)[0]?.toISOString();

  test.each<[string, Town, string]>([
    ['São Paulo', saoPaulo, '11:00'],
    ['Fernando de Noronha', { city: 'Fernando de Noronha', state: 'PE' }, '10:00'],
    ['Recife', { city: 'Recife', state: 'PE' }, '11:00'],
    ['Manaus', manaus, '12:00'],
    ['Tabatinga, in the west of Amazonas', { city: 'Tabatinga', state: 'AM' }, '13:00'],
    ['Tabatinga in Minas Gerais', { city: 'Tabatinga', state: 'MG' }, '11:00'],
    ['Rio Branco', rioBranco, '13:00'],
    ['Porto Velho', { city: 'Porto Velho', state: 'RO' }, '12:00'],
    ['Boa Vista', { city: 'Boa Vista', state: 'RR' }, '12:00'],
    ['Cuiabá', { city: 'Cuiabá', state: 'MT' }, '12:00'],
    ['Campo Grande', { city: 'Campo Grande', state: 'MS' }, '12:00'],
  ])('couriers begin at 08:00 of their own: %s', (_, town, time) => {
    expect(nextMorning(town)).toBe(`2026-03-11T${time}:00.000Z`);
  });

  const toAcre = { to: rioBranco };
  test.each<[string, string, Leg[], Town, string]>([
    [
      'what arrives by line-haul at 06:28 waits for 08:00',
      '08:00',
      [{ ...lineHaul(1_463), ...toAcre }],
      saoPaulo,
      '11T10:00',
    ],
    ['a leg to the west may arrive before opening', '08:00', [{ ...hours(1), ...toAcre }], saoPaulo, '10T10:00'],
    ['a leg to the east may arrive after closing', '18:50', [hours(1.5)], manaus, '11T08:00'],
    [
      'a courier who waits for opening has driven all the same',
      '08:00',
      [1, 9.5].map((count) => ({ ...hours(count), ...toAcre })),
      saoPaulo,
      '11T10:30',
    ],
  ])('%s', (_, departure, legs, from, expected) => {
    const eta = etas(at(`2026-03-10 ${departure}`), legs, from).at(-1);
    expect(eta && local(eta)).toBe(`2026-03-${expected}`);
  });
});

test('a leg with an impossible time from a routing engine ends within half a year', () => {
  const [, courier, hauled] = etas(at('2026-03-10 08:00'), [
    { km: 1, hours: 1e300 },
    { km: 1e300, hours: 1 },
  ]);
  expect(courier?.getTime()).toBeLessThan(at('2026-07-01 00:00').getTime());
  expect(hauled?.getTime()).toBeLessThan(at('2026-09-01 00:00').getTime());
});

describe('with any legs and any departure', () => {
  const anyLeg: fc.Arbitrary<Leg> = fc.oneof(
    fc.double({ min: 0, max: 400, noNaN: true }).map((km) => ({ km, hours: km / 30 })),
    fc.double({ min: 400, max: 5_000, noNaN: true }).map((km) => ({ km, hours: km / 70 })),
    fc.constant(nextDoor),
  );
  const anyTown = fc.constantFrom(saoPaulo, manaus, rioBranco, { city: 'Fernando de Noronha', state: 'PE' });
  const anyLegs = fc.array(
    fc.tuple(anyLeg, anyTown).map(([leg, to]) => ({ ...leg, to })),
    { maxLength: 12 },
  );
  const anyTime = fc.date({ min: new Date('2015-01-01'), max: new Date('2040-12-31'), noInvalidDate: true });
  const digits = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const clocks = new Map(
    Object.entries({ SP: 'Sao_Paulo', AM: 'Manaus', AC: 'Rio_Branco', PE: 'Noronha' }).map(([state, zone]) => {
      const timeZone = `America/${zone}`;
      return [state, new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', ...digits })];
    }),
  );

  test('every visit begins and ends in the working hours of a day, and later than the one before', () => {
    fc.assert(
      fc.property(anyTime, anyLegs, (departAt, legs) => {
        const visits = etas(departAt, legs);
        visits.forEach((eta, stop) => {
          const visitMs = (stop === 0 ? 5 : 4) * 60_000;
          const clock = clocks.get((legs[stop - 1]?.to ?? saoPaulo).state);
          const [weekday, begin = ''] = clock?.format(eta).split(' ') ?? [];
          const [, end = ''] = clock?.format(new Date(eta.getTime() + visitMs)).split(' ') ?? [];
          expect(weekday).not.toBe('Sun');
          expect(begin >= '08:00:00' && end <= '20:00:00' && begin < end).toBe(true);
          const previous = visits[stop - 1] ?? new Date(departAt.getTime() - 1);
          expect(eta.getTime()).toBeGreaterThan(previous.getTime());
        });
      }),
      { numRuns: 200 },
    );
  });

  test('a later departure never arrives earlier', () => {
    const delays = fc.integer({ min: 1, max: 7 * 24 * 3_600_000 });
    fc.assert(
      fc.property(anyTime, delays, anyLegs, (departAt, delay, legs) => {
        const later = etas(new Date(departAt.getTime() + delay), legs);
        etas(departAt, legs).forEach((eta, stop) => {
          expect(later[stop]?.getTime()).toBeGreaterThanOrEqual(eta.getTime());
        });
      }),
      { numRuns: 300 },
    );
  });
});
