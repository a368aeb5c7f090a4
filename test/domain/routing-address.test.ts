import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';

/** `district, city - UF`, or `city - UF`, as a short form of where an address was placed. */
function whereIs(address: string): string {
  const located = locateEmbedded(address);
  if (!located.ok) return `not placed: ${located.message}`;
  const { city, state, district } = located.place;
  return `${district === undefined ? '' : `${district}, `}${city} - ${state}`;
}

function messageOf(address: string): string {
  const located = locateEmbedded(address);
  return located.ok ? `placed in ${located.place.city}` : located.message;
}

describe('an address as people write it', () => {
  test.each([
    ['Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200', 'Bela Vista, São Paulo - SP'],
    ['R. XV de Novembro 300 ap 12, Curitiba/PR', 'Curitiba - PR'],
    ['rua das flores, 10, santos sp', 'Santos - SP'],
    ['RUA DAS FLORES, 10, SANTOS - SP', 'Santos - SP'],
    ['rua das flores 10 santos sp', 'Santos - SP'],
    ['Rua das Flores, 10; Santos; SP; Brasil', 'Santos - SP'],
    ['Rua das Flores, 10\nCentro\n11010-000 Santos SP\nBrasil', 'Centro, Santos - SP'],
    ['Av. Atlântica 1702 - Copacabana, Rio de Janeiro - RJ, CEP 22021-001', 'Copacabana, Rio de Janeiro - RJ'],
    ['Praça da Sé, s/n - Sé, São Paulo - SP, 01001-000', 'Sé, São Paulo - SP'],
    ['R. S. Bento, 10, S. José dos Campos/SP - Brasil', 'São José dos Campos - SP'],
    ['Tv. Sto. Antônio, 5, Sta. Maria - RS', 'Santa Maria - RS'],
    ['Al. Dr. Carlos, 8, Gov. Valadares MG', 'Governador Valadares - MG'],
    ['Pça. 7, 1, Pres. Prudente-SP', 'Presidente Prudente - SP'],
    ['Rua A, 1, Capao Redondo, Sao Paulo, SP', 'Capão Redondo, São Paulo - SP'],
    ['Rua A, 1, bairro Moema, São Paulo/SP', 'Moema, São Paulo - SP'],
    ['Rua A 1 Vl. Mariana, São Paulo/SP', 'Vila Mariana, São Paulo - SP'],
    ['Curitiba/PR, R. XV de Novembro 300', 'Curitiba - PR'],
    ['Santos, Centro, SP', 'Centro, Santos - SP'],
    ['Rua das Flores, 10, Santos - até 1715 - lado ímpar', 'Santos - SP'],
    ['Endereço: Rua A, 1, Cidade: Santos, UF: SP, CEP: 11010-000', 'Santos - SP'],
    ['Rua Padre Chagas 300 Moinhos de Vento Porto Alegre RS', 'Moinhos de Vento, Porto Alegre - RS'],
    ['Rua A, 1, São Paulo - SP, ap 12 bloco B', 'São Paulo - SP'],
  ])('%s → %s', (address, place) => {
    expect(whereIs(address)).toBe(place);
  });

  test.each([
    'Avenida Paulista - até 1715 - lado ímpar, 1001, Bela Vista, São Paulo - SP',
    'Avenida Paulista - de 612 a 1510 - lado par, 700 - Bela Vista - São Paulo/SP',
    'São Paulo - SP, Bela Vista, Avenida Paulista - de 1001/1002 ao fim',
  ])('the ranges that Correios append to a street name no place: %s', (address) => {
    expect(whereIs(address)).toBe('Bela Vista, São Paulo - SP');
  });

  test.each([
    ["Rua A, 1, Santa Bárbara d'Oeste - SP", "Santa Bárbara d'Oeste - SP"],
    ['Rua A, 1, Santa Barbara do Oeste - SP', "Santa Bárbara d'Oeste - SP"],
    ['Rua A, 1, Moji das Cruzes - SP', 'Mogi das Cruzes - SP'],
    ['Rua A, 1, São Luís do Paraitinga - SP', 'São Luiz do Paraitinga - SP'],
    ['Rua A, 1, Parati - RJ', 'Paraty - RJ'],
    ['Rua A, 1, Embu Guaçu - SP', 'Embu-Guaçu - SP'],
  ])('old and new spellings name the same city: %s', (address, place) => {
    expect(whereIs(address)).toBe(place);
  });

  test('the place has coordinates, how exact they are, and the CEP', () => {
    expect(locateEmbedded('Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310200')).toEqual({
      ok: true,
      place: {
        latitude: expect.closeTo(-23.561, 2),
        longitude: expect.closeTo(-46.648, 2),
        precision: 'street',
        city: 'São Paulo',
        state: 'SP',
        district: 'Bela Vista',
        postalCode: '01310200',
      },
    });
    expect(locateEmbedded('Rua A, 1, Santos - SP')).toMatchObject({ place: { precision: 'city' } });
  });
});

