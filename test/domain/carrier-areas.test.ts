import { describe, expect, test } from '@jest/globals';
import type { Place } from '../../src/base/place.js';
import { type Weekday, weekdays } from '../../src/base/weekdays.js';
import { indexOfAreas, verdictAt } from '../../src/carrier/areas.js';
import { areaErrors } from '../../src/carrier/areas-errors.js';
import { addAreas, type CoverageFacts } from '../../src/carrier/areas-versions.js';
import { coverageOf } from '../../src/carrier/coverage.js';
import { currentRateCard } from '../../src/carrier/rate-cards.js';
import type { Area } from '../../src/db/tables/areas.js';
import type { Service } from '../../src/db/tables/prices.js';
import { checkContent } from '../../src/orders/check-order.js';
import { checkPlaces, withRoads } from '../../src/orders/check-places.js';
import { coverageAt } from '../../src/orders/coverage.js';
import type { CheckedDocument } from '../../src/orders/fiscal-documents.js';
import { estimateOrder, planOrder } from '../../src/orders/plan-order.js';
import { embeddedGeocoder } from '../../src/routing/address/embedded-geocoder.js';
import { standardCalendar } from '../../src/routing/calendar.js';
import { allMunicipalities, type Municipality } from '../../src/routing/places/municipalities.js';
import { between, choose, type Random, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { another, orderInput, packageInput, placeOrder, planDeps } from './orders-fixtures.js';

const { db } = await ownDatabase();
const { db: other } = await ownDatabase();
const database = await ownDatabase();
const account = await makeAccount(db);

const services: readonly Service[] = ['express', 'economy'];

const area = (some: Partial<Area>): Area => ({
  ...{ name: '', states: [], municipalities: [], postalCodes: [], collects: true, delivers: true },
  ...{ services: [...services], weekdays: [...weekdays], extraWorkdays: 0, ...some },
});

const at = (city: string, state: string, postalCode?: string): Place => ({
  ...{ latitude: 0, longitude: 0, precision: 'city', city, state, ...(postalCode !== undefined && { postalCode }) },
});

describe('the area of a place', () => {
  const index = indexOfAreas(1, [
    area({ name: 'state', states: ['SP'] }),
    area({ name: 'city', municipalities: [3548500] }),
    area({ name: 'port', postalCodes: [{ from: '11010000', to: '11013999' }] }),
  ]);
  const nameAt = (place: Place) => index.areas[verdictAt(index, place).area ?? -1]?.name ?? 'none';

  test('is the narrowest one: a range of CEPs before the municipality, and the municipality before the state', () => {
    expect(nameAt(at('Campinas', 'SP', '13010000'))).toBe('state');
    expect(nameAt(at('Santos', 'SP', '11045000'))).toBe('city');
    expect(['11009999', '11010000', '11013999', '11014000'].map((code) => nameAt(at('Santos', 'SP', code)))).toEqual([
      ...['city', 'port', 'port', 'city'],
    ]);
    expect(nameAt(at('Recife', 'PE'))).toBe('none');
  });

  test('names the state, code or range that decided', () => {
    const places = [at('Campinas', 'SP'), at('Santos', 'SP'), at('Santos', 'SP', '11011000'), at('Recife', 'PE')];
    const decided = places.map((place) => verdictAt(index, place).decidedBy);
    expect(decided).toEqual(['SP', '3548500', '11010000-11013999', undefined]);
  });
});

describe('areas are refused', () => {
  const codesOf = (...areas: Partial<Area>[]) =>
    areaErrors(areas.map(area)).map(({ field, code }) => `${field} ${code}`);

  test.each<[string, Partial<Area>[], string[]]>([
    ['that name no place', [{}], ['areas.0 required']],
    ['with an unknown state', [{ states: ['SP', 'XX'] }], ['areas.0.states.1 unknown_value']],
    [
      'with an unknown municipality',
      [{ municipalities: [3550308, 9999999] }],
      ['areas.0.municipalities.1 unknown_value'],
    ],
    ['with a state in two areas', [{ states: ['SP'] }, { states: ['RJ', 'SP'] }], ['areas.1.states.1 duplicate']],
    ['with a municipality twice', [{ municipalities: [3550308, 3550308] }], ['areas.0.municipalities.1 duplicate']],
    [
      'with a range that ends before it begins',
      [{ postalCodes: [{ from: '11013999', to: '11010000' }] }],
      ['areas.0.postalCodes.0 contradiction'],
    ],
    [
      'with ranges that have one CEP in common',
      [
        { postalCodes: [{ from: '11010000', to: '11013999' }] },
        { postalCodes: [{ from: '11013999', to: '11014000' }] },
      ],
      ['areas.1.postalCodes.0 overlap'],
    ],
    [
      'with a range inside of another, which a third one does not hide',
      [
        {
          postalCodes: [
            { from: '01000000', to: '05999999' },
            { from: '01000100', to: '01000200' },
            { from: '05000000', to: '05000000' },
          ],
        },
      ],
      ['areas.0.postalCodes.1 overlap', 'areas.0.postalCodes.2 overlap'],
    ],
    [
      'that name too many places',
      Array.from({ length: 100_000 }, () => ({ municipalities: [3550308] })),
      ['areas too_many'],
    ],
  ])('%s', (_, areas, errors) => expect(codesOf(...areas)).toEqual(errors));

  test('but not for adjacent ranges, and not for a state together with one of its municipalities', () => {
    const ranges = [
      { from: '11010000', to: '11013999' },
      { from: '11014000', to: '11014000' },
    ];
    expect(codesOf({ states: ['SP'], postalCodes: ranges }, { municipalities: [3548500] })).toEqual([]);
  });

  test('and none of them is stored', async () => {
    await expect(addAreas(db, { validFrom: undefined, areas: [area({ states: ['XX'] })] })).rejects.toThrow();
    expect(await db.selectFrom('service_areas').selectAll().execute()).toEqual([]);
  });
});

/** Random areas of a carrier: some states, and municipalities that are served in other ways. */
function randomAreas(random: Random): Area[] {
  const municipalities = allMunicipalities().filter(() => random() < 0.3);
  const states = [...new Set(allMunicipalities().map(({ state }) => state))].filter(() => random() < 0.5);
  const terms = () => ({
    collects: random() < 0.8,
    delivers: random() < 0.8,
    services: choose(
      random,
      [
        [2, ['express', 'economy']],
        [1, ['express']],
        [1, ['economy']],
      ],
      [],
    ) as Service[],
    weekdays: weekdays.filter((day): day is Weekday => day === 'wednesday' || random() < 0.5),
    extraWorkdays: between(random, 0, 5),
  });
  return [
    ...states.map((state) => area({ ...terms(), states: [state] })),
    ...byTens(municipalities).map((some) => area({ ...terms(), municipalities: some.map(({ code }) => code) })),
  ];
}

const byTens = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / 10) }, (_, part) => all.slice(part * 10, part * 10 + 10));

