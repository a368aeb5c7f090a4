import { describe, expect, test } from '@jest/globals';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';
import { placeOf } from '../../src/routing/places/place-of.js';
import { toVisits } from '../../src/routing/visits.js';

/** Streets of the tables with names of letters and a number. */
const streets = [
  'Avenida T 63 in Goiânia - GO',
  'Avenida T 9 in Goiânia - GO',
  'Rua C 137 in Goiânia - GO',
  'Rua JC 10 in Goiânia - GO',
  'Rua SC 12 in Goiânia - GO',
  'Travessa WE 40 in Ananindeua - PA',
  'Travessa WE 9 in Ananindeua - PA',
  'Rua SD 1 in Camaçari - BA',
  'Rua DC 10 in Feira de Santana - BA',
  'Rua TG 4 in Vitória da Conquista - BA',
  'Rua A 1 in Maceió - AL',
  'Alameda D 10 in Maceió - AL',
  'Rua CP 5 in Goiânia - GO',
].map((line) => {
  const [street = '', city = ''] = line.split(' in ');
  const [kind = '', letters = '', digits = ''] = street.split(' ');
  return [kind, letters, digits, city] as const;
});

type Form = (kind: string, letters: string, digits: string, city: string) => string;

const forms: Record<string, Form> = {
  'T-63': (kind, letters, digits, city) => `${kind} ${letters}-${digits}, 100, ${city}`,
  'T - 63': (kind, letters, digits, city) => `${kind} ${letters} - ${digits}, 100, ${city}`,
  'T 63': (kind, letters, digits, city) => `${kind} ${letters} ${digits}, 100, ${city}`,
  T63: (kind, letters, digits, city) => `${kind} ${letters}${digits}, 100, ${city}`,
  'T-063': (kind, letters, digits, city) => `${kind} ${letters}-${digits.padStart(3, '0')}, 100, ${city}`,
  'T 63, nº 100': (kind, letters, digits, city) => `${kind} ${letters} ${digits}, nº 100, ${city}`,
  'in one piece': (kind, letters, digits, city) => `${kind} ${letters} ${digits} 100 ${city}`.toLowerCase(),
  'the city first': (kind, letters, digits, city) => `${city}, ${kind} ${letters}-${digits}, 100`,
};

function readStreet(address: string) {
  const reading = readAddress(address);
  if (!reading.ok) throw new Error(`${address}: ${reading.message}`);
  const { street } = reading;
  return { key: street?.key, number: street?.number, read: placeOf(reading).streetRead };
}

function areOne(one: string, other: string): boolean {
  const pickups = [one, other].map((address) => {
    const reading = readAddress(address);
    if (!reading.ok) throw new Error(`${address}: ${reading.message}`);
    return { address, place: placeOf(reading) };
  });
  return toVisits({ pickups, deliveries: [] }).places.length === 1;
}

describe.each(Object.entries(forms))(
  'a street of letters and a number is read with its house number: %s',
  (_, form) => {
    test.each(streets)('%s %s-%s, %s', (kind, letters, digits, city) => {
      const { key, number } = readStreet(form(kind, letters, digits, city));
      expect(key).toEqual({ kind: kind.toLowerCase(), name: `${letters}${digits}`.toLowerCase() });
      expect(number).toBe('100');
    });
  },
);

describe('the text of the street that was read', () => {
  test.each([
    ['Avenida T-63, 100, Goiânia - GO', 'avenida t-63, 100'],
    ['Av. T 63, Goiânia - GO', 'av t-63'],
    ['T-63, 100, Setor Bueno, Goiânia - GO', 't-63, 100'],
    ['Rua C-137, Qd. 300, Lt. 1, Jardim América, Goiânia - GO', 'rua c-137, quadra 300, lote 1'],
    ['Rua C 137 Qd300 Lt01, Goiânia/GO', 'rua c-137, quadra 300, lote 1'],
    ['Rua 12-A, 100, Goiânia - GO', 'rua 12 a, 100'],
    ['Rua Projetada B-1, 20, Maceió - AL', 'rua projetada b-1, 20'],
    ['Vicinal 5, km 80, Altamira - PA', 'vicinal 5, km 80'],
    ['Rodovia BR-101, km 12,5, Osório - RS', 'rodovia br 101, km 12,5'],
    ['Linha 12, Gleba 11, Lote 72, Ariquemes - RO', 'linha 12, gleba 11, lote 72'],
    ['LN 12 GL 11 LT 72, Ariquemes - RO', 'ln 12, gleba 11, lote 72'],
    ['Quadra 104 Norte, Rua NE 1, Lote 2, Palmas - TO', 'quadra 104 norte rua ne-1, lote 2'],
    ['104 Norte, Alameda 5, Lote 2, Palmas - TO', 'quadra 104 norte alameda 5, lote 2'],
    ['Quadra 21 Conjunto E casa 3, Paranoá, Brasília - DF', 'quadra 21 conjunto e, 3'],
    // For a street of one letter, the number is that of the house.
    ['Rua T, 63, Santos - SP', 'rua t, 63'],
    ['Rua D nº 10, Goiânia - GO', 'rua d, 10'],
    ['Rua das Flores, 10, Qd 5, Campinas - SP', 'rua das flores, 10, quadra 5'],
  ])('%s: %s', (address, read) => {
    expect(readStreet(address).read).toBe(read);
  });

  test.each(['0', '00', 'nº 0'])('has no number when the address says %s', (number) => {
    const written = readStreet(`Rua Lemos Cunha, ${number}, Icaraí, Niterói - RJ`);
    expect(written).toEqual(readStreet('Rua Lemos Cunha, s/n, Icaraí, Niterói - RJ'));
    expect(written.number).toBeUndefined();
  });
});

