import { describe, expect, test } from '@jest/globals';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';

const HOUSE = 'Rua Sete de Setembro, 150 - Centro';
/** A city of each state, with a CEP of its centre. */
const cities: readonly [city: string, state: string, cep: string][] = [
  ['Rio Branco', 'AC', '69900-001'],
  ['Maceió', 'AL', '57020-000'],
  ['Manaus', 'AM', '69005-141'],
  ['Macapá', 'AP', '68900-013'],
  ['Salvador', 'BA', '40020-000'],
  ['Fortaleza', 'CE', '60025-001'],
  ['Brasília', 'DF', '70040-010'],
  ['Vitória', 'ES', '29010-000'],
  ['Goiânia', 'GO', '74003-010'],
  ['São Luís', 'MA', '65010-000'],
  ['Belo Horizonte', 'MG', '30110-000'],
  ['Campo Grande', 'MS', '79002-000'],
  ['Cuiabá', 'MT', '78005-000'],
  ['Belém', 'PA', '66010-000'],
  ['João Pessoa', 'PB', '58010-000'],
  ['Recife', 'PE', '50010-000'],
  ['Teresina', 'PI', '64000-040'],
  ['Curitiba', 'PR', '80010-000'],
  ['Niterói', 'RJ', '24020-000'],
  ['Natal', 'RN', '59025-000'],
  ['Porto Velho', 'RO', '76801-000'],
  ['Boa Vista', 'RR', '69301-000'],
  ['Caxias do Sul', 'RS', '95020-000'],
  ['Florianópolis', 'SC', '88010-000'],
  ['Aracaju', 'SE', '49010-000'],
  ['Campinas', 'SP', '13010-000'],
  ['Palmas', 'TO', '77001-002'],
];

type Form = (city: string, state: string, cep: string) => string;

/** Forms with the code of the country. Without it they are `${HOUSE}, ${city} - ${state}`, with the CEP of the form. */
const forms: Record<string, Form> = {
  ', BR': (city, state) => `${HOUSE}, ${city} - ${state}, BR`,
  ' - BR': (city, state) => `${HOUSE}, ${city} - ${state} - BR`,
  '/BR': (city, state) => `${HOUSE}, ${city}/${state}/BR`,
  ' BR in one piece': (city, state) => `${HOUSE}, ${city} ${state} BR`,
  ', br in a part of its own for each': (city, state) => `${HOUSE}, ${city}, ${state}, br`,
  ', BRA': (city, state) => `${HOUSE}, ${city} - ${state}, BRA`,
  'BR-UF': (city, state) => `${HOUSE}, ${city}, BR-${state}`,
  'in front': (city, state) => `BR, ${city} - ${state}, Centro, Rua Sete de Setembro, 150`,
  'before the CEP': (city, state, cep) => `${HOUSE}, ${city} - ${state}, BR, ${cep}`,
  'beside the CEP': (city, state, cep) => `${HOUSE}, ${city} - ${state} BR-${cep}`,
  'after the CEP': (city, state, cep) => `${HOUSE}, ${city} - ${state}, ${cep}, BR`,
  'BR-UF before the CEP': (city, state, cep) => `${HOUSE}, ${city}, BR-${state} ${cep}`,
};

describe.each(Object.entries(forms))('the ISO code of the country is not read as a place: %s', (_, form) => {
  test.each(cities)('%s - %s', (city, state, cep) => {
    const address = form(city, state, cep);
    const plain = `${HOUSE}, ${city} - ${state}${address.includes(cep) ? `, ${cep}` : ''}`;
    const located = locateEmbedded(plain);
    expect(located).toMatchObject({ ok: true, place: { city, state } });
    expect(locateEmbedded(address)).toEqual(located);
  });
});

describe('the letters BR', () => {
  test('beside a city are not read as a second city', () => {
    expect(locateEmbedded('Rua Augusta, 1500, São Paulo, BR')).toMatchObject({
      ok: true,
      place: { city: 'São Paulo' },
    });
    expect(locateEmbedded('Rua Augusta, 1500, Br, RS')).toMatchObject({ ok: false });
  });

  test.each([
    ['Rodovia BR 101, 500, Osório - RS', 'rodovia br 101, 500'],
    ['Rodovia BR - 101, 500, Osório - RS', 'rodovia br 101, 500'],
    ['BR - 101, 500, Osório - RS', 'br 101, 500'],
    ['BR-101, 500, Osório - RS, BR', 'br 101, 500'],
    ['Rua Br. de Itapetininga, 10, São Paulo - SP', 'rua br de itapetininga, 10'],
  ])('can belong to a road or a title: %s', (address, streetRead) => {
    expect(locateEmbedded(address)).toMatchObject({ ok: true, place: { streetRead } });
  });
});