describe('the state', () => {
  test.each([
    ['Rua A, 1, Niterói, Rio de Janeiro', 'Niterói - RJ'],
    ['Rua A, 1, Goiânia, Goiás', 'Goiânia - GO'],
    ['Rua A, 1, Natal, Rio Grande do Norte, Brasil', 'Natal - RN'],
    ['Rua A, 1, Goiás - GO', 'Goiás - GO'],
    ['Rua A, 1, Paraná - RN', 'Paraná - RN'],
    ['Rua A, 1, Crixás do Tocantins', 'Crixás do Tocantins - TO'],
    ['Rua A, 1, Santos - SP, São Paulo', 'Santos - SP'],
    ['SQS 308, Asa Sul, DF', 'Asa Sul, Brasília - DF'],
    ['QNA 1, Taguatinga - DF', 'Taguatinga, Brasília - DF'],
  ])('may be a UF or a name: %s → %s', (address, place) => {
    expect(whereIs(address)).toBe(place);
  });

  test('of the two capitals that share their state’s name, the name alone is the city', () => {
    expect(whereIs('Rua Augusta, 1, São Paulo')).toBe('São Paulo - SP');
    expect(whereIs('Rua A, 1, Santa Teresa, Rio de Janeiro')).toBe('Santa Teresa, Rio de Janeiro - RJ');
  });

  test.each([
    [
      'Rua A, 1, Bom Jesus',
      'The city may be Bom Jesus - PB, Bom Jesus - PI, Bom Jesus - RN, Bom Jesus - RS or Bom Jesus - SC: write its UF, or the CEP.',
    ],
    [
      'Rua A, 1, Bom Jesus do Tocantins',
      'The city may be Bom Jesus do Tocantins - PA or Bom Jesus do Tocantins - TO: write its UF, or the CEP.',
    ],
    [
      'Rua dos Franceses, 1, Bela Vista',
      'The address may name the municipality Bela Vista - MS or a neighbourhood of São Paulo - SP: write city and UF, or the CEP.',
    ],
    [
      'Rua A, 1, Socorro, São Paulo',
      'The address may name the municipality Socorro - SP or a neighbourhood of São Paulo - SP: write neighbourhood, city and UF, or the CEP.',
    ],
  ])('is needed where a name may mean several places: %s', (address, message) => {
    expect(messageOf(address)).toBe(message);
  });

  test('can follow from the CEP', () => {
    expect(whereIs('Rua A, 1, Bom Jesus, 59270-000')).toBe('Bom Jesus - RN');
    expect(whereIs('Rua A, 1, Socorro, São Paulo, 04763-000')).toBe('Socorro, São Paulo - SP');
  });

  test('is not needed by a name that is one city’s alone', () => {
    expect(whereIs('Rua das Flores, 10, Santos')).toBe('Santos - SP');
  });
});

describe('an address that cannot be placed says why', () => {
  test.each([
    ['', 'The address names no place: write city and UF, or the CEP.'],
    [' ,;- ', 'The address names no place: write city and UF, or the CEP.'],
    ['Rua Santos', 'Neither city nor state was understood.'],
    ['Rua dos Santos, SP', 'The address names no city of SP: write the city before the state, or the CEP.'],
    [
      'Rua A, 1, Sao Pualo - SP',
      'the name before the state is no municipality of SP. Check its spelling, or write the CEP.',
    ],
    ['Rua A, 1, Campinas - RJ', 'City and state do not fit: RJ has no city of that name, but there is Campinas - SP.'],
    ['Rua A, 1, Jardim São Carlos - SP', 'the name before the state is no municipality of SP.'],
    ['Rua A, 1, Vila Nossa Senhora Aparecida, SP', 'the name before the state is no municipality of SP.'],
    ['Rua A, 1, Cidade Ocidental - DF', 'DF has no city of that name, but there is Cidade Ocidental - GO.'],
    ['Santos - SP, Rio de Janeiro', 'The address names two states, SP and RJ: write one only.'],
    [
      'Av. Brasil, 500, Paraná',
      'The address may name the state PR only, or Paraná - RN or Paranã - TO: write city and UF, or the CEP.',
    ],
    ['Avenida Minas Gerais, 500', 'Neither city nor state was understood.'],
    ['SP', 'The address names no city of SP: write the city before the state, or the CEP.'],
  ])('%s', (address, message) => {
    expect(messageOf(address)).toContain(message);
  });

  test('briefly, however long the address', () => {
    expect(messageOf(`${'x'.repeat(10_000)} - SP`).length).toBeLessThan(200);
  });
});

describe('whatever the text', () => {
  const pieces = "Rua|São Paulo|SP|-|,|/|01310-200|CEP|Sé|de|10|até|d'|Bom Jesus|Brasil|\u0301".split('|');
  const addressLike = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(' '));

  test('the geocoder answers, with a place in Brazil or a message', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), addressLike);
    fc.assert(
      fc.property(text, (address) => {
        const located = locateEmbedded(address);
        if (!located.ok) return located.message.length > 0 && located.message.length < 400;
        const { latitude, longitude, state } = located.place;
        return latitude > -34 && latitude < 6 && longitude > -74 && longitude < -32 && /^[A-Z]{2}$/.test(state);
      }),
      { numRuns: 500 },
    );
  });

  const repeated = "sp, |santos - sp, |são paulo, |rua a |01310-200 |cep |d'|\u0301|x|de 1 a 2 - ".split('|');
  test.each(repeated)('the geocoder reads 30 000 characters of %j', (piece) => {
    const located = locateEmbedded(piece.repeat(30_000 / piece.length));
    expect(typeof located.ok).toBe('boolean');
  });

  test('case and accents make no difference', () => {
    const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');
    fc.assert(
      fc.property(addressLike, (address) => {
        expect(whereIs(plain(address).toUpperCase())).toBe(whereIs(address.toLowerCase()));
      }),
    );
  });
});