describe('codes, lots and kilometres tell two places apart', () => {
  test.each([
    ['Avenida T-63, 100, Goiânia - GO', 'Avenida T-63, 4000, Goiânia - GO'],
    ['Avenida T-63, 100, Goiânia - GO', 'Avenida T-64, 100, Goiânia - GO'],
    ['Rua D-10, 5, Maceió - AL', 'Rua E-10, 5, Maceió - AL'],
    ['Rua C-137, Qd. 300, Lt. 1, Goiânia - GO', 'Rua C-137, Qd. 300, Lt. 2, Goiânia - GO'],
    ['Rua C-137, Qd. 300, Lt. 1, Goiânia - GO', 'Rua C-137, Qd. 301, Lt. 1, Goiânia - GO'],
    ['Rua 1, Lt. 1, Setor Sul, Goiânia - GO', 'Rua 1, Lt. 1, Setor Oeste, Goiânia - GO'],
    ['Qd 5 Lt 3, Setor Sul, Formosa - GO', 'Qd 5 Lt 3, Setor Norte, Formosa - GO'],
    ['Vicinal 5, km 3, Altamira - PA', 'Vicinal 5, km 80, Altamira - PA'],
    ['Linha 12, Gleba 11, Lote 72, Ariquemes - RO', 'Linha 12, Gleba 12, Lote 72, Ariquemes - RO'],
    ['Quadra 104 Norte, Alameda 5, Lote 2, Palmas - TO', 'Quadra 104 Norte, Alameda 7, Lote 2, Palmas - TO'],
    ['Quadra 104 Norte, Alameda 5, Lote 2, Palmas - TO', 'Quadra 104 Sul, Alameda 5, Lote 2, Palmas - TO'],
    ['Rua das Flores, 0, casa azul, Santos - SP', 'Rua das Flores, 0, casa branca, Santos - SP'],
  ])('%s is not %s', (one, other) => {
    expect(areOne(one, other)).toBe(false);
  });

  test.each([
    ['Avenida T-63, 100, Goiânia - GO', 'Av. T 63, nº 100, Goiânia/GO'],
    ['Rua C-137, Qd. 300, Lt. 1, Goiânia - GO', 'R. C137 QD 300 LOTE 01, Goiânia GO'],
    ['Qd 5 Lt 3, Setor Sul, Formosa - GO', 'Quadra 5, Lote 3, Setor Sul, Formosa - GO'],
    ['Quadra 104 Norte, Alameda 5, Lote 2, Palmas - TO', 'Q. 104 Norte Al. 5 Lt 2, Palmas - TO'],
    ['Linha 12, Gleba 11, Lote 72, Ariquemes - RO', 'LN 12 GL 11 LT 72, Ariquemes - RO'],
  ])('%s is %s', (one, other) => {
    expect(areOne(one, other)).toBe(true);
  });
});

test.each([
  ['Rua T 38 B, 100, Goiânia - GO', 't38b'],
  ['Rua RB 47 A, nº 100, Goiânia - GO', 'rb47a'],
  ['Rua VI 14, 100, Goiânia - GO', 'vi14'],
  ['Rua VI-7, 100, Goiânia - GO', 'vi7'],
  ['Rua UM 10, 100, Goiânia - GO', 'um10'],
])('the letters of a code are not read as numerals, and a letter after the code belongs to it: %s', (address, name) => {
  expect(readStreet(address)).toMatchObject({ key: { kind: 'rua', name }, number: '100' });
});
