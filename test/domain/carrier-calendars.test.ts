import { describe, expect, test } from '@jest/globals';
import { HOUR_MS } from '../../src/base/clock.js';
import { inSlices } from '../../src/base/turns/slices.js';
import { calendarErrors } from '../../src/carrier/calendar-errors.js';
import { previewCalendar } from '../../src/carrier/calendar-preview.js';
import { addCalendar, type Calendar, currentCalendar, workCalendarOf } from '../../src/carrier/calendars.js';
import type { ClosedDay } from '../../src/db/tables/calendars.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { estimateOrder, planOrder } from '../../src/orders/plan-order.js';
import { standardCalendar } from '../../src/routing/calendar.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { timesTheCost } from '../support/cost.js';
import { between, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { another, makeOrdered, orderInput, placeOrder, planDeps } from './orders-fixtures.js';

const { db, url } = await ownDatabase();
const { id: accountId } = await makeAccount(db);

const calendar = (some: Partial<Calendar> = {}): Calendar => ({
  ...{ collectionLeadMinutes: 30, collectionCutoff: null, opening: '08:00', closing: '20:00' },
  ...{ saturdays: true, sundays: false, closed: [], ...some },
});
const enforce = (some: Partial<Calendar> = {}) => addCalendar(db, { validFrom: undefined, ...calendar(some) });
const day = (date: string, place: Partial<ClosedDay> = {}): ClosedDay => ({ date, name: '', ...place });

const SAO_PAULO = 3550308;

const ordered = (pickup: string, delivery: string) => ({
  ...orderInput(),
  pickups: [{ address: { address: pickup } }],
  packages: orderInput().packages.map((each) => ({ ...each, address: { address: delivery } })),
});
const inSaoPaulo = ordered('Rua Augusta, 1500 - Consolação, São Paulo - SP', 'Avenida Paulista, 1000, São Paulo - SP');
const inSantos = ordered('Avenida Ana Costa, 200, Santos - SP', 'Avenida Ana Costa, 400, Santos - SP');

const at = (time: string) => ({ ...planDeps(db), clock: () => new Date(time) });
const etasAt = async (time: string, input = inSaoPaulo) => {
  const { pickups, packages } = await planOrder(at(time), accountId, input);
  return [...pickups, ...packages].map(({ waypoint }) => waypoint.eta.toISOString());
};

describe('a calendar is refused', () => {
  const now = new Date('2026-11-29T12:00:00Z');
  const codesOf = async (some: Partial<Calendar>) => {
    const errors = await inSlices('tests', calendarErrors(calendar(some), workCalendarOf(calendar(some)), now));
    return errors.map(({ field, code }) => `${field} ${code}`);
  };
  const daysFrom = (count: number, place: Partial<ClosedDay> = {}, first = '2027-01-01') =>
    Array.from({ length: count }, (_, index) => {
      return day(new Date(Date.parse(first) + index * 24 * HOUR_MS).toISOString().slice(0, 10), place);
    });

  test.each<[string, Partial<Calendar>, string[]]>([
    ['that closes when it opens', { opening: '08:00', closing: '08:00' }, ['closing contradiction']],
    ['that closes before it opens', { opening: '18:00', closing: '08:00' }, ['closing contradiction']],
    ['that is open for less than an hour', { opening: '08:00', closing: '08:59' }, ['closing too_early']],
    ['that opens before 01:00', { opening: '00:59' }, ['opening too_early']],
    ['that closes after 22:00', { closing: '22:01' }, ['closing too_late']],
    ['with a cut-off before the opening', { collectionCutoff: '07:59' }, ['collectionCutoff too_early']],
    ['with a cut-off after the closing', { collectionCutoff: '20:01' }, ['collectionCutoff too_late']],
    ['with a day twice', { closed: [day('2027-01-25'), day('2027-01-26'), day('2027-01-25')] }, ['closed.2 duplicate']],
    [
      'with a day twice for one municipality',
      { closed: [day('2027-01-25', { municipality: SAO_PAULO }), day('2027-01-25', { municipality: SAO_PAULO })] },
      ['closed.1 duplicate'],
    ],
    [
      'with an unknown municipality',
      { closed: [day('2027-01-25'), day('2027-01-25', { municipality: 9999999 })] },
      ['closed.1.municipality unknown_value'],
    ],
    ['with an unknown state', { closed: [day('2027-01-25', { state: 'XX' })] }, ['closed.0.state unknown_value']],
    [
      'with a day of a state and a municipality',
      { closed: [day('2027-01-25', { state: 'SP', municipality: SAO_PAULO })] },
      ['closed.0.municipality contradiction'],
    ],
    ['with a day of another age', { closed: [day('2037-01-01')] }, ['closed.0.date too_late']],
    ['with a day of the past age', { closed: [day('2015-12-31')] }, ['closed.0.date too_early']],
    ['that never opens in the country', { closed: daysFrom(40) }, ['closed.0 no_workday']],
    ['that never opens in a state', { closed: daysFrom(400, { state: 'AC' }) }, ['closed.0 no_workday']],
    [
      'that never opens in a municipality, by days of the country, its state and its own',
      {
        closed: [
          ...daysFrom(12),
          ...daysFrom(12, { state: 'SP' }, '2027-01-13'),
          ...daysFrom(12, { municipality: SAO_PAULO }, '2027-01-25'),
        ],
      },
      ['closed.24 no_workday'],
    ],
  ])('%s', async (_, some, errors) => expect(await codesOf(some)).toEqual(errors));

  test('but not for a month of closed days, days of several places, or the widest hours', async () => {
    // Saturday the 2nd to Friday the 29th of January, then a weekend.
    expect(await codesOf({ closed: daysFrom(28, {}, '2027-01-02') })).toEqual([]);
    const founding = [day('2027-01-25'), day('2027-01-25', { state: 'SP' }), day('2027-01-25', { state: 'RJ' })];
    expect(await codesOf({ closed: [...founding, day('2027-01-25', { municipality: SAO_PAULO })] })).toEqual([]);
    expect(await codesOf({ opening: '01:00', closing: '22:00', collectionCutoff: '22:00' })).toEqual([]);
    expect(await codesOf({ collectionCutoff: '08:00', saturdays: false })).toEqual([]);
  });

  test('at a cost that grows with its days: 20,000 days cost at most 20 times as much as 2,000', async () => {
    const codes = allMunicipalities().map(({ code }) => code);
    const checkOf = (count: number, lists: number) => {
      const closed = Array.from({ length: count }, (_, index) => {
        const date = new Date(Date.UTC(2027, 0, 1 + 2 * Math.floor(index / lists))).toISOString().slice(0, 10);
        return day(date, { municipality: codes[index % lists] ?? SAO_PAULO });
      });
      return async () => expect(await codesOf({ closed })).toEqual([]);
    };
    expect(await timesTheCost(checkOf(20_000, codes.length), checkOf(2_000, codes.length), 20)).toBeLessThan(20);
    expect(await timesTheCost(checkOf(20_000, 800), checkOf(2_000, 80), 20)).toBeLessThan(20);
  });
});

describe('orders are timed by the calendar in force', () => {
  test('which at first has the working time of the releases before', async () => {
    const { version, hours, closed } = await currentCalendar(db);
    expect(version).toBe(1);
    expect(workCalendarOf({ ...hours, closed })).toEqual(standardCalendar);
    const before = JSON.stringify(await estimateOrder(at('2026-11-18T12:00:00Z'), accountId, orderInput(5, 2)));
    await enforce();
    expect(JSON.stringify(await estimateOrder(at('2026-11-18T12:00:00Z'), accountId, orderInput(5, 2)))).toBe(before);
  });

  test('and so are estimates; the price stays the same', async () => {
    await enforce();
    const usual = await planOrder(at('2026-11-18T13:59:59Z'), accountId, orderInput(5, 2));
    await enforce({ collectionCutoff: '11:00', closed: [day('2026-11-19')], saturdays: false });
    const [estimate] = await estimateOrder(at('2026-11-18T14:00:00Z'), accountId, orderInput(5, 2));
    const planned = await planOrder(at('2026-11-18T14:00:00Z'), accountId, orderInput(5, 2));
    expect(estimate).toEqual(planned);
    expect(planned.pricing).toEqual(usual.pricing);
    // A day off, a national holiday and a weekend lie between.
    expect(planned.pickups.map(({ waypoint }) => waypoint.eta)).toContainEqual(new Date('2026-11-23T11:00:00Z'));
    const { packages } = await placeOrder(db, planned);
    expect(packages.map(({ promisedDate }) => promisedDate)).toEqual(
      planned.packages.map(({ promisedDate }) => promisedDate),
    );
  });

  test.each([
    ['São Paulo', 'SP', 'Rua Augusta, 1500 - Consolação, São Paulo - SP', '-03:00'],
    ['Manaus', 'AM', 'Avenida Eduardo Ribeiro, 500 - Centro, Manaus - AM', '-04:00'],
    ['Rio Branco', 'AC', 'Avenida Ceará, 1000 - Centro, Rio Branco - AC', '-05:00'],
  ])('which ends the day of %s at 11:00 of its own clock', async (city, state, pickup, zone) => {
    await enforce({ collectionCutoff: '11:00' });
    const input = ordered(pickup, `Centro, ${city} - ${state}`);
    const utc = (time: string) => new Date(`${time}${zone}`).toISOString();
    const [before] = await etasAt(`2026-11-18T10:59:59${zone}`, input);
    expect(before).toBe(utc('2026-11-18T11:29:59'));
    const [after] = await etasAt(`2026-11-18T11:00:00${zone}`, input);
    expect(after).toBe(utc('2026-11-19T08:00:00'));
  });

  test('which closes São Paulo on the 25th of January, and nothing else', async () => {
    const time = '2027-01-25T12:00:00Z';
    await enforce({ closed: [day('2027-01-25', { municipality: SAO_PAULO, name: 'Aniversário de São Paulo' })] });
    expect((await etasAt(time))[0]).toBe('2027-01-26T11:00:00.000Z');
    expect((await etasAt(time, inSantos))[0]).toBe('2027-01-25T12:30:00.000Z');
    await enforce({ closed: [day('2027-01-25', { state: 'SP' })] });
    expect((await etasAt(time, inSantos))[0]).toBe('2027-01-26T11:00:00.000Z');
  });

  test('which a change of address follows, too', async () => {
    await enforce();
    const { owner, order } = await makeOrdered(db);
    const [parcel] = order.packages;
    await enforce({ collectionLeadMinutes: 7 * 24 * 60 });
    const elsewhere = { address: { address: 'Rua XV de Novembro, 9 - Centro, Ribeirão Preto - SP' } };
    const change = await changeAddress(planDeps(db), owner, parcel?.loggiKey ?? '', elsewhere);
    const { order: after } = await change(db);
    expect(after.packages[0]?.waypoint.eta.getTime()).toBeGreaterThan(Date.now() + 7 * 24 * HOUR_MS);
  });

  test('in every process at once, and with an announced version from its time on', async () => {
    await enforce();
    const two = another(url);
    const leads = () =>
      Promise.all(
        [db, two].map(async (each) => {
          const deps = { ...planDeps(each), clock: () => new Date('2026-11-18T12:00:00Z') };
          const { pickups } = await planOrder(deps, accountId, inSaoPaulo);
          return (Number(pickups[0]?.waypoint.eta) - Date.parse('2026-11-18T12:00:00Z')) / 60_000;
        }),
      );
    try {
      expect(await leads()).toEqual([30, 30]);
      const soon = new Date(Date.now() + 3_600_000);
      await addCalendar(db, { validFrom: soon, ...calendar({ collectionLeadMinutes: 90 }) });
      expect(await leads()).toEqual([30, 30]);
      await enforce({ collectionLeadMinutes: 60 });
      expect(await leads()).toEqual([60, 60]);
    } finally {
      await two.destroy();
    }
  });
});

test('a version is added as a whole or not at all, and never for a past time', async () => {
  const { version } = await currentCalendar(db);
  const over = addCalendar(db, { validFrom: new Date(Date.now() - 120_000), ...calendar() });
  await expect(over).rejects.toMatchObject({ details: [{ field: 'validFrom', code: 'too_early' }] });
  const wrong = enforce({ closed: [day('2027-01-25'), day('2027-01-25')] });
  await expect(wrong).rejects.toMatchObject({ details: [{ field: 'closed.1', code: 'duplicate' }] });
  expect((await currentCalendar(db)).version).toBe(version);
});

test('a preview shows the newest orders that would be collected later or earlier', async () => {
  await enforce();
  await makeOrdered(db);
  const later = await previewCalendar(db, calendar({ collectionLeadMinutes: 7 * 24 * 60 }));
  expect(later.moved).toHaveLength(later.orderCount);
  for (const { newFrom, currentFrom } of later.moved.flatMap(({ pickups }) => pickups)) {
    expect(newFrom.getTime()).toBeGreaterThan(currentFrom.getTime());
  }
  expect(await previewCalendar(db, calendar())).toEqual({ orderCount: later.orderCount, moved: [] });
});

test('estimates equal orders by random calendars, and all their times lie in the working hours', async () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  for (let round = 0; round < 30; round++) {
    const opening = between(random, 5, 11);
    const closing = between(random, opening + 2, 22);
    const two = (hour: number) => String(hour).padStart(2, '0');
    const hours = { opening: `${two(opening)}:00`, closing: `${two(closing)}:00` };
    const closed = [...new Set(Array.from({ length: between(random, 0, 8) }, () => between(random, 1, 20)))].map(
      (each) => day(`2026-12-${two(each)}`, random() < 0.5 ? { state: 'SP' } : {}),
    );
    const cutoff = random() < 0.5 ? null : `${two(between(random, opening, closing - 1))}:30`;
    await enforce({ ...hours, collectionCutoff: cutoff, closed, saturdays: random() < 0.5, sundays: random() < 0.5 });
    const time = new Date(Date.UTC(2026, 11, 1) + between(random, 0, 15 * 24 * 60) * 60_000).toISOString();
    const [estimate] = await estimateOrder(at(time), accountId, inSantos);
    const planned = await planOrder(at(time), accountId, inSantos);
    expect({ seed, round, estimate }).toEqual({ seed, round, estimate: planned });
    for (const { waypoint } of [...planned.pickups, ...planned.packages]) {
      const local = new Date(waypoint.eta.getTime() - 3 * HOUR_MS).toISOString();
      const isClosed = closed.some(({ date }) => local.startsWith(date));
      const isOpen = local.slice(11, 16) >= hours.opening && local.slice(11, 16) < hours.closing;
      expect({ seed, round, isClosed, isOpen }).toEqual({ seed, round, isClosed: false, isOpen: true });
    }
  }
});
