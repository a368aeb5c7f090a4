import { describe, expect, test } from '@jest/globals';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';

const codeAndCity = (address: string): string => {
  const located = locateEmbedded(address);
  return located.ok ? `${located.place.postalCode} ${located.place.city} - ${located.place.state}` : located.message;
};

const OF_NONE = 'The CEP belongs to no municipality. Check its digits.';
const contradiction = (owner: string, says: string): string =>
  `The CEP is of ${owner}, but the address says ${says}: correct the one that is wrong.`;
const MALFORMED = 'The CEP was not understood: it must have 8 digits.';

test.each([
  ['00100000', ['', ', Santos - SP', ', Caxias do Sul - RS', ', Rio de Janeiro - RJ']],
  ['78900000', ['', ', Santos - SP', ', Caxias do Sul - RS', ', Rio de Janeiro - RJ']],
  ['99999999', ['', ', Santos - SP', ', Caxias do Sul - RS', ', Rio de Janeiro - RJ']],
  ['28710000', ['', ', Santos - SP', ', Caxias do Sul - RS', ', Vitória - ES']],
])('%s lies in no range of a municipality, so it is refused beside each of %j', (postalCode, cities) => {
  for (const city of cities) expect(codeAndCity(`Rua A, 1${city}, ${postalCode}`)).toBe(OF_NONE);
});

describe('a CEP in no table is accepted with city and UF, because Correios gives towns new ranges', () => {
  test.each([
    // In the ranges of Brazópolis and of Santa Bárbara d'Oeste.
    ['Santa Rita do Sapucaí - MG', '37538-628'],
    ['Nova Odessa - SP', '13460-000'],
    // In no range.
    ['Santa Rosa - RS', '98900-000'],
    ['Porto Velho - RO', '78900-000'],
    ['Rio de Janeiro - RJ', '28710-000'],
  ])('%s, %s', (city, postalCode) => {
    const withoutCode = locateEmbedded(`Rua Sete de Setembro, 100 - Centro, ${city}`);
    if (!withoutCode.ok) throw new Error(withoutCode.message);
    const place = { ...withoutCode.place, postalCode: postalCode.replace('-', '') };
    expect(locateEmbedded(`Rua Sete de Setembro, 100 - Centro, ${city}, ${postalCode}`)).toEqual({ ok: true, place });
  });

  test.each([
    ['Rua A, 1, Nova Odessa, 13460-000', "Santa Bárbara d'Oeste - SP", 'Nova Odessa - SP'],
    ['Rua A, 1, Nova Odessa - SP, 37538-628', 'Brazópolis - MG', 'Nova Odessa - SP'],
    // CEPs of a street and of a whole town.
    ['Rua A, 1, Nova Odessa - SP, 13010-001', 'Campinas - SP', 'Nova Odessa - SP'],
    ['Rua A, 1, Santa Rita do Sapucaí - MG, 37530-000', 'Brazópolis - MG', 'Santa Rita do Sapucaí - MG'],
  ])('but it is refused without a UF, in another state, or if another town has it: %s', (address, owner, says) => {
    expect(codeAndCity(address)).toBe(contradiction(owner, says));
  });
});

describe('the last digits of an address are its CEP in any spelling', () => {
  const house = 'Av. Paulista, 1578 - Bela Vista';
  const withDigits = (digits: string): string[] => [
    `${house}, São Paulo - SP, ${digits}`,
    `${house}, São Paulo/SP ${digits}`,
    `${house}, São Paulo - SP, ${digits}, Brasil`,
    `${house}, São Paulo - SP, CEP ${digits}`,
    `${house}, São Paulo - SP (CEP: ${digits})`,
    `CEP ${digits}, ${house}, São Paulo - SP`,
  ];

  test.each([
    ...['01310-200', '01310200', '01310 200', '01310.200', '01.310-200', '01.310.200', '01 310 200', '0131-0200'],
    ...[
      '01310–200',
      '01310—200',
      '01310−200',
      '01310‑200',
      '01310 – 200',
      '01310\u00a0200',
      '０１３１０－２００',
      '０１３１０２００',
    ],
    ...['1310-200', '1310200', '1.310-200', '1310–200', '1310\u2011200', '１３１０-２００'],
    ...['O1310-200', '0131O-200', '01310-2OO', 'o1310200', '1310-20O', '\u202a01310-200\u202c'],
  ])('%s', (digits) => {
    for (const address of withDigits(digits))
      expect(`${address}: ${codeAndCity(address)}`).toBe(`${address}: 01310200 São Paulo - SP`);
  });

  test.each(['013102001', '01310-2001', '013100-200', '01310-20', '0131A-200', '01310-2X0', '0131A200'])(
    '%s is refused by name',
    (digits) => {
      for (const address of withDigits(digits))
        expect(`${address}: ${codeAndCity(address)}`).toBe(`${address}: ${MALFORMED}`);
    },
  );

  test.each([
    ['Rua Sete de Setembro, 100, 1310-200 São Paulo - SP', '01310200 São Paulo - SP'],
    ['Rua Sete de Setembro, 100, Manaus - AM, 9005-070', 'The CEP is of'],
    ['Rua Sete de Setembro, 100, São Paulo - SP, CEP01310200', '01310200 São Paulo - SP'],
    ['Rua Sete de Setembro, 100, 1310-200', '01310200 São Paulo - SP'],
  ])('%s: %s', (address, result) => {
    expect(codeAndCity(address)).toContain(result);
  });

  test.each([
    'Rua A, 1310-200, Santos - SP',
    'Santos - SP, Rua A, 1310-200',
    'Santos - SP, Rua A, 1310200',
    'Santos - SP, Rua A 1310 200',
    'Rua A, 1, ap 1310-200, Santos - SP',
    'Santos - SP, Rua A, 1, ap 1310-200',
    'Santos - SP, Rua A, 1, sala 1234567',
    'Rua A, 1, Santos - SP, 13 99999-8888',
    'Rua A, 1, Santos - SP, (13) 3222-1234',
    'Rua A, 1, Santos - SP, tel. 99999-8888',
    'Rua A, 1, Santos - SP, telefone: 3222-1234',
  ])('but numbers of houses, flats and telephones are not: %s', (address) => {
    expect(codeAndCity(address)).toBe('undefined Santos - SP');
  });
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
  ])('a CEP of another place is an error: %s', (address, owner, says) => {
    expect(codeAndCity(address)).toBe(contradiction(owner, says));
  });

  test('a CEP without 8 digits is an error', () => {
    expect(codeAndCity('Rua A, 1, Santos - SP, CEP 1101')).toBe(MALFORMED);
  });

  test.each([
    'Rua A, Santos - SP, 11010-000, 11020-000',
    'Rua A, 11010-000, Santos - SP, 11020-000',
    'Rua A, CEP 11010000, Santos - SP, 11020-000',
    'Rua A, 1, 11010000, Santos - SP, 11020-000',
    'Rua A 1, Santos - SP, 11010000, 11020000',
  ])('two CEPs are an error anywhere: %s', (address) => {
    expect(codeAndCity(address)).toBe('The address has more than one CEP: write one only.');
  });

  test('house numbers, flats and telephones are not CEPs', () => {
    expect(codeAndCity('Rua A, 12300 301, Santos - SP')).toBe('undefined Santos - SP');
    expect(codeAndCity('Rua A, 12345, Santos - SP, tel 13 99999-8888')).toBe('undefined Santos - SP');
  });
});
