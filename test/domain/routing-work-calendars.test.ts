import { describe, expect, test } from '@jest/globals';
import { HOUR_MS } from '../../src/base/clock.js';
import { type Weekday, weekdays } from '../../src/base/weekdays.js';
import { calendarAt, collectionFrom, dayOf, standardCalendar, type WorkCalendar } from '../../src/routing/calendar.js';
import { deliveryWindow, waypointsAlong } from '../../src/routing/timetable.js';
import { between, type Random, randomFrom } from '../support/random.js';

const saoPaulo = { city: 'São Paulo', state: 'SP' };
const santos = { city: 'Santos', state: 'SP' };
const rio = { city: 'Rio de Janeiro', state: 'RJ' };
const manaus = { city: 'Manaus', state: 'AM' };
const rioBranco = { city: 'Rio Branco', state: 'AC' };
const noronha = { city: 'Fernando de Noronha', state: 'PE' };
const towns = [saoPaulo, santos, rio, manaus, rioBranco, noronha];
type Town = typeof saoPaulo;

const fromNoon = (hour: number) => (hour - 12) * HOUR_MS;
const calendar = (changes: Partial<WorkCalendar>): WorkCalendar => ({ ...standardCalendar, ...changes });
const closedIn = (
  municipality: Town | undefined,
  state: string | undefined,
  ...days: string[]
): WorkCalendar['closed'] => ({
  country: new Set(municipality || state ? [] : days),
  states: new Map(state ? [[state, new Set(days)]] : []),
  municipalities: new Map(municipality ? [[`${municipality.city} - ${municipality.state}`, new Set(days)]] : []),
});

const firstVisit = (place: Town, orderedAt: string, work: WorkCalendar): string | undefined => {
  const local = calendarAt(place, work);
  const notBefore = [collectionFrom(new Date(orderedAt), local)];
  const [waypoint] = waypointsAlong([0], 1, { metres: [[0]], seconds: [[0]], calendars: [local], notBefore });
  return waypoint?.eta.toISOString();
};

// 2026-03-10 is a Tuesday.
describe('an order', () => {
  const untilEleven = calendar({ cutoff: fromNoon(11) });
  test.each([
    ['São Paulo', saoPaulo, '-03:00'],
    ['Manaus', manaus, '-04:00'],
    ['Rio Branco', rioBranco, '-05:00'],
    ['Fernando de Noronha', noronha, '-02:00'],
  ])('in %s is collected today if it comes before the cut-off, and otherwise tomorrow', (_, place, zone) => {
    const at = (time: string) => new Date(`2026-03-10T${time}${zone}`).toISOString();
    const tomorrow = new Date(`2026-03-11T08:00:00${zone}`).toISOString();
    expect(firstVisit(place, at('10:59:59'), untilEleven)).toBe(at('11:29:59'));
    expect(firstVisit(place, at('10:59:59.999'), untilEleven)).toBe(at('11:29:59.999'));
    expect(firstVisit(place, at('11:00:00'), untilEleven)).toBe(tomorrow);
    expect(firstVisit(place, at('19:00:00'), untilEleven)).toBe(tomorrow);
    expect(firstVisit(place, at('11:00:00'), standardCalendar)).toBe(at('11:30:00'));
  });

  test('after the cut-off of a Friday waits for Saturday if couriers work then, or else for Monday', () => {
    const friday = '2026-03-13T15:00:00Z';
    expect(firstVisit(saoPaulo, friday, calendar({ cutoff: fromNoon(11) }))).toBe('2026-03-14T11:00:00.000Z');
    const weekend = { cutoff: fromNoon(11), saturdays: false };
    expect(firstVisit(saoPaulo, friday, calendar(weekend))).toBe('2026-03-16T11:00:00.000Z');
    expect(firstVisit(saoPaulo, friday, calendar({ ...weekend, sundays: true }))).toBe('2026-03-15T11:00:00.000Z');
  });

  test('is collected after its lead time, which may be later than the next opening', () => {
    expect(firstVisit(saoPaulo, '2026-03-10T12:00:00Z', calendar({ leadMs: 0 }))).toBe('2026-03-10T12:00:00.000Z');
    expect(firstVisit(saoPaulo, '2026-03-10T12:00:00Z', calendar({ leadMs: 2 * HOUR_MS }))).toBe(
      '2026-03-10T14:00:00.000Z',
    );
    const slow = calendar({ leadMs: 24 * HOUR_MS, cutoff: fromNoon(11) });
    expect(firstVisit(saoPaulo, '2026-03-10T18:00:00Z', slow)).toBe('2026-03-11T18:00:00.000Z');
  });

  test('is collected in the hours of the calendar', () => {
    const short = calendar({ opening: fromNoon(9.5), closing: fromNoon(17) });
    expect(firstVisit(saoPaulo, '2026-03-10T09:00:00Z', short)).toBe('2026-03-10T12:30:00.000Z');
    expect(firstVisit(saoPaulo, '2026-03-10T19:25:00Z', short)).toBe('2026-03-10T19:55:00.000Z');
    expect(firstVisit(saoPaulo, '2026-03-10T19:26:00Z', short)).toBe('2026-03-11T12:30:00.000Z');
  });
});

