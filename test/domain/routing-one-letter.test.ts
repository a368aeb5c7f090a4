/** Real streets and neighbourhoods: © OpenStreetMap contributors, ODbL 1.0 (https://www.openstreetmap.org/copyright). */
import { describe, expect, test } from '@jest/globals';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { seededRandom } from '../../src/routing/route/embedded-solver.js';

const random = seededRandom(7);
const upTo = (most: number): number => Math.floor(random() * most);

/** The name with a letter missing, too many or another, or two swapped. */
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
  ])('in the name of a municipality leaves it found: %s', (_, form) => {
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
  ])('in any part: %s', (address) => {
    expect(readAddress(address)).toMatchObject({
      municipality: { name: 'Niterói' },
      street: { words: ['rua', 'lemos', 'cunha'], number: '355' },
      neighbourhood: ['icarai'],
    });
  });

  test('is not put right where several names are one letter off, as Itapeva and Itapevi', () => {
    expect(readAddress('Rua A, 1, Itapevx - SP')).toMatchObject({ ok: false, reason: 'unknown' });
  });

  test('makes no city of a neighbourhood of the state', () => {
    expect(readAddress('Rua A, 1, Mooca - SP')).toMatchObject({ ok: false, reason: 'ambiguous' });
  });

  test('makes no street of a name that shares but its hash with one, as one in a hundred would in São Paulo', () => {
    const letters = () => Array.from({ length: 14 }, () => 'abcdefghijlmnopqrstuvxz'[upTo(23)]).join('');
    const names = Array.from({ length: 1_000 }, letters);
    const read = names.map((name) => readAddress(`Rua ${name}, 10, São Paulo - SP`));
    const taken = read.filter((reading, at) => reading.ok && reading.street?.words[1] !== names[at]);
    expect(taken.length).toBeLessThan(2);
  });
});
