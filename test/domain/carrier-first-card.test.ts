import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Place } from '../../src/base/place.js';
import { type PricedPackage, price, rateErrors } from '../../src/carrier/pricing.js';
import { currentRateCard } from '../../src/carrier/rate-cards.js';
import type { Service } from '../../src/db/tables/prices.js';
import { courierMetres } from '../../src/orders/plan-order.js';
import { embeddedGeocoder } from '../../src/routing/address/embedded-geocoder.js';
import { embeddedDistances } from '../../src/routing/embedded-distances.js';
import { planRoute } from '../../src/routing/planning.js';
import { embeddedSolver } from '../../src/routing/route/embedded-solver.js';
import { ownDatabase } from '../support/services.js';

const planning = { geocoder: embeddedGeocoder, distances: embeddedDistances, solver: embeddedSolver };
const firstCard = await currentRateCard((await ownDatabase()).db);

interface Stop {
  address: string;
  place: Place;
}

interface Shipment {
  pickups: Stop[];
  packages: (Stop & Pick<PricedPackage, 'pickupIndex' | 'dimensions' | 'declaredCentavos'>)[];
}

/** The price of an order, found in the same way as by `planOrder`. */
async function quote(order: Shipment, service: Service, rates = firstCard) {
  const { pickups, packages } = order;
  const route = await planRoute(planning, { pickups, deliveries: packages }, new Date('2026-11-18T12:00:00Z'));
  const priced = packages.map((each, at) => ({ ...each, directMetres: route.directMetres[at] ?? 0 }));
  const billed = { courierMetres: await courierMetres(rates, priced, route), pickupCount: pickups.length };
  return { ...price(rates, service, billed, priced), priced, billed };
}

