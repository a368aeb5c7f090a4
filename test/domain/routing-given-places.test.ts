import { expect, test } from '@jest/globals';
import type { Place } from '../../src/base/place.js';
import { placedAt } from '../../src/routing/places/given-place.js';
import { allMunicipalities, type Municipality } from '../../src/routing/places/municipalities.js';
import { between, randomFrom } from '../support/random.js';

const named = ({ name: city, state }: Municipality) => {
  const place: Place = { latitude: 0, longitude: 0, precision: 'city', city, state };
  return { ok: true, place } as const;
};
const municipalities = allMunicipalities();
const taken = (of: Municipality, at: { latitude: number; longitude: number }) => placedAt(named(of), at).ok;

test('the seat of a municipality lies in it, and hardly ever in a random other one', () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const some = Array.from({ length: 300 }, () => between(random, 0, municipalities.length - 1));
  const pairs = some.flatMap((at, turn) => {
    const [own, other] = [municipalities[at], municipalities[some[turn - 1] ?? 0]];
    return own && other && own !== other ? [{ own, other }] : [];
  });
  expect([pairs.filter(({ own }) => !taken(own, own.seat)), seed]).toEqual([[], seed]);
  expect(pairs.filter(({ own, other }) => taken(other, own.seat)).length).toBeLessThan(10);
});

test('the seat of a town is refused as a place in a neighbouring town', () => {
  const of = (name: string, state: string): Municipality => {
    const found = municipalities.find((each) => each.name === name && each.state === state);
    if (!found) throw new Error(`there is no ${name}`);
    return found;
  };
  const paulo = of('São Paulo', 'SP');
  for (const name of ['Guarulhos', 'Santo André', 'São Bernardo do Campo', 'Santos', 'Campinas']) {
    const beside = of(name, 'SP');
    expect([name, taken(beside, beside.seat), taken(paulo, beside.seat), taken(beside, paulo.seat)]).toEqual([
      ...[name, true, false, false],
    ]);
  }
});