describe('own days off', () => {
  // A Monday.
  const founding = '2027-01-25T13:00:00Z';
  const next = '2027-01-26T11:00:00.000Z';
  const sameDay = '2027-01-25T13:30:00.000Z';

  test('close a municipality and no other', () => {
    const work = calendar({ closed: closedIn(saoPaulo, undefined, '2027-01-25') });
    expect(firstVisit(saoPaulo, founding, work)).toBe(next);
    expect(firstVisit(santos, founding, work)).toBe(sameDay);
    expect(firstVisit({ city: 'São Paulo', state: 'XX' }, founding, work)).toBe(sameDay);
  });

  test('close the municipalities of a state and no other', () => {
    const work = calendar({ closed: closedIn(undefined, 'SP', '2027-01-25') });
    expect(firstVisit(saoPaulo, founding, work)).toBe(next);
    expect(firstVisit(santos, founding, work)).toBe(next);
    expect(firstVisit(rio, founding, work)).toBe(sameDay);
  });

  test('close the whole country, and no line-haul moves', () => {
    const work = calendar({ closed: closedIn(undefined, undefined, '2027-01-25') });
    expect([firstVisit(saoPaulo, founding, work), firstVisit(rio, founding, work)]).toEqual([next, next]);
    expect(dayOf(Date.parse(founding), calendarAt(rio, work))).toMatchObject({
      isBusinessDay: false,
      isWorkday: false,
    });
  });

  test('are added to the national holidays', () => {
    const work = calendar({ closed: closedIn(undefined, undefined, '2026-12-24', '2026-12-26') });
    // Christmas is a Friday, and a Sunday follows.
    expect(firstVisit(saoPaulo, '2026-12-24T13:00:00Z', work)).toBe('2026-12-28T11:00:00.000Z');
  });
});

describe('a window of a delivery', () => {
  const hours = { opening: '09:00', closing: '12:00' };
  const windowAt = (eta: string) =>
    deliveryWindow({ eta: new Date(eta), leftAt: undefined, hours }, saoPaulo, new Date('2026-03-10T00:00:00Z'));

  test('lies in the hours of the calendar', () => {
    const whole = { from: new Date('2026-03-10T12:00:00Z'), to: new Date('2026-03-10T15:00:00Z') };
    expect(windowAt('2026-03-10T13:10:00Z')).toEqual(whole);
  });

  test('contains an arrival outside these hours that another calendar planned', () => {
    const evening = { from: new Date('2026-03-10T20:00:00Z'), to: new Date('2026-03-11T00:00:00Z') };
    expect(windowAt('2026-03-10T21:10:00Z')).toEqual(evening);
  });
});