/** Finds the area of a municipality by looking through all of them. */
function expectedTerms(areas: readonly Area[], { code, state }: Municipality): Area | undefined {
  return areas.find((each) => each.municipalities.includes(code)) ?? areas.find((each) => each.states.includes(state));
}

const noDocument: CheckedDocument = { value: null, errors: [] };

const PICKUP = 'São Paulo - SP';

test('coverage names only days on which couriers work and visit the place', () => {
  const delivery = embeddedGeocoder.read('Santos - SP') ?? { ok: false as const, message: '' };
  const daysIn = (terms: Partial<Area> | undefined, sundays = false) => {
    const areas = terms && indexOfAreas(1, [area({ states: ['SP'], ...terms })]);
    return coverageOf({ areas, work: { ...standardCalendar, sundays }, hasEconomy: true }, delivery, undefined)
      .weekdays;
  };
  const workdays = weekdays.filter((day) => day !== 'sunday');
  expect(daysIn(undefined)).toEqual(workdays);
  expect(daysIn(undefined, true)).toEqual(weekdays);
  expect(daysIn({ weekdays: ['sunday', 'tuesday'] })).toEqual(['tuesday']);
  expect(daysIn({ weekdays: ['sunday'] })).toEqual(workdays);
  expect(daysIn({ collects: false, delivers: false })).toEqual([]);
});

