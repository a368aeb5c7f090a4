/** Real streets, neighbourhoods and CEPs: © OpenStreetMap contributors, ODbL 1.0 (https://www.openstreetmap.org/copyright). */
import { describe, expect, test } from '@jest/globals';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { seededRandom } from '../../src/routing/route/embedded-solver.js';
import cases from './routing-reading.cases.json' with { type: 'json' };
import { forms, formsWithoutCity, writtenAddresses } from './routing-written-addresses.js';

/** `street | number | neighbourhood | city - UF | CEP`, without the parts that the address lacks. */
function partsOf(address: string): string {
  const reading = readAddress(address);
  if (!reading.ok) return reading.message;
  const { street, neighbourhood, municipality, postalCode } = reading;
  const city = `${municipality.name} - ${municipality.state}`;
  const parts = [street?.words.join(' '), street?.number, neighbourhood?.join(' '), city, postalCode];
  return parts.filter((part) => part !== undefined).join(' | ');
}

describe('an address is split into parts', () => {
  test.each(Object.entries(cases.inParts))('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });
});

describe('a name within a longer one is not read by itself', () => {
  test.each(Object.entries(cases.withinLonger))('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });

  test.each(cases.noCity)('and no city is read in it: %s', (address) => {
    expect(readAddress(address)).toMatchObject({ ok: false, reason: 'unknown' });
  });
});

test('without a state, a CEP decides between several cities', () => {
  expect(partsOf('Rua Direita, 10, Campo Grande, 59680-000')).toBe('rua direita | 10 | Campo Grande - RN | 59680000');
  expect(partsOf('Rua Direita, 10, Bom Jesus, 59270-000')).toBe('rua direita | 10 | Bom Jesus - RN | 59270000');
  expect(partsOf('Av. Paulista, 1578, SP, 01310-200')).toBe('av paulista | 1578 | São Paulo - SP | 01310200');
});

describe('an address with two readings', () => {
  test.each(Object.entries(cases.ambiguous))('%s: is refused, and the message names both', (address, both) => {
    const reading = readAddress(address);
    expect(reading).toMatchObject({ ok: false, reason: 'ambiguous', message: expect.stringContaining(both) });
  });

  test('has only one reading with a neighbourhood before the city', () => {
    expect(partsOf('Rua A, 1, Centro, Socorro, São Paulo')).toBe('rua a | 1 | centro | Socorro - SP');
  });
});

describe('the CEP', () => {
  test('alone decides the city', () => {
    expect(partsOf('39740-000')).toBe('Guanhães - MG | 39740000');
    expect(partsOf('Rua Lemos Cunha, 355, Icaraí, 24230-131')).toBe(
      'rua lemos cunha | 355 | icarai | Niterói - RJ | 24230131',
    );
  });

  test('decides that a name of a neighbourhood and a city means the neighbourhood', () => {
    expect(partsOf('Rua Badejo, 70, Eldorado, 09972-030')).toBe('rua badejo | 70 | eldorado | Diadema - SP | 09972030');
    expect(partsOf('Avenida Ciro Nunes, 751, Amazonas, 39740-000')).toContain('| amazonas | Guanhães - MG');
  });
});

describe('of 1 000 real addresses', () => {
  const sample = writtenAddresses().filter((_, at) => at % 50 === 0);

  /** The share of the sample that is read right in this form, and the addresses that are read as another city. */
  function outcome(form: (typeof forms)[string]): { share: number; wrong: string[] } {
    const texts = sample.flatMap((address) => {
      const text = form(address);
      return text === undefined ? [] : [{ code: Number(address.ibge), text, reading: readAddress(text) }];
    });
    const right = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code === code);
    const wrong = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code !== code);
    return { share: right.length / texts.length, wrong: wrong.map(({ text }) => text) };
  }

  test.each(Object.entries(forms))('none is read as another city: %s', (_name, form) => {
    const { share, wrong } = outcome(form);
    expect(wrong).toEqual([]);
    expect(share).toBeGreaterThan(0.985);
  });

  test.each(Object.entries(formsWithoutCity).filter(([name]) => name.includes('CEP')))(
    'nearly all are read right by their CEP: %s',
    (_name, form) => {
      expect(outcome(form).share).toBeGreaterThan(0.97);
    },
  );

  test('an address without a city is seldom placed', () => {
    expect(outcome(formsWithoutCity['street, number'] ?? (() => undefined)).wrong.length).toBeLessThan(10);
  });
});

