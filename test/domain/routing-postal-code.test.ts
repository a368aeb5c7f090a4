import { describe, expect, test } from '@jest/globals';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';

const codeAndCity = (address: string): string => {
  const located = locateEmbedded(address);
  return located.ok ? `${located.place.postalCode} ${located.place.city} - ${located.place.state}` : located.message;
};

test.each(['00100000', '78900000', '99999999', '28710000'])('%s lies in the range of no municipality', (postalCode) => {
  for (const city of ['', ', Santos - SP', ', Caxias do Sul - RS', ', Rio de Janeiro - RJ'])
    expect(codeAndCity(`Rua A, 1${city}, ${postalCode}`)).toBe('The CEP belongs to no municipality. Check its digits.');
});

describe('in an address', () => {
  test.each([
    'Rua A, 1, Santos - SP, 11010-000',
    'Rua A, 1, Santos - SP, 11010000',
    'Rua A, 1, Santos - SP, CEP: 11.010-000',
    'Rua A, 1, CEP 11010 000, Santos - SP',
    'CEP 11010-000 Rua A, 1, Santos - SP',
    'Rua A, 1, Santos - SP 11010 - 000',
    'Rua A, 1, 11010-000, Santos',
    'Rua A, 1, 11010-000 Santos SP',
    'Rua A, 1, Santos - SP, 11010 000',
    'Rua A 1, 11010 000, Santos',
    'Rua A, 11010000, Santos - SP',
    // A house number of eight digits is no second CEP.
    'Rua A, 12345678 - Gonzaga, Santos - SP, 11010-000',
    'Rua A, 12345678 - Gonzaga, Santos - SP, 11010000',
    'Rua A, 12345678, Santos - SP, CEP 11010000',
    'Rua A nº 12345678, Santos - SP, 11010-000',
    'Rua A, nº 12345678, 11.010-000 Santos - SP',
    'CEP 11010-000, Rua A, 12345678, Santos - SP',
    '11010-000 Santos - SP, Rua A, 12345678',
  ])('the CEP may stand anywhere, with or without hyphen: %s', (address) => {
    expect(codeAndCity(address)).toBe('11010000 Santos - SP');
  });

  test.each([
    ['Rua A, 1, Sé, São Paulo - SP, 20040-002', 'Rio de Janeiro - RJ', 'São Paulo - SP'],
    ['Rua A, 1, Santos, 20040-002', 'Rio de Janeiro - RJ', 'Santos - SP'],
    ['Rua A, 1, Santos - SP, 01310-200', 'São Paulo - SP', 'Santos - SP'],
    ['Rua A, 1, São Paulo - SP, 13010-000', 'Campinas - SP', 'São Paulo - SP'],
    ['Rua A, 1, Campinas - SP, 11010-000', 'Santos - SP', 'Campinas - SP'],
    ['Rua A, 1, Centro, RJ, 11010-000', 'Santos - SP', 'RJ'],
    ['Rua A, 1, Sao Pualo - SP, 13010-000', 'Campinas - SP', 'São Paulo - SP'],
    ['Rua A, 1, Sao Pualo, 13010-000', 'Campinas - SP', 'São Paulo - SP'],
    ['Santos, Rua A, 1, Beco azul, 20040-002', 'Rio de Janeiro - RJ', 'Santos - SP'],
  ])('a contradiction is an error: %s', (address, owner, says) => {
    const message = `The CEP is of ${owner}, but the address says ${says}: correct the one that is wrong.`;
    expect(codeAndCity(address)).toBe(message);
  });

  test('a CEP that has not 8 digits is an error', () => {
    const message = 'The CEP was not understood: it must have 8 digits.';
    expect(codeAndCity('Rua A, 1, Santos - SP, CEP 1101')).toBe(message);
  });

  test.each([
    'Rua A, Santos - SP, 11010-000, 11020-000',
    'Rua A, 11010-000, Santos - SP, 11020-000',
    'Rua A, CEP 11010000, Santos - SP, 11020-000',
    'Rua A, 1, 11010000, Santos - SP, 11020-000',
    'Rua A 1, Santos - SP, 11010000, 11020000',
  ])('two CEPs are two, wherever they stand: %s', (address) => {
    expect(codeAndCity(address)).toBe('The address has more than one CEP: write one only.');
  });

  test('house numbers, flats and telephones are not CEPs', () => {
    expect(codeAndCity('Rua A, 12300 301, Santos - SP')).toBe('undefined Santos - SP');
    expect(codeAndCity('Rua A, 12345, Santos - SP, tel 13 99999-8888')).toBe('undefined Santos - SP');
  });
});