describe('with any calendar and in all time zones', () => {
  const seed = Date.now() % 1_000_000;
  const firstDay = Date.parse('2026-12-01T12:00:00Z');
  const dateAt = (day: number) => new Date(firstDay + day * 24 * HOUR_MS).toISOString().slice(0, 10);
  const anyDates = (random: Random, most: number) =>
    new Set(Array.from({ length: between(random, 0, most) }, () => dateAt(between(random, 0, 40))));

  function anyCalendar(random: Random): WorkCalendar {
    const opening = between(random, 2, 28) / 2;
    const closing = Math.min(22, opening + between(random, 2, 40) / 2);
    return {
      leadMs: between(random, 0, 600) * 60_000,
      cutoff: random() < 0.3 ? undefined : fromNoon(opening + random() * (closing - opening)),
      opening: fromNoon(opening),
      closing: fromNoon(closing),
      saturdays: random() < 0.5,
      sundays: random() < 0.3,
      closed: {
        country: anyDates(random, 5),
        states: new Map(['SP', 'AM', 'AC', 'PE'].map((state) => [state, anyDates(random, 5)])),
        municipalities: new Map(towns.map(({ city, state }) => [`${city} - ${state}`, anyDates(random, 5)])),
      },
    };
  }

  const anyOrder = (random: Random) => {
    const places = Array.from({ length: between(random, 2, 7) }, () => towns[between(random, 0, 5)] ?? saoPaulo);
    const pickups = between(random, 1, places.length - 1);
    const km = places.map(() => places.map(() => (random() < 0.7 ? random() * 400 : 400 + random() * 3_000)));
    return {
      places,
      pickups,
      restDays: random() < 0.3 ? between(random, 1, 4) : 0,
      metres: km.map((row) => row.map((each) => each * 1_000)),
      seconds: km.map((row) => row.map((each) => (each / 35) * 3_600)),
      days: places.map(() =>
        random() < 0.5
          ? undefined
          : {
              weekdays: weekdays.filter((day): day is Weekday => day === 'wednesday' || random() < 0.5),
              extraWorkdays: between(random, 0, 3),
            },
      ),
      firstDays: places.map((_, stop) => (stop >= pickups && random() < 0.3 ? dateAt(between(random, 0, 40)) : null)),
      orderedAt: firstDay + between(random, 0, 35 * 24 * 3_600) * 1_000,
    };
  };

  function etas({ places, pickups, restDays, orderedAt, ...legs }: ReturnType<typeof anyOrder>, work: WorkCalendar) {
    const calendars = places.map((place) => calendarAt(place, work));
    const notBefore = calendars.slice(0, pickups).map((local) => collectionFrom(new Date(orderedAt), local));
    const order = places.map((_, stop) => stop);
    return waypointsAlong(order, pickups, { ...legs, calendars, notBefore }, restDays).map(({ eta }) => eta.getTime());
  }

  const isEarlier = (times: readonly number[], than: readonly number[]) =>
    times.some((time, at) => time < (than[at] ?? Number.NaN));

  function withDayOff(random: Random, { closed, ...work }: WorkCalendar): WorkCalendar {
    const country = new Set(closed.country);
    const states = new Map([...closed.states].map(([state, dates]) => [state, new Set(dates)]));
    const municipalities = new Map([...closed.municipalities].map(([name, dates]) => [name, new Set(dates)]));
    const lists = [country, ...states.values(), ...municipalities.values()];
    lists[random() < 0.4 ? 0 : between(random, 0, lists.length - 1)]?.add(dateAt(between(random, 0, 45)));
    return { ...work, closed: { country, states, municipalities } };
  }

  test('every arrival lies in the working hours of its place, and none comes earlier for less working time', () => {
    const random = randomFrom(seed);
    for (let round = 0; round < 10_000; round++) {
      const order = anyOrder(random);
      const work = anyCalendar(random);
      const times = etas(order, work);
      const outside = times.filter((time, stop) => {
        const day = dayOf(time, calendarAt(order.places[stop] ?? saoPaulo, work));
        return !day.isWorkday || time < day.opening || time >= day.closing;
      });
      const { cutoff = work.closing } = work;
      const sooner = { ...work, cutoff: Math.max(work.opening, cutoff - between(random, 0, 6 * 60) * 60_000) };
      const later = { ...order, orderedAt: order.orderedAt + between(random, 1, 3 * 24 * 3_600) * 1_000 };
      const wrong = {
        outside: outside.length > 0,
        dayOff: isEarlier(etas(order, withDayOff(random, work)), times),
        cutoff: isEarlier(etas(order, sooner), times),
        lead: isEarlier(etas(order, { ...work, leadMs: work.leadMs + 3_600_000 }), times),
        order: isEarlier(etas(later, work), times),
      };
      const right = { outside: false, dayOff: false, cutoff: false, lead: false, order: false };
      expect({ seed, round, ...wrong }).toEqual({ seed, round, ...right });
    }
  });
});