const random = seededRandom(7);
const upTo = (most: number): number => Math.floor(random() * most);

/** The name with one mistake: a missing, extra or wrong letter, or two swapped letters. */
function misspelled(name: string): string {
  const at = upTo(name.length);
  const letter = 'abcdefghijlmnopqrstuvxz'[upTo(23)] ?? 'a';
  const [before, after] = [name.slice(0, at), name.slice(at + 1)];
  const slips = [before + after, before + letter + name.slice(at), before + letter + after];
  return slips[upTo(4)] ?? before + after.slice(0, 1) + name.slice(at, at + 1) + after.slice(1);
}

describe('one wrong letter', () => {
  test.each([
    ['street, number, city - UF', (city: string, state: string) => `Rua das Flores, 10, ${city} - ${state}`],
    ['in one piece', (city: string, state: string) => `rua das flores 10 centro ${city} ${state}`],
    ['the city first', (city: string, state: string) => `${city}/${state}, Rua das Flores, 10`],
  ])('in the name of a municipality is corrected: %s', (_, form) => {
    const letters = /^[\p{L} ]+$/u;
    const cities = allMunicipalities().filter(({ name }) => letters.test(name));
    const read = cities.map((city) => ({ city, reading: readAddress(form(misspelled(city.name), city.state)) }));
    const found = read.filter(({ city, reading }) => reading.ok && reading.municipality === city);
    const wrong = read.filter(({ city, reading }) => reading.ok && reading.municipality !== city);
    expect(found.length / cities.length).toBeGreaterThan(0.95);
    expect(wrong.length / cities.length).toBeLessThan(0.001);
  });

  test.each([
    'Rua Lemos Cumha, 355 - Icaraí, Niterói - RJ',
    'Rau Lemos Cunha, 355 - Icaraí, Niterói - RJ',
    'Rua Lemos Cunha, 355 - Icraaí, Niterói - RJ',
    'Rua Lemos Cunha, 355 - Icaraí, Nitrói - RJ',
    'Rua Lemos Cunha, 355 - Icaraí, Niteroy, Rio de Janeiro',
    'Rua Lemos Cunha, 355 - Icarau, 24230-131',
  ])('is corrected in any part: %s', (address) => {
    expect(readAddress(address)).toMatchObject({
      municipality: { name: 'Niterói' },
      street: { words: ['rua', 'lemos', 'cunha'], number: '355' },
      neighbourhood: ['icarai'],
    });
  });

  test('is not corrected when several names are one letter away, such as Itapeva and Itapevi', () => {
    expect(readAddress('Rua A, 1, Itapevx - SP')).toMatchObject({ ok: false, reason: 'unknown' });
  });

  test('is not assumed in the name of a neighbourhood, to make a city of it', () => {
    expect(readAddress('Rua A, 1, Mooca - SP')).toMatchObject({ ok: false, reason: 'ambiguous' });
  });

  test('does not make a street of a name that shares only its hash with a street', () => {
    const letters = () => Array.from({ length: 14 }, () => 'abcdefghijlmnopqrstuvxz'[upTo(23)]).join('');
    const names = Array.from({ length: 1_000 }, letters);
    const read = names.map((name) => readAddress(`Rua ${name}, 10, São Paulo - SP`));
    const taken = read.filter((reading, at) => reading.ok && reading.street?.words[1] !== names[at]);
    expect(taken.length).toBeLessThan(2);
  });
});
