import { describe, expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '../../src/base/clock.js';
import type { FieldError, ServiceError } from '../../src/base/errors.js';
import type { Place } from '../../src/base/place.js';
import { weekdays } from '../../src/base/weekdays.js';
import type { OrderInput, PackageInput } from '../../src/orders/order.js';
import { checkDates, checkPlannedDates } from '../../src/orders/order-dates.js';
import { estimateOrder, planOrder } from '../../src/orders/plan-order.js';
import { embeddedGeocoder } from '../../src/routing/address/embedded-geocoder.js';
import { calendarAt, dayOf, promisedDate, standardCalendar, type WorkCalendar } from '../../src/routing/calendar.js';
import { planRoute } from '../../src/routing/planning.js';
import type { VisitDays } from '../../src/routing/timetable.js';
import { between, type Random, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { orderInput, packageInput, planDeps } from './orders-fixtures.js';
import { planning } from './routing-support.js';

const { db } = await ownDatabase();
const { id } = await makeAccount(db);

const MINUTE_MS = 60_000;
// A Wednesday, 09:00 in São Paulo.
const now = new Date('2026-11-18T12:00:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
const dateAfter = (days: number): string =>
  later(days * DAY_MS)
    .toISOString()
    .slice(0, 10);

/** Places in four time zones. Some are known only by the name of the city. */
const addresses = [
  ...['Av. Paulista, 1578, São Paulo - SP', 'Rua Oscar Freire, 300, São Paulo - SP', 'Campinas - SP', 'Santos - SP'],
  ...['Curitiba - PR', 'Belo Horizonte - MG', 'Recife - PE', 'Manaus - AM', 'Cuiabá - MT', 'Rio Branco - AC'],
  ...['Porto Velho - RO', 'Salvador - BA', 'Porto Alegre - RS', 'Goiânia - GO', 'Belém - PA', 'Tabatinga - AM'],
];

const placeOf = (address: string): Place => {
  const located = embeddedGeocoder.read(address);
  if (!located?.ok) throw new Error(`${address} has no place`);
  return located.place;
};
const stops = addresses.flatMap((address) => {
  const place = placeOf(address);
  // No road leads from the other places to Tabatinga.
  return place.city === 'Tabatinga' ? [] : [{ address, place }];
});

const oneOf = <T>(random: Random, values: readonly T[]): T => {
  const value = values[between(random, 0, values.length - 1)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
};

describe('a random order', () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);

  /** Random visit days of places: sometimes none, sometimes a few days with extra workdays. */
  function randomVisitDays(): (place: Place) => VisitDays | undefined {
    if (random() < 0.5) return () => undefined;
    const days = weekdays.filter((day) => day === 'thursday' || random() < 0.6);
    const extraWorkdays = between(random, 0, 3);
    return ({ state }) => (state < 'P' ? { weekdays: days, extraWorkdays } : undefined);
  }

  /** A random calendar: mostly with own hours, sometimes with Sundays, a cut-off or days off. */
  function randomCalendar(): WorkCalendar {
    if (random() < 0.3) return standardCalendar;
    const country = new Set(Array.from({ length: between(random, 0, 8) }, () => dateAfter(between(random, 0, 60))));
    return {
      leadMs: between(random, 0, 240) * MINUTE_MS,
      cutoff: random() < 0.5 ? between(random, -4, 4) * HOUR_MS : undefined,
      opening: between(random, -6, -1) * HOUR_MS,
      closing: between(random, 2, 8) * HOUR_MS,
      saturdays: random() < 0.5,
      sundays: random() < 0.3,
      closed: { ...standardCalendar.closed, country },
    };
  }

  test('is never planned earlier when it is ready later, and each package is delivered on its own days', async () => {
    for (let round = 0; round < 10_000; round++) {
      const pickups = [oneOf(random, stops)];
      const count = between(random, 1, 3);
      const firstDays = Array.from({ length: count }, () =>
        random() < 0.5 ? dateAfter(between(random, 0, 60)) : null,
      );
      const deliveries = firstDays.map((firstDay) => ({ ...oneOf(random, stops), pickupIndex: 0, firstDay }));
      const readyAt = later(between(random, 0, 30 * 24 * 60) * MINUTE_MS);
      const visitDays = randomVisitDays();
      const calendar = randomCalendar();
      const restDays = between(random, 0, 1) * 3;
      const plan = async (at: Date, some = deliveries) =>
        (
          await planRoute(planning, { pickups, deliveries: some }, now, { visitDays, calendar, readyAt: at })
        ).restingDays(restDays);
      const times = await plan(readyAt);
      const delayed = await plan(new Date(readyAt.getTime() + between(random, 1, 5 * 24 * 60) * MINUTE_MS));
      const [first] = deliveries;
      const hasty = await plan(
        readyAt,
        deliveries.map((each) => (each === first ? { ...each, firstDay: null } : each)),
      );
      const shown = { seed, round, readyAt, deliveries, restDays, calendar };
      const wrong = deliveries.flatMap(({ place, firstDay }, at) => {
        const { eta } = times.deliveries[at] ?? {};
        const day = dayOf(eta?.getTime() ?? 0, calendarAt(place, calendar));
        return [
          ...(eta && (delayed.deliveries[at]?.eta ?? 0) >= eta ? [] : ['earlier']),
          ...(firstDay !== null && day.date < firstDay ? ['too early'] : []),
          ...(day.isWorkday && eta && +eta >= day.opening && +eta <= day.closing ? [] : ['out of hours']),
          ...(at > 0 && hasty.deliveries[at]?.eta.getTime() !== eta?.getTime() ? ['waited for another'] : []),
          ...(at === 0 && eta && (hasty.deliveries[at]?.eta ?? 0) > eta ? ['earlier than without a day'] : []),
        ];
      });
      const planned = deliveries.map((_, at) => ({
        deliverBy: random() < 0.7 ? dateAfter(between(random, 0, 60)) : null,
        promisedDate: promisedDate(times.deliveries[at]?.eta ?? now),
      }));
      const refusals = checkPlannedDates(planned, now);
      const late = planned.flatMap(({ deliverBy, promisedDate: date }, at) =>
        deliverBy !== null && date > deliverBy ? [[`packages.${at}.deliverBy`, 'too_early', date]] : [],
      );
      const named = planned.map((each, at) => {
        const firstDate = refusals.find(({ field }) => field === `packages.${at}.deliverBy`)?.firstDate;
        return { ...each, deliverBy: firstDate ?? each.deliverBy };
      });
      const codes = refusals.map(({ field, code, firstDate }) => [field, code, firstDate]);
      expect({ wrong, codes, named: checkPlannedDates(named, now), shown }).toEqual({
        ...{ wrong: [], codes: late, named: [], shown },
      });
    }
  });
});

describe('the times and days of an order', () => {
  const faults = (errors: readonly FieldError[]) => errors.map(({ field, code }) => `${field} ${code}`);
  const ready = (readyAt: Date) => faults(checkDates({ ...orderInput(), readyAt }, now));
  const days = (...some: Partial<PackageInput>[]) =>
    faults(checkDates({ ...orderInput(), packages: some.map((each, at) => ({ ...packageInput(at), ...each })) }, now));

  test('may be from five minutes ago, because clocks differ, to 30 days ahead', () => {
    expect(ready(later(-5 * MINUTE_MS))).toEqual([]);
    expect(ready(later(-5 * MINUTE_MS - 1))).toEqual(['readyAt too_early']);
    expect(ready(later(30 * DAY_MS + 5 * MINUTE_MS))).toEqual([]);
    expect(ready(later(30 * DAY_MS + 5 * MINUTE_MS + 1))).toEqual(['readyAt too_late']);
  });

  test('are refused at the package that has the wrong day', () => {
    expect(days({ deliverFrom: dateAfter(0) }, { deliverFrom: dateAfter(60), deliverBy: dateAfter(60) })).toEqual([]);
    expect(days({ deliverFrom: dateAfter(-1) }, { deliverFrom: dateAfter(61) })).toEqual([
      ...['packages.0.deliverFrom too_early', 'packages.1.deliverFrom too_late'],
    ]);
    expect(days({}, { deliverFrom: dateAfter(3), deliverBy: dateAfter(2) })).toEqual([
      'packages.1.deliverBy contradiction',
    ]);
  });

  test('may be a day that is still today only in Acre', () => {
    const night = new Date('2026-11-19T04:30:00Z');
    const on = (deliverFrom: string) =>
      checkDates({ ...orderInput(), packages: [{ ...packageInput(), deliverFrom }] }, night);
    expect([on('2026-11-18'), faults(on('2026-11-17'))]).toEqual([[], ['packages.0.deliverFrom too_early']]);
  });

  test('have no last day beyond 60 days, unless the plan can only meet a later one', () => {
    const check = (deliverBy: string, date: string) =>
      faults(checkPlannedDates([{ deliverBy, promisedDate: date }], now));
    expect(check(dateAfter(60), dateAfter(3))).toEqual([]);
    expect(check(dateAfter(61), dateAfter(3))).toEqual(['packages.0.deliverBy too_late']);
    expect(check(dateAfter(61), dateAfter(61))).toEqual([]);
    expect(check(dateAfter(60), dateAfter(61))).toEqual(['packages.0.deliverBy too_early']);
  });
});

describe('the plan of an order', () => {
  const deps = { ...planDeps(db), clock: () => now };
  const refusalOf = (error: ServiceError) =>
    error.details.map(({ field, code, firstDate }) => [field, code, firstDate]);

  test('equals its estimate, or both are refused, and the day that the refusal names is accepted', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomFrom(seed);
    const outcome = <T>(work: Promise<T>) =>
      work.then(
        (value) => ({ value, refusal: undefined }),
        (error: ServiceError) => ({ value: undefined, refusal: refusalOf(error) }),
      );
    const seen = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const packages = Array.from({ length: between(random, 1, 3) }, (_, at): PackageInput => {
        const deliverFrom = random() < 0.4 ? dateAfter(between(random, 0, 20)) : null;
        const deliverBy = random() < 0.5 ? dateAfter(between(random, 0, 40)) : null;
        const isBefore = deliverFrom !== null && deliverBy !== null && deliverBy < deliverFrom;
        const address = { address: oneOf(random, stops).address };
        return { ...packageInput(at), address, deliverFrom, deliverBy: isBefore ? null : deliverBy };
      });
      const service = oneOf(random, ['express', 'economy'] as const);
      const readyAt = random() < 0.5 ? later(between(random, 0, 30 * 24 * 60) * MINUTE_MS) : null;
      const input: OrderInput = { ...orderInput(), service, readyAt, packages };
      const order = await outcome(planOrder(deps, id, input));
      const estimate = await outcome(estimateOrder(deps, id, input));
      const shown = { seed, round, input };
      expect([estimate.refusal, shown]).toEqual([order.refusal, shown]);
      seen.add(`${service} ${order.refusal === undefined}`);
      expect(estimate.value?.find((each) => each.service === service)).toEqual(order.value);
      for (const offer of estimate.value ?? [])
        expect(await planOrder(deps, id, { ...input, service: offer.service })).toEqual(offer);
      const named = new Map(order.refusal?.map(([field, , date]) => [field, date]));
      const mended = packages.map((each, at) => ({
        ...each,
        deliverBy: named.get(`packages.${at}.deliverBy`) ?? each.deliverBy ?? null,
      }));
      const accepted = await planOrder(deps, id, { ...input, packages: mended });
      expect(accepted.packages.every(({ deliverBy, promisedDate: date }) => !deliverBy || date <= deliverBy)).toBe(
        true,
      );
      const undated = packages.map(({ deliverFrom: _, deliverBy: __, ...each }) => each);
      const plain = await planOrder(deps, id, { ...input, readyAt: null, packages: undated });
      expect([accepted.pricing, accepted.route]).toEqual([plain.pricing, plain.route]);
    }
    expect([...seen].sort()).toEqual(['economy false', 'economy true', 'express false', 'express true']);
  });
});
