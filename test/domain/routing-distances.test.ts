import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Place, Precision } from '../../src/base/place.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { nameKey } from '../../src/routing/address/words.js';
import { drivingSeconds, greatCircleTable } from '../../src/routing/embedded-distances.js';
import { spreadMetres, usualAccuracy } from '../../src/routing/places/accuracy.js';
import { embeddedCities } from '../../src/routing/places/city-places.js';
import { municipalityNamed } from '../../src/routing/places/municipalities.js';
import { placeAt } from './routing-support.js';

function place(address: string): Place {
  const located = locateEmbedded(address);
  if (!located.ok) throw new Error(located.message);
  return located.place;
}

function kilometres(from: Place, to: Place): number {
  return (greatCircleTable([from, to]).metres[0]?.[1] ?? Number.NaN) / 1_000;
}

describe('the embedded road distance', () => {
  test('is the great circle times the road factor between exact places', () => {
    const equatorDegree = (2 * Math.PI * 6_371.0088) / 360;
    expect(kilometres(placeAt(0, 0), placeAt(0, 1))).toBeCloseTo((equatorDegree * 4) / Math.PI, 2);
    expect(kilometres(placeAt(-23.5, -46.6), placeAt(-23.5, -46.6))).toBe(0);
  });

  test('is near the road distance between cities', () => {
    const byRoad: [string, string, number][] = [
      ['São Paulo - SP', 'Rio de Janeiro - RJ', 440],
      ['São Paulo - SP', 'Campinas - SP', 95],
      ['Curitiba - PR', 'Florianópolis - SC', 300],
      ['Belo Horizonte - MG', 'Brasília - DF', 735],
    ];
    for (const [from, to, road] of byRoad) {
      const ratio = kilometres(place(from), place(to)) / road;
      expect({ from, to, near: ratio > 0.9 && ratio < 1.2 }).toEqual({ from, to, near: true });
    }
  });

  test.each<[Precision, number, number]>([
    ['city', 3, 5],
    ['district', 0.7, 1.2],
    ['postal_code', 0.3, 0.6],
    ['street', 0.15, 0.4],
  ])('between two addresses known to the same %s is the expected distance inside it', (precision, least, most) => {
    const distance = kilometres(placeAt(-23.5, -46.6, precision), placeAt(-23.5, -46.6, precision));
    expect(distance).toBeGreaterThan(least);
    expect(distance).toBeLessThan(most);
  });

  test('between two addresses with only a known city follows the size of the city', () => {
    const apart = (city: string) => kilometres(place(`Rua Xyzzy, 1, ${city}`), place(`Rua Xyzzy, 2, ${city}`));
    const [saoPaulo, town] = [apart('São Paulo - SP'), apart('Serra da Saudade - MG')];
    expect(saoPaulo).toBeGreaterThan(12);
    expect(saoPaulo).toBeLessThan(35);
    expect(town).toBeLessThan(8);
  });

  test.each([5, 20, 50])(
    'over %d addresses known to the same city is about that of a tour of random points',
    (count) => {
      const places = Array.from({ length: count }, () => placeAt(-23.5, -46.6, 'city'));
      const { metres } = greatCircleTable(places);
      const tour = places.reduce((sum, _, i) => sum + (i === 0 ? 0 : (metres[i - 1]?.[i] ?? 0)), 0);
      // On average two points of a square are 0.5214 of its side apart. A tour of many is 0.7124 √(area × count).
      const side = kilometres(placeAt(-23.5, -46.6, 'city'), placeAt(-23.5, -46.6, 'city')) / 0.5214;
      // Addresses are denser in the middle of a city, so two are nearer than the length of a tour implies.
      expect(tour / 1_000 / (0.7124 * side * Math.sqrt(count))).toBeGreaterThan(0.9);
      expect(tour / 1_000 / (0.7124 * side * Math.sqrt(count))).toBeLessThan(1.35);
    },
  );

  test('never makes a detour over another stop shorter', () => {
    const stop = fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom<Precision>('rooftop', 'street', 'district', 'city'))
      .map(([east, precision]) => placeAt(-23.5, -46.6 + east / 100, precision));
    fc.assert(
      fc.property(fc.array(stop, { minLength: 3, maxLength: 7 }), (places) => {
        const { metres } = greatCircleTable(places);
        const at = (from: number, to: number): number => metres[from]?.[to] ?? Number.NaN;
        const stops = [...places.keys()];
        const isDetour = (i: number, j: number, k: number) => at(i, k) <= at(i, j) + at(j, k);
        return stops.every((i) => stops.every((j) => stops.every((k) => isDetour(i, j, k))));
      }),
    );
  });

  test('grows with the unknown part of an address, which matters little for far places', () => {
    const [sure, unsure] = [placeAt(-23.5, -46.6), placeAt(-23.5, -46.6, 'city')];
    expect(kilometres(unsure, placeAt(-23.52, -46.6))).toBeGreaterThan(kilometres(sure, placeAt(-23.52, -46.6)));
    const afar = placeAt(-22.9, -43.2);
    expect(kilometres(unsure, afar) / kilometres(sure, afar)).toBeCloseTo(1, 2);
  });

  test('is a complete symmetric table, with 0 only on the diagonal', () => {
    const precision = fc.constantFrom<Precision>('street', 'postal_code', 'district', 'city');
    const anywhere = fc
      .tuple(fc.double({ min: -33, max: 5, noNaN: true }), fc.double({ min: -73, max: -35, noNaN: true }), precision)
      .map(([latitude, longitude, coarseness]) => placeAt(latitude, longitude, coarseness));
    fc.assert(
      fc.property(fc.array(anywhere, { maxLength: 8 }), (places) => {
        const { metres, seconds, source } = greatCircleTable(places);
        expect(source).toBe('great_circle');
        const isSound = (i: number, j: number) => {
          const leg = metres[i]?.[j] ?? Number.NaN;
          return leg === metres[j]?.[i] && leg > 0 === (i !== j) && seconds[i]?.[j] === drivingSeconds(leg);
        };
        return places.every((_, i) => places.every((__, j) => isSound(i, j)));
      }),
    );
  });
});

