import { expect, test } from '@jest/globals';
import { addAreas } from '../../src/carrier/areas-versions.js';
import type { Db } from '../../src/db/connect.js';
import { type NamedPlace, placeAddress } from '../../src/orders/coverage.js';
import { estimateOrder, lastDate } from '../../src/orders/plan-order.js';
import { type QuoteInput, quote } from '../../src/orders/quote.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { between, choose, type Random, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { packageInput, planDeps } from './orders-fixtures.js';

/** A quote and an estimate of the same packages have equal prices, days and refusals. */

const { db } = await ownDatabase();
const { id } = await makeAccount(db);
const clock = () => new Date('2026-11-18T15:00:00Z');

function anyPlace(random: Random): NamedPlace {
  const all = allMunicipalities();
  const municipality = all[between(random, 0, all.length - 1)];
  const { name: city = '', state = '' } = municipality ?? {};
  const near = (): NamedPlace => ({ postalCode: String(between(random, 1_001_000, 19_999_999)).padStart(8, '0') });
  const far = (): NamedPlace => ({ postalCode: String(between(random, 20_000_000, 99_999_999)) });
  return choose(
    random,
    [
      [4, near],
      [2, far],
      [3, (): NamedPlace => ({ city, state })],
    ],
    near,
  )();
}

function anyQuote(random: Random): QuoteInput {
  const pickupCount = choose(
    random,
    [
      [6, 1],
      [1, 2],
    ],
    1,
  );
  const pickups = Array.from({ length: pickupCount }, () => anyPlace(random));
  const count = Math.max(
    pickupCount,
    choose(
      random,
      [
        [6, 1],
        [3, 2],
        [1, 5],
      ],
      1,
    ),
  );
  const side = () => between(random, 5, 60);
  const packages = Array.from({ length: count }, (_, at) => ({
    pickupIndex: at % pickupCount,
    place: anyPlace(random),
    dimensions: { width: side(), height: between(random, 3, 40), length: side(), weight: between(random, 100, 29_000) },
    ...(random() < 0.5 && { declaredCentavos: between(random, 100, 10_000_000) }),
  }));
  return { pickups, packages };
}

const addressOf = (place: NamedPlace) => ({ address: { address: placeAddress(place) } });

/** The result of the work, or the codes of its field errors. */
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: { details?: { code: string }[] }) => error.details?.map(({ code }) => code));

async function estimated(pool: Db, { pickups, packages }: QuoteInput, service: 'express' | 'economy') {
  const services = await estimateOrder({ ...planDeps(pool), clock }, id, {
    service,
    pickups: pickups.map(addressOf),
    packages: packages.map(({ place, ...each }, at) => ({ ...packageInput(at), ...each, ...addressOf(place) })),
  });
  return services.map((planned) => ({
    service: planned.service,
    pricing: planned.pricing,
    priceUntil: planned.priceUntil,
    lastDate: lastDate(planned),
  }));
}

const quoted = (pool: Db, input: QuoteInput) => quote({ ...planDeps(pool), clock }, id, input);

test.each([
  ['everywhere', false],
  ['in some areas', true],
])('a quote equals its estimate %s', async (_, hasAreas) => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const terms = {
    name: '',
    collects: true,
    delivers: true,
    weekdays: ['tuesday', 'friday'],
    extraWorkdays: 1,
  } as const;
  if (hasAreas) {
    const area = { ...terms, weekdays: [...terms.weekdays], states: [], municipalities: [], postalCodes: [] };
    const both = ['express', 'economy'] as const;
    const areas = [
      { ...area, states: ['SP', 'RJ', 'MG'], services: [...both] },
      { ...area, states: ['PR', 'SC', 'RS', 'BA', 'DF'], services: ['economy' as const] },
      { ...area, states: ['PE', 'CE'], services: [...both], delivers: false },
    ];
    await addAreas(db, { validFrom: undefined, areas });
  }
  let prices = 0;
  for (let at = 0; at < 150; at += 1) {
    const input = anyQuote(random);
    const answer = await outcome(quoted(db, input));
    const [express, economy] = [
      await outcome(estimated(db, input, 'express')),
      await outcome(estimated(db, input, 'economy')),
    ];
    const isPriced = (one: unknown) => Array.isArray(one) && typeof one[0] === 'object';
    // An estimate is for one service, and a quote is for all services.
    const same = isPriced(express) ? express : isPriced(economy) ? economy : answer;
    expect({ seed, input, answer }).toEqual({ seed, input, answer: same });
    expect(isPriced(answer)).toBe(isPriced(express) || isPriced(economy));
    prices += Number(isPriced(answer));
  }
  expect(prices).toBeGreaterThan(10);
});