describe('the first rate card', () => {
  test('is valid, and its line-haul costs more than an urban order of one package, in both services', () => {
    expect(rateErrors(firstCard)).toEqual([]);
    const at = (directMetres: number, grams: number, service: Service) => {
      const dimensions = { width: 1, height: 1, length: 1, weight: grams };
      const one = [{ dimensions, directMetres, pickupIndex: 0, declaredCentavos: null }];
      return price(firstCard, service, { courierMetres: directMetres, pickupCount: 1 }, one).totalCentavos;
    };
    const weights = [1, 1000, 1001, 2000, 5000, 10_000, 20_000, 30_000, 49_000];
    for (const grams of weights) {
      for (const service of ['express', 'economy'] as const) {
        expect(at(60_001, grams, service)).toBeGreaterThanOrEqual(at(60_000, grams, service));
      }
    }
  });

  const stop = (address: string): Stop => {
    const located = embeddedGeocoder.read(address);
    if (!located?.ok) throw new Error(`no place: ${address}`);
    return { address, place: located.place };
  };
  const paulista = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';
  const within = {
    'São Paulo': [
      'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000',
      'Rua Augusta, 1500 - Consolação, São Paulo - SP',
      'Av. Sapopemba, 9000 - Sapopemba, São Paulo - SP',
      'Rua Sadamu Inoue, 2000 - Parelheiros, São Paulo - SP',
    ],
    Campinas: ['Rua Barão de Jaguara, 1000 - Centro, Campinas - SP'],
    Curitiba: ['Rua XV de Novembro, 500 - Centro, Curitiba - PR'],
    Belém: ['Av. Presidente Vargas, 500 - Campina, Belém - PA'],
    Manaus: ['Av. Eduardo Ribeiro, 520 - Centro, Manaus - AM'],
  };

  test.each([
    ['São Paulo', 1, 10, 20],
    ['Campinas', 1, 15, 30],
    ['Curitiba', 1, 20, 45],
    ['Belém', 1, 45, 120],
    ['Manaus', 1, 45, 120],
    ['Manaus', 10, 150, 450],
  ] as const)('takes to %s, of %i kg, R$ %i to %i', async (city, kg, least, most) => {
    for (const address of within[city]) {
      const dimensions = { width: 20, height: 10, length: 30, weight: kg * 1000 };
      const packages = [{ ...stop(address), dimensions, pickupIndex: 0, declaredCentavos: null }];
      const { totalCentavos } = await quote({ pickups: [stop(paulista)], packages }, 'express');
      const economy = await quote({ pickups: [stop(paulista)], packages }, 'economy');
      expect([address, totalCentavos >= least * 100, totalCentavos <= most * 100]).toEqual([address, true, true]);
      expect(economy.totalCentavos).toBeLessThanOrEqual(totalCentavos);
    }
  });

  const degrees = (from: number, to: number) => fc.integer({ min: from * 50, max: to * 50 }).map((step) => step / 50);
  const precision = fc.constantFrom('rooftop', 'street', 'postal_code', 'district', 'city');
  const near = { latitude: degrees(-24, -23), longitude: degrees(-47, -46) };
  const anywhere = { latitude: degrees(-30, 0), longitude: degrees(-65, -40) };
  const placed = [near, near, near, anywhere].map((area) =>
    fc.record({ ...area, precision, city: fc.constant('São Paulo'), state: fc.constant('SP') }),
  );
  const stops = fc.tuple(fc.uuid(), fc.oneof(...placed)).map(([address, place]) => ({ address, place }));
  const side = fc.integer({ min: 1, max: 66 });
  const dimensions = fc.record({
    width: side,
    height: side,
    length: side,
    weight: fc.integer({ min: 1, max: 30_000 }),
  });
  const contents = fc.record({ dimensions, declaredCentavos: fc.option(fc.nat(10_000_000)), pickup: fc.nat(3) });
  const shipments = fc
    .record({
      pickups: fc.array(stops, { minLength: 1, maxLength: 2 }),
      packages: fc.array(fc.tuple(stops, contents), { minLength: 1, maxLength: 4 }),
    })
    .map(({ pickups, packages }) => ({
      pickups,
      packages: packages.map(([{ address, place }, { pickup, ...content }]) => ({
        ...{ address, place, ...content },
        pickupIndex: pickup % pickups.length,
      })),
    }));

  test('prices 10,000 orders without a jump that a shipper would not understand', async () => {
    const wrong: Record<string, number> = { reversed: 0, parts: 0, weight: 0, value: 0, distance: 0, economy: 0 };
    const tally = (name: string, isWrong: boolean) => {
      wrong[name] = (wrong[name] ?? 0) + Number(isWrong);
    };
    const falls: number[] = [];
    let mixed = 0;
    const orders = fc.sample(shipments, { numRuns: 10_000, seed: 25 });
    for (const order of orders) {
      const { pickups, packages } = order;
      const { totalCentavos: total, lines, priced, billed } = await quote(order, 'express');
      mixed += Number(lines.some(({ kind }) => kind === 'base') && lines.some(({ kind }) => kind === 'line_haul'));

      const last = pickups.length - 1;
      const turned = packages.map((each) => ({ ...each, pickupIndex: last - each.pickupIndex })).reverse();
      const reversed = await quote({ pickups: [...pickups].reverse(), packages: turned }, 'express');
      tally('reversed', reversed.totalCentavos !== total);

      let parts = 0;
      for (const each of packages) {
        const own = {
          pickups: pickups.slice(each.pickupIndex, each.pickupIndex + 1),
          packages: [{ ...each, pickupIndex: 0 }],
        };
        parts += (await quote(own, 'express')).totalCentavos;
      }
      tally('parts', total > parts);

      if (packages.length > 1) {
        const fewer = await quote({ pickups, packages: packages.slice(0, -1) }, 'express');
        if (fewer.totalCentavos > total) falls.push(1 - total / fewer.totalCentavos);
      }
      const [first, ...others] = priced;
      if (!first) continue;
      const by = (service: Service, ...changed: PricedPackage[]) =>
        price(firstCard, service, billed, changed).totalCentavos;
      const heavier = { ...first.dimensions, weight: first.dimensions.weight * 1.1 };
      tally('weight', by('express', { ...first, dimensions: heavier }, ...others) < total);
      tally(
        'value',
        by('express', { ...first, declaredCentavos: (first.declaredCentavos ?? 0) * 1.1 }, ...others) < total,
      );
      const further = { ...first, directMetres: Math.ceil(first.directMetres * 1.1) };
      const alone = { courierMetres: Number.POSITIVE_INFINITY, pickupCount: 1 };
      const [before, after] = [first, further].map((each) => price(firstCard, 'express', alone, [each]).totalCentavos);
      tally('distance', (after ?? 0) < (before ?? 0));
      tally('economy', by('economy', ...priced) > total);
    }
    expect(wrong).toEqual({ reversed: 0, parts: 0, weight: 0, value: 0, distance: 0, economy: 0 });
    expect(mixed).toBeGreaterThan(1_000);
    expect(falls.length).toBeLessThanOrEqual(700);
    expect(Math.max(0, ...falls)).toBeLessThanOrEqual(0.04);
  });
});