describe('the metres that a leg gets for a coarse place', () => {
  test.each(['São Paulo - SP', 'Cascavel - PR', 'Serra da Saudade - MG'])(
    'are 1.4 times the metres between two addresses with only %s known',
    (city) => {
      const town = place(city);
      const municipality = municipalityNamed(nameKey(town.city), town.state);
      const between = municipality ? embeddedCities().townOf(municipality).metres : Number.NaN;
      expect(spreadMetres(town) / between).toBeCloseTo(1.4, 2);
    },
  );

  test('are the accuracy of the place, or else the usual accuracy of its precision', () => {
    const street = placeAt(-23.5, -46.6, 'street');
    expect(spreadMetres({ ...street, accuracyMetres: 123 })).toBe(123);
    expect(spreadMetres(street)).toBe(usualAccuracy.street);
    expect(spreadMetres(placeAt(-23.5, -46.6, 'city'))).toBe(usualAccuracy.city);
  });
});

describe('driving time', () => {
  const kmPerHour = (metres: number): number => (metres / drivingSeconds(metres)) * 3.6;

  test.each([
    [1_000, 25],
    [5_000, 25],
    [25_000, 36],
    [400_000, 64],
  ])('for a leg of %d m means about %d km/h', (metres, speed) => {
    expect(Math.round(kmPerHour(metres))).toBe(speed);
  });

  test('never falls for a longer leg, and the speed does not fall either', () => {
    const metres = fc.double({ min: 1, max: 5e6, noNaN: true });
    fc.assert(
      fc.property(metres, metres, (a, b) => {
        const [shorter, longer] = [Math.min(a, b), Math.max(a, b)];
        expect(drivingSeconds(longer)).toBeGreaterThanOrEqual(drivingSeconds(shorter));
        expect(kmPerHour(longer)).toBeGreaterThanOrEqual(kmPerHour(shorter) - 1e-9);
      }),
    );
    expect(drivingSeconds(0)).toBe(0);
  });
});
