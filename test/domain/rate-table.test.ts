import { expect, test } from '@jest/globals';
import { indexOfAreas } from '../../src/carrier/areas.js';
import { currentRateCard } from '../../src/carrier/rate-cards.js';
import { quote } from '../../src/orders/quote.js';
import { type TableRow, tableRows } from '../../src/orders/rate-table/make-table.js';
import { usualWeights } from '../../src/orders/rate-table/rate-tables.js';
import type { TableFacts } from '../../src/orders/rate-table/table-facts.js';
import { embeddedGeocoder } from '../../src/routing/address/embedded-geocoder.js';
import { dayOf } from '../../src/routing/calendar.js';
import { between, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { makeAccount } from './accounts-fixtures.js';
import { planDeps } from './orders-fixtures.js';

/** Compares tables of prices with the quotes that they stand for. */

const { db } = await ownDatabase();
const { id } = await makeAccount(db);
const card = await currentRateCard(db);
const weights = usualWeights;
// A Monday before a week without holidays.
const now = new Date('2026-11-23T11:00:00Z');

function placeOf(cep: string) {
  const located = embeddedGeocoder.read(cep);
  if (!located?.ok) throw new Error(`${cep} has no place`);
  return located.place;
}

function rowsOf(facts: Partial<TableFacts> & { from: string }): TableRow[] {
  const usual = { card, areas: undefined, calendar: undefined, service: 'express', weights, now } as const;
  const steps = tableRows({ ...usual, ...facts, pickup: placeOf(facts.from) });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const fromPaulista = rowsOf({ from: '01310200' });

const rowAt = (rows: readonly TableRow[], cep: number) => rows.find(({ from, to }) => from <= cep && cep <= to);
const digits = (cep: number) => String(cep).padStart(8, '0');

async function quoted(from: string, cep: number, grams: number, clock = () => now) {
  const dimensions = { width: 1, height: 1, length: 1, weight: grams };
  const packages = [{ pickupIndex: 0, place: { postalCode: digits(cep) }, dimensions }];
  return quote({ ...planDeps(db), clock }, id, { pickups: [{ postalCode: from }], packages });
}

test.each([
  ['01310200', 'express'],
  ['13015904', 'economy'],
] as const)(
  'prices from %s by %s cover 95 of 100 parcels, and are hardly higher than quotes',
  async (from, service) => {
    const seed = Date.now() % 1_000_000;
    const random = randomFrom(seed);
    const rows = service === 'express' ? fromPaulista : rowsOf({ from, service });
    let [covered, excess] = [0, 0];
    const count = 1_500;
    for (let parcel = 0; parcel < count; ) {
      // Every second parcel goes to a random row, the others to a random CEP, because most rows are near.
      const row = parcel % 2 === 0 ? rows[between(random, 0, rows.length - 1)] : undefined;
      const cep = between(random, row?.from ?? 1_000_000, row?.to ?? 99_999_999);
      const found = rowAt(rows, cep);
      if (!found) continue;
      const grams = between(random, 1, 30_000);
      const services = await quoted(from, cep, grams);
      const price = services.find((each) => each.service === service)?.pricing.totalCentavos ?? 0;
      const listed = found.prices[weights.findIndex((upper) => grams <= upper)] ?? 0;
      covered += Number(listed >= price);
      excess += (listed - price) / price;
      parcel += 1;
    }
    expect({ seed, isCovered: covered / count >= 0.95 }).toEqual({ seed, isCovered: true });
    expect({ seed, isNear: excess / count <= 0.08 }).toEqual({ seed, isNear: true });
  },
);

test('the workdays of a row are enough for an order on any morning of the week', async () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const from = '01310200';
  const rows = fromPaulista;
  const faults: object[] = [];
  for (let parcel = 0; parcel < 150; parcel += 1) {
    const row = rows[between(random, 0, rows.length - 1)];
    const cep = between(random, row?.from ?? 0, row?.to ?? 0);
    const ordered = new Date(now.getTime() + between(random, 0, 4) * 86_400_000);
    const [express] = await quoted(from, cep, 1_000, () => ordered);
    let workdays = 0;
    for (let day = dayOf(ordered.getTime() + 86_400_000); day.date <= (express?.lastDate ?? ''); ) {
      workdays += Number(day.isWorkday);
      day = dayOf(day.noon + 86_400_000);
    }
    if (workdays > (row?.workdays ?? 0)) faults.push({ cep, workdays, listed: row?.workdays });
  }
  expect({ seed, late: faults.length <= 7, faults: faults.slice(0, 3) }).toMatchObject({ late: true });
});

test('a table has only places that are served, and its ranges end where a service area begins', () => {
  const terms = {
    name: '',
    collects: true,
    services: ['express' as const],
    weekdays: ['monday' as const],
    extraWorkdays: 2,
  };
  const none = { states: [], municipalities: [], postalCodes: [] };
  const areas = indexOfAreas(1, [
    { ...terms, ...none, states: ['SP'], delivers: true },
    { ...terms, ...none, postalCodes: [{ from: '13015500', to: '13015899' }], delivers: false },
  ]);
  const rows = rowsOf({ from: '01310200', areas });
  expect(rows.every(({ from, to }) => from >= 1_000_000 && to <= 19_999_999)).toBe(true);
  expect([rowAt(rows, 13_015_499)?.to, rowAt(rows, 13_015_700), rowAt(rows, 13_015_900)?.from]).toEqual([
    13_015_499,
    undefined,
    13_015_900,
  ]);
  expect(rowsOf({ from: '01310200', areas, service: 'economy' })).toEqual([]);
  expect(Math.max(...rows.map(({ workdays }) => workdays))).toBeGreaterThanOrEqual(5);
});

test('the ranges of a table rise and do not overlap, and no price falls with weight', () => {
  const rows = rowsOf({ from: '69005010' });
  expect(rows.filter((row, at) => row.from <= (rows[at - 1]?.to ?? 0) || row.to < row.from)).toEqual([]);
  expect(rows.filter(({ prices }) => prices.some((price, band) => price < (prices[band - 1] ?? 0)))).toEqual([]);
  expect(rows.length).toBeGreaterThan(100);
});