describe('coverage, estimates and orders agree', () => {
  const seed = Date.now() % 1_000_000;
  const areas = [...randomAreas(randomFrom(seed)).filter((each) => !each.municipalities.includes(3550308))];
  areas.push(area({ municipalities: [3550308] }));
  const inputTo = ({ name, state }: Municipality, service: Service) => ({
    ...{ ...orderInput(), service, pickups: [{ address: { address: PICKUP } }] },
    packages: [{ ...packageInput(), address: { address: `${name} - ${state}` } }],
  });

  test(`about all municipalities and both services (seed ${seed})`, async () => {
    const index = indexOfAreas(1, areas);
    const card = await currentRateCard(db);
    const facts: CoverageFacts = {
      ...{ areas: index, work: standardCalendar },
      hasEconomy: card.zones?.economyDays !== undefined,
    };
    const read = (text: string) => embeddedGeocoder.read(text) ?? { ok: false as const, message: '' };
    const pickup = read(PICKUP);
    const account = {
      card,
      areas: index,
      paymentMethodIds: [1],
      products: new Map(),
      documents: [noDocument],
      now: new Date(),
    };
    let served = 0;
    const wrong = allMunicipalities().flatMap((municipality) => {
      const delivery = read(`${municipality.name} - ${municipality.state}`);
      const answer = coverageOf(facts, delivery, pickup);
      const terms = expectedTerms(areas, municipality);
      const roads = answer.refusal?.code === 'not_placed';
      return services
        .filter((service) => {
          const stops = withRoads({ pickups: [pickup], deliveries: [delivery] });
          const { content } = checkContent(inputTo(municipality, service), account);
          const isTaken = content !== undefined && checkPlaces(stops, account, service).length === 0;
          served += Number(isTaken);
          const isExpected = !roads && (terms?.delivers ?? false) && (terms?.services.includes(service) ?? false);
          return isTaken !== answer.services.includes(service) || isTaken !== isExpected;
        })
        .map((service) => `${municipality.name} - ${municipality.state} ${service}`);
    });
    expect(wrong).toEqual([]);
    expect(served).toBeGreaterThan(1_000);
  });

  test(`about real estimates and orders of a sample (seed ${seed})`, async () => {
    await addAreas(db, { validFrom: undefined, areas });
    const random = randomFrom(seed + 1);
    const all = allMunicipalities();
    const sample = Array.from({ length: 40 }, () => all[between(random, 0, all.length - 1)]).flatMap(
      (each) => each ?? [],
    );
    const deps = planDeps(db);
    const isTaken = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    for (const municipality of sample) {
      const named = { city: municipality.name, state: municipality.state };
      const [answer] = await coverageAt(deps, account.id, [named], { city: 'São Paulo', state: 'SP' });
      for (const service of services) {
        const input = inputTo(municipality, service);
        const said = answer?.services.includes(service);
        expect([service, named, await isTaken(estimateOrder(deps, account.id, input))]).toEqual([service, named, said]);
        const ordered = planOrder(deps, account.id, input).then((planned) => placeOrder(db, planned));
        expect([service, named, await isTaken(ordered)]).toEqual([service, named, said]);
      }
    }
  });

  test('also when areas serve all places: no byte of an estimate changes', async () => {
    const { id } = await makeAccount(other);
    const deps = { ...planDeps(other), clock: () => new Date('2026-11-18T12:00:00Z') };
    const input = orderInput(5, 2);
    const before = JSON.stringify(await estimateOrder(deps, id, input));
    const states = [...new Set(allMunicipalities().map(({ state }) => state))];
    await addAreas(other, { validFrom: undefined, areas: [area({ states })] });
    expect(JSON.stringify(await estimateOrder(deps, id, input))).toBe(before);
    await addAreas(other, { validFrom: undefined, areas: [area({ states, extraWorkdays: 1 })] });
    expect(JSON.stringify(await estimateOrder(deps, id, input))).not.toBe(before);
  });

  test('in every process at once, and with an announced version from its time on', async () => {
    const { id } = await makeAccount(database.db);
    const two = another(database.url);
    const isTaken = () =>
      Promise.all(
        [database.db, two].map((each) =>
          planOrder(planDeps(each), id, orderInput()).then(
            () => true,
            () => false,
          ),
        ),
      );
    try {
      expect(await isTaken()).toEqual([true, true]);
      const elsewhere = [area({ states: ['PE'] })];
      await addAreas(database.db, { validFrom: new Date(Date.now() + 3_600_000), areas: elsewhere });
      expect(await isTaken()).toEqual([true, true]);
      await addAreas(database.db, { validFrom: undefined, areas: elsewhere });
      expect(await isTaken()).toEqual([false, false]);
      await addAreas(two, { validFrom: undefined, areas: [area({ states: ['SP'] })] });
      expect(await isTaken()).toEqual([true, true]);
    } finally {
      await two.destroy();
    }
  });
});
