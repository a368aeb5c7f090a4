/** Real streets, neighbourhoods and CEPs: © OpenStreetMap contributors, ODbL 1.0 (https://www.openstreetmap.org/copyright). */
import { describe, expect, test } from '@jest/globals';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';
import { placeOf } from '../../src/routing/places/place-of.js';
import { toVisits } from '../../src/routing/visits.js';
import addresses from './routing-spellings.cases.json' with { type: 'json' };

interface Written {
  street: string;
  number: string;
  neighbourhood: string;
  city: string;
  state: string;
  /** The CEP with a comma before it, or an empty text. */
  cep: string;
}

const abbreviations: Record<string, string> = {
  ...{ Rua: 'R.', Avenida: 'Av.', Travessa: 'Tv.', Praça: 'Pça.', Doutor: 'Dr.', Presidente: 'Pres.', Jardim: 'Jd.' },
  ...{ São: 'S.', Santo: 'Sto.', Santa: 'Sta.', Capitão: 'Cap.', Engenheiro: 'Eng.', Conjunto: 'Conj.', Bloco: 'Bl.' },
};
const abbreviated = (text: string): string => text.replaceAll(/\p{L}+/gu, (word) => abbreviations[word] ?? word);
const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');

const house = ({ street, number }: Written, between: string): string =>
  number === '' ? street : `${street}${between}${number}`;
const usual = (a: Written): string => `${house(a, ', ')} - ${a.neighbourhood}, ${a.city} - ${a.state}${a.cep}`;

const spellings: Record<string, (address: Written) => string> = {
  abbreviated: (a) => abbreviated(usual(a)),
  'with "nº"': (a) => `${house(a, ' nº ')}, ${a.neighbourhood}, ${a.city}/${a.state}${a.cep}`,
  'with a flat': (a) => `${house(a, ', ')} ap. 12 - ${a.neighbourhood}, ${a.city} - ${a.state}${a.cep}`,
  'with a building': (a) =>
    `${house(a, ', ')} (Edifício Central, sala 301) - ${a.neighbourhood}, ${a.city}, ${a.state}${a.cep}`,
  'with the country': (a) => `${usual(a)}, Brasil`,
  'in capitals without accents': (a) => withoutAccents(usual(a)).toUpperCase(),
  'in one piece': (a) => `${house(a, ' ')} ${a.neighbourhood} ${a.city} ${a.state}${a.cep}`.toLowerCase(),
  'the city first': (a) => `${a.city} - ${a.state}, ${a.neighbourhood}, ${house(a, ' ')}${a.cep}`,
  'in lines': (a) => `${house(a, ', ')}\n${a.neighbourhood}\n${a.city} ${a.state}${a.cep}\nBrazil`,
  'with labels': (a) =>
    `${house(a, ', número ')}, bairro ${a.neighbourhood}, cidade ${a.city}, estado ${a.state}${a.cep.replace(', ', ', CEP ')}`,
};

const written: Written[] = addresses.map(
  ([street = '', number = '', neighbourhood = '', city = '', state = '', cep]) => ({
    ...{ street, number, neighbourhood, city, state },
    cep: `, ${cep?.slice(0, 5)}-${cep?.slice(5)}`,
  }),
);

function stopAt(address: string) {
  const reading = readAddress(address);
  if (!reading.ok) throw new Error(`${address}: ${reading.message}`);
  return { address, place: placeOf(reading) };
}

/** True if both are visited as one address, at one point. */
function areOne(one: string, other: string): boolean {
  const pickups = [stopAt(one), stopAt(other)];
  const { places } = toVisits({ pickups, deliveries: [] });
  const [a, b] = pickups.map(({ place }) => `${place.latitude} ${place.longitude} ${place.precision}`);
  return places.length === 1 && a === b;
}

describe('each of 36 addresses is the same place when it is written', () => {
  test.each(Object.entries(spellings))('%s', (_, spelling) => {
    expect(written).toHaveLength(36);
    const withoutPostalCode = written.map((address) => ({ ...address, cep: '' }));
    const apart = [...written, ...withoutPostalCode].filter((address) => !areOne(usual(address), spelling(address)));
    expect(apart.map(spelling)).toEqual([]);
  });

  test.each([
    ['Avenida Paulista, 1578, São Paulo - SP', '1578 Avenida Paulista, São Paulo - SP'],
    ['Avenida Paulista, 1578, São Paulo - SP', '1578, Av. Paulista, São Paulo, SP'],
    ['Av. Paulista, 1578, Bela Vista, São Paulo, 01310-200', 'Av. Paulista, 1.578, Bela Vista, São Paulo, 01310 200'],
    ['SQS 308 Bloco C, Brasília - DF', 'SQS 308, Bloco C, Apto 101, Brasília/DF'],
    ['SHIS QI 5 Conjunto 3, 10, Brasília - DF', 'SHIS QI 05 Cj 3 Casa 10, Brasília - DF'],
    ['QNM 18 Conjunto A, 12, Brasília - DF', 'QNM 18, Conj. A, Lote 12, Brasília - DF'],
    ['Rua D, 10, Santos - SP', 'Santos - SP, R. D, 10'],
    [
      'Rua Tocantins, 2125 - Bairro São Lucas, Marechal Cândido Rondon - PR',
      'Rua Tocantins, 2125, bairro Bairro São Lucas, Marechal Cândido Rondon - PR',
    ],
    [
      'Rua João Batista França, 298 - Distrito Industrial, São José do Rio Preto - SP',
      'Rua João Batista França, 298, bairro Distrito Industrial, São José do Rio Preto - SP',
    ],
    [
      'Rua Linhares, 231 - Conjunto Habitacional Gabriel Hernandez, Catanduva - SP',
      'R. Linhares, 231 - Conj. Hab. Gabriel Hernandez, Catanduva - SP',
    ],
    ['Paulista, 1578, São Paulo - SP', 'Avenida Paulista, 1578 A, São Paulo - SP'],
  ])('%s is %s', (one, other) => {
    expect(areOne(one, other)).toBe(true);
  });

  test.each([
    ['SQS 308 Bloco C, Brasília - DF', 'SQS 308 Bloco K, Brasília - DF'],
    ['QNM 18 Conjunto D, 12, Brasília - DF', 'QNM 18 Conjunto E, 12, Brasília - DF'],
    ['SQS 308, Brasília - DF', 'SQS 308 Bloco C, Brasília - DF'],
    ['Rua D, 10, Santos - SP', 'Rua E, 10, Santos - SP'],
    ['Rua C, 10, Santos - SP', 'Rua K, 10, Santos - SP'],
    ['Rua A, 10, Santos - SP', 'Rua A, 12, Santos - SP'],
    ['Rua A, 10, Santos - SP', 'Rua A, 10, Santo André - SP'],
    ['Rua A, 10, Santos - SP, 11010-000', 'Rua A, 10, Santos - SP, 11010-010'],
    // Without a number, words tell addresses apart.
    ['Rua A, s/n, casa azul, Santos - SP', 'Rua A, s/n, casa branca, Santos - SP'],
  ])('%s is not %s', (one, other) => {
    expect(areOne(one, other)).toBe(false);
  });
});
