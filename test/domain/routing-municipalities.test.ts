import { describe, expect, test } from '@jest/globals';
import { cepRanges, municipalityRows } from '../../scripts/places/sources.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey, toWords } from '../../src/routing/address/words.js';
import { municipalityNamed } from '../../src/routing/places/municipalities.js';

/** Present names of municipalities for which the source has an earlier spelling. */
const spelledToday: Record<string, string> = {
  'Amparo do Serra - MG': 'Amparo da Serra',
  'Boa Saúde - RN': 'Januário Cicco',
  'Florínia - SP': 'Florínea',
  'Muquém de São Francisco - BA': 'Muquém do São Francisco',
  'Santa Teresinha - BA': 'Santa Terezinha',
  'São Caetano - PE': 'São Caitano',
};

/** IBGE's list, read from the source, not from the tested table. A name in parentheses is the present name. */
const municipalities = municipalityRows().map((row) => {
  const name = /\((.*)\)/.exec(row.name)?.[1] ?? row.name;
  return { name: spelledToday[`${name} - ${row.uf}`] ?? name, state: row.uf };
});

/** A CEP of each municipality that has a range. */
const postalCodeOf = new Map(
  cepRanges().map(({ municipality, uf, cep_from }) => [`${municipality} - ${uf}`, cep_from]),
);

const statesOf = new Map<string, string[]>();
for (const { name, state } of municipalities)
  statesOf.set(nameKey(name), [...(statesOf.get(nameKey(name)) ?? []), state]);
/** True if the address is placed as a city, not as a district: districts of Brasília have names of other cities. */
function isCity(address: string): boolean {
  const located = locateEmbedded(address);
  return located.ok && located.place.district === undefined;
}

const repeated = municipalities.filter(({ name }) => (statesOf.get(nameKey(name))?.length ?? 0) > 1);

describe('the 5 571 municipalities', () => {
  test('are found without a state if their name is unique, except those named like a state or a place abroad', () => {
    const unique = municipalities.filter(({ name }) => statesOf.get(nameKey(name))?.length === 1);
    const misplaced = unique.filter(({ name, state }) => {
      const located = locateEmbedded(`Rua A, 1, ${name}`);
      return !located.ok || located.place.state !== state || nameKey(located.place.city) !== nameKey(name);
    });
    expect(unique.length).toBeGreaterThan(5_000);
    expect(misplaced.map(({ name, state }) => `${name} - ${state}`).sort()).toEqual([
      'Amapá - AP',
      'Barcelona - RN',
      'Buenos Aires - PE',
      'Colômbia - SP',
      'Espírito Santo - RN',
      'Goiás - GO',
      'Mato Grosso - PB',
      'Nova Iorque - MA',
      'Panamá - GO',
      'Tocantins - MG',
    ]);
  });

  test('contradict the CEP of another municipality of the state', () => {
    const ranges = municipalities.flatMap(({ name, state }) => {
      // A range that begins with 001 leaves out 000, the only CEP that the town once had.
      const postalCode = postalCodeOf.get(`${name} - ${state}`)?.replace(/001$/, '000');
      return postalCode === undefined ? [] : [{ name, state, postalCode }];
    });
    const pairs = ranges.flatMap((municipality, at) => {
      const other = ranges[at + 1];
      return other && other.state === municipality.state ? [{ municipality, other }] : [];
    });
    const unseen = pairs.filter(({ municipality, other }) => {
      const located = locateEmbedded(`Rua A, 1, ${municipality.name} - ${municipality.state}, ${other.postalCode}`);
      return located.ok || !located.message.startsWith('The CEP is of ');
    });
    expect(pairs.length).toBeGreaterThan(5_000);
    // The existing CEPs of Jundiá begin before its range.
    expect(unseen.map(({ other }) => other.name)).toEqual(['Jundiá']);
  });

  test('are each placed in their own state, under their own name', () => {
    const misplaced = municipalities.filter(({ name, state }) => {
      const located = locateEmbedded(`Rua A, 1, ${name}/${state}`);
      return !located.ok || located.place.state !== state || nameKey(located.place.city) !== nameKey(name);
    });
    expect([municipalities.length, misplaced]).toEqual([5_571, []]);
  });

  test.each([
    ["Pau d'Arco", 'PA', -7.833, -50.044],
    ['Ingazeira', 'PE', -7.669, -37.458],
    ['Campo Grande', 'AL', -9.955, -36.793],
    ['São Bento', 'PB', -6.485, -37.449],
    ['Pedro Canário', 'ES', -18.3, -39.957],
    ['Cerro Azul', 'PR', -24.824, -49.261],
    ['Senador José Porfírio', 'PA', -2.591, -51.954],
    ['Boa Esperança do Norte', 'MT', -13.507, -55.149],
  ])('have their seats at the right coordinates: %s - %s', (name, state, latitude, longitude) => {
    const seat = municipalityNamed(nameKey(name), state)?.seat;
    expect(seat?.latitude).toBeCloseTo(latitude, 2);
    expect(seat?.longitude).toBeCloseTo(longitude, 2);
  });

  test.each([
    ['Poxoréo', 'MT', 'Poxoréu'],
    ['Augusto Severo', 'RN', 'Campo Grande'],
    ['Santana do Livramento', 'RS', "Sant'Ana do Livramento"],
    ['Presidente Juscelino', 'RN', 'Serra Caiada'],
    ['Seridó', 'PB', 'São Vicente do Seridó'],
  ])('%s - %s is found as another name of %s', (other, state, name) => {
    expect(municipalityNamed(nameKey(other), state)?.name).toBe(name);
  });
});

test('a name is looked up by the words that an address with it has', () => {
  const inAddress = (name: string) => toWords(name).map(({ text }) => text);
  expect(municipalities.filter(({ name }) => nameKey(name) !== inAddress(name).join(' '))).toEqual([]);
});

describe('the names that repeat', () => {
  test('are not placed without a state, except those of five capitals', () => {
    const placed = repeated.map(({ name }) => locateEmbedded(`Rua A, 1, ${name}`));
    const cities = placed.flatMap((located) => (located.ok ? [`${located.place.city} - ${located.place.state}`] : []));
    expect([...new Set(cities)].sort()).toEqual([
      'Belém - PA',
      'Boa Vista - RR',
      'Campo Grande - MS',
      'Palmas - TO',
      'Rio Branco - AC',
    ]);
  });

  test('are placed in the state of the CEP', () => {
    const places = repeated.map(({ name, state }) => ({
      state,
      located: locateEmbedded(`Rua A, 1, ${name}, ${postalCodeOf.get(`${name} - ${state}`)}`),
    }));
    const placed = places.flatMap(({ state, located }) => (located.ok ? [[located.place.state, state]] : []));
    expect(placed.filter(([actual, expected]) => actual !== expected)).toEqual([]);
    expect(placed.length).toBeGreaterThan(repeated.length - 10);
  });

  test('are not placed in a state without such a name, in any spelling', () => {
    const spellings = new Set(
      municipalities.map(({ name, state }) => `${state} ${looseKey(nameKey(name).split(' '))}`),
    );
    for (const { name } of repeated) {
      const spelling = looseKey(nameKey(name).split(' '));
      const isNameIn = (state: string): boolean =>
        spellings.has(`${state} ${spelling}`) || municipalityNamed(nameKey(name), state) !== undefined;
      const others = [...new Set(municipalities.map(({ state }) => state))].filter((state) => !isNameIn(state));
      const wrong = others.filter((state) => isCity(`Rua A, 1, ${name} - ${state}`));
      expect({ name, wrong }).toEqual({ name, wrong: [] });
    }
  });
});
