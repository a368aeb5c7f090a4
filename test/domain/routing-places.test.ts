import { describe, expect, test } from '@jest/globals';
import { cityTable } from '../../scripts/places/cities.js';
import type { CitySources } from '../../scripts/places/draft.js';
import { cepRuns, registeredStreet } from '../../scripts/places/sources.js';
import type { Place } from '../../src/base/place.js';
import type { Read } from '../../src/routing/address/reading.js';
import { nameKey } from '../../src/routing/address/words.js';
import {
  municipalitiesWithNeighbourhood,
  municipalitiesWithStreet,
  neighbourhoodOf,
  streetOf,
} from '../../src/routing/places/city-places.js';
import { CityTable } from '../../src/routing/places/city-table.js';
import { metresBetween } from '../../src/routing/places/clusters.js';
import { allMunicipalities, type Municipality, municipalityNamed } from '../../src/routing/places/municipalities.js';
import { placeOf } from '../../src/routing/places/place-of.js';
import { municipalitiesOfPostalCode } from '../../src/routing/places/postal-codes.js';
import { streetKey } from '../../src/routing/places/street-key.js';

function municipality(name: string, state: string): Municipality {
  const named = municipalityNamed(nameKey(name), state);
  if (named === undefined) throw new Error(`${name} - ${state} is no municipality`);
  return named;
}

const words = (name: string): string[] => nameKey(name).split(' ');
const saoPaulo = municipality('São Paulo', 'SP');

const streetNamed = (name: string, number?: string): NonNullable<Read['street']> => ({
  words: words(name),
  key: streetKey(words(name)),
  ...(number !== undefined && { number }),
});

/** The place of an address in São Paulo with these parts. */
function inSaoPaulo(parts: Partial<Read>, cities?: CityTable): Place {
  return placeOf({ ok: true, municipality: saoPaulo, ...parts }, cities);
}

/** A table made of these sources only. */
const tableOf = (sources: Partial<CitySources>): CityTable =>
  new CityTable(cityTable({ points: [], neighbourhoods: [], streets: [], registers: [], districts: [], ...sources }));

describe('the names inside a municipality', () => {
  test.each(['mooca', 'jardim sao luis', 'jd sao luiz', 'bela vista'])('%s is a neighbourhood of São Paulo', (key) => {
    expect(neighbourhoodOf(saoPaulo, words(key))).toBeDefined();
    expect(municipalitiesWithNeighbourhood(words(key))).toContain(saoPaulo);
  });

  test.each(['avenida paulista', 'av paulista', 'paulista', 'alameda santos', 'al santos'])(
    '%s is a street of São Paulo',
    (key) => {
      expect(streetOf(saoPaulo, words(key))).toBeDefined();
    },
  );

  test('include streets by kind and name', () => {
    expect(municipalitiesWithStreet(words('av paulista'))).toContain(saoPaulo);
    expect(municipalitiesWithStreet(words('rua xv de novembro')).length).toBeGreaterThan(20);
    expect(municipalitiesWithStreet(words('rua xv de novembro'))).toEqual(
      municipalitiesWithStreet(words('rua quinze de novembro')),
    );
    expect(municipalitiesWithStreet(words('rua que ninguem conhece'))).toEqual([]);
  });
});

describe('the precision of a place follows from the known parts:', () => {
  const avenue = streetNamed('Av. Paulista', '1578');
  const masp = { latitude: -23.5614, longitude: -46.6559 };

  test('a house number among others of the street: within a few hundred metres', () => {
    const place = inSaoPaulo({ street: avenue });
    expect(place.precision).toBe('street');
    expect(metresBetween(place, masp)).toBeLessThan(400);
  });

  test('a neighbourhood', () => {
    const place = inSaoPaulo({ neighbourhood: words('Bela Vista') });
    expect(place).toMatchObject({ precision: 'district', district: 'Bela Vista', city: 'São Paulo', state: 'SP' });
    expect(metresBetween(place, masp)).toBeLessThan(1_500);
  });

  test('a CEP between those that are known', () => {
    const place = inSaoPaulo({ postalCode: '01310930' });
    expect(place.postalCode).toBe('01310930');
    expect(metresBetween(place, masp)).toBeLessThan(1_500);
  });

  test('an address with a city only: the middle of its streets, wherever its seat is', () => {
    const [point, street] = [
      { ibge: '3550308', number: '1', cep: '' },
      { uf: 'SP', city: 'São Paulo' },
    ];
    const middle = { latitude: saoPaulo.seat.latitude - 0.2, longitude: saoPaulo.seat.longitude };
    const names = Array.from({ length: 40 }, (_, at) => ({ street: `Rua ${at}`, neighbourhood: 'Grajaú' }));
    const streets = names.map((name, at) => ({ ...street, ...name, ceps: `0480000${at % 10}` }));
    const cities = tableOf({ streets, registers: names.map((name) => ({ ...point, ...name, ...middle })) });
    const place = inSaoPaulo({}, cities);
    expect(place.precision).toBe('city');
    expect(metresBetween(place, middle)).toBeLessThan(20);
    expect(inSaoPaulo({}).precision).toBe('city');
    expect(inSaoPaulo({ street: streetNamed('Rua que ninguém conhece') }).precision).toBe('city');
  });

  test('and the accuracy is coarser when less is known', () => {
    const known = [{ street: avenue }, { neighbourhood: words('Bela Vista') }, {}].map((parts) => inSaoPaulo(parts));
    const [street = 0, district = 0, city = 0] = known.map(({ accuracyMetres = 0 }) => accuracyMetres);
    expect([street > 20, district > street, city > 5_000, city < 40_000]).toEqual([true, true, true, true]);
    const town = placeOf({ ok: true, municipality: municipality('Serra da Saudade', 'MG') });
    expect(town.accuracyMetres).toBeLessThan(city);
  });

  test('parts that contradict each other are not used', () => {
    const santoAmaro = { neighbourhood: words('Santo Amaro') };
    expect(inSaoPaulo(santoAmaro).precision).toBe('district');
    expect(inSaoPaulo({ ...santoAmaro, street: avenue }).precision).toBe('city');
  });

  test('the CEP of a whole town is as coarse as the town, and the CEP of a street is finer', () => {
    const town = municipality('Porciúncula', 'RJ');
    const point = { ibge: '3304102', street: 'Rua A', number: '', neighbourhood: '', ...town.seat };
    const precisionOf = (cep: string): string => {
      const cities = tableOf({ points: [{ ...point, cep }] });
      return placeOf({ ok: true, municipality: town, postalCode: cep }, cities).precision;
    };
    expect(precisionOf('28390000')).toBe('city');
    expect(precisionOf('28390970')).toBe('city');
    expect(precisionOf('28390123')).toBe('postal_code');
  });
});

describe('a street', () => {
  const seat = saoPaulo.seat;
  const row = { uf: 'SP', city: 'São Paulo' };
  const point = { ibge: '3550308', street: 'R A', number: '100', neighbourhood: '', cep: '' };
  const near = { ...point, latitude: seat.latitude + 0.02, longitude: seat.longitude };
  const far = { ...point, latitude: seat.latitude - 0.18, longitude: seat.longitude };
  const flores = streetNamed('Rua das Flores', '150');

  test('without points is placed by its neighbourhood and the nearest CEPs', () => {
    const cities = tableOf({
      streets: [
        { ...row, street: 'Rua das Flores', neighbourhood: 'Mooca', ceps: '03100010' },
        { ...row, street: 'Rua do Porto', neighbourhood: 'Mooca', ceps: '03100011' },
      ],
      registers: [{ ...near, street: 'R DO PORTO' }],
    });
    const place = inSaoPaulo({ street: flores }, cities);
    expect(place.precision).toBe('street');
    expect(metresBetween(place, near)).toBeLessThan(20);
  });

  describe('whose name two neighbourhoods have', () => {
    const streets = [
      { ...row, street: 'Rua das Flores', neighbourhood: 'Mooca', ceps: '03100010' },
      { ...row, street: 'Rua das Flores', neighbourhood: 'Grajaú', ceps: '04800010' },
    ];
    const numbers = [near, { ...near, number: '200', latitude: near.latitude + 0.001 }, far];
    const registers = numbers.map((each) => ({
      ...each,
      street: `RUA DAS FLORES ${each === far ? '(GRAJAU)' : '(MOOCA)'}`,
    }));
    const cities = tableOf({
      streets,
      registers: registers.map((each) => ({ ...each, ...registeredStreet(each.street) })),
    });

    test('is placed only at the city', () => {
      expect(inSaoPaulo({ street: streetNamed('Rua das Flores') }, cities).precision).toBe('city');
      expect(inSaoPaulo({ street: { ...flores, number: '100' } }, cities).precision).toBe('city');
    });

    test.each([{ neighbourhood: words('Mooca') }, { postalCode: '03100010' }])('is found by %j', (said) => {
      const place = inSaoPaulo({ street: { ...flores, number: '150' }, ...said }, cities);
      expect(place.precision).toBe('street');
      expect(metresBetween(place, near)).toBeLessThan(100);
    });
  });

  test('is placed as a district between two near neighbourhoods that both have its name', () => {
    const east = { ...near, longitude: near.longitude + 0.01 };
    const cities = tableOf({
      streets: [
        { ...row, street: 'Rua das Flores', neighbourhood: 'Mooca', ceps: '03100010' },
        { ...row, street: 'Rua das Flores', neighbourhood: 'Belém', ceps: '03150010' },
        { ...row, street: 'Rua do Porto', neighbourhood: 'Mooca', ceps: '03100011' },
        { ...row, street: 'Rua da Barra', neighbourhood: 'Belém', ceps: '03150011' },
      ],
      registers: [
        { ...near, street: 'R DO PORTO' },
        { ...east, street: 'R DA BARRA' },
      ],
    });
    const place = inSaoPaulo({ street: flores }, cities);
    expect(place.precision).toBe('district');
    expect(metresBetween(place, { ...near, longitude: near.longitude + 0.005 })).toBeLessThan(20);
  });

  test.each([
    ['near its CEPs', '03900011', 'district'],
    ['far from what else has such CEPs, as a namesake is', '03100011', 'city'],
  ])('of a neighbourhood whose points are %s', (_, others, precision) => {
    const cities = tableOf({
      streets: [
        { ...row, street: 'Rua do Porto', neighbourhood: 'Mooca', ceps: '03100012' },
        { ...row, street: 'Rua A', neighbourhood: 'Brás', ceps: others },
      ],
      registers: [{ ...far, street: 'R DO PORTO' }, near],
    });
    expect(inSaoPaulo({ neighbourhood: words('Mooca') }, cities).precision).toBe(precision);
  });

  test('places a number between the points of its neighbours', () => {
    const registers = [near, { ...near, number: '300', longitude: near.longitude + 0.002 }];
    const cities = tableOf({
      streets: [{ ...row, street: 'Rua A', neighbourhood: 'Vila B', ceps: '03100010' }],
      registers,
    });
    const vilaB = { street: streetNamed('Rua A', '200'), neighbourhood: words('Vila B') };
    const place = inSaoPaulo(vilaB, cities);
    expect(place).toMatchObject({ precision: 'street', latitude: expect.closeTo(near.latitude) });
    expect(place.longitude).toBeCloseTo(near.longitude + 0.001, 3);
  });

  test.each(['Rua Dois', 'Travessa A', 'Viela Particular', 'Rua Projetada 5'])(
    'with a provisional name is placed at the city: %s',
    (name) => {
      const cities = tableOf({ registers: [{ ...near, street: name }] });
      expect(inSaoPaulo({ street: streetNamed(name, '100') }, cities).precision).toBe('city');
    },
  );

  test.each([
    ['AVE. VER. JOSÉ DA SILVA', 'avenida vereador jose da silva'],
    ['BEC. PROFA. THEREZA', 'beco professora teresa'],
    ['TRV TRES DE OUTUBRO', 'travessa 3 de outubro'],
    ['R VINTE E TRES DE MAIO', 'rua 23 de maio'],
    ['VP OPALIAS', 'via de pedestre opalias'],
    ['RUA GERALDO CALDERARO,CB', 'rua cabo geraldo calderaro'],
    ['PAULISTA - JUVINOPOLIS', 'paulista'],
    ['RUA SERVIDÃO SÃO TOMÉ', 'servidao sao tome'],
    ['AV WALDEMAR BAPTISTA', 'avenida valdemar batista'],
    ['RUA DESEMB VICTOR', 'rua desembargador vitor'],
  ])('%s of a register is %s', (written, key) => {
    const cities = tableOf({ registers: [{ ...near, ...registeredStreet(written) }] });
    expect(cities.streetOf(saoPaulo, streetKey(key.split(' ')))?.points).toHaveLength(1);
  });
});

test('every municipality has a place in Brazil', () => {
  const strays = allMunicipalities().filter((each) => {
    const { latitude, longitude, precision } = placeOf({ ok: true, municipality: each });
    return precision !== 'city' || latitude < -34 || latitude > 5.3 || longitude < -74 || longitude > -32;
  });
  expect(strays).toEqual([]);
});

test('a town that is not in the table is placed at its seat, with any street', () => {
  const nothing = tableOf({});
  const place = inSaoPaulo(
    { postalCode: '01310200', neighbourhood: words('Mooca'), street: streetNamed('Rua A') },
    nothing,
  );
  expect(place).toMatchObject({ precision: 'city', ...saoPaulo.seat });
});

describe('a CEP', () => {
  test('inside a known run belongs to that municipality, and outside it to one found by the ranges', () => {
    const wrong = cepRuns()
      .filter(({ ibge }) => ibge !== '')
      .filter(({ cep_from, cep_to, ibge }) =>
        [cep_from, cep_to].some((cep) => municipalitiesOfPostalCode(cep)[0]?.code !== Number(ibge)),
      );
    expect(wrong).toEqual([]);
  });

  test.each([
    ['of a district: the municipality whose range it lies in', '14110000', ['Ribeirão Preto']],
    ['of a district: the municipality whose range it lies in', '12249990', ['São José dos Campos']],
    ['that two sources give to two municipalities: both', '13910001', ['Jaguariúna', 'Monte Alegre do Sul']],
  ])('%s: %s', (_, postalCode, names) => {
    expect(municipalitiesOfPostalCode(postalCode).map(({ name }) => name)).toEqual(names);
  });
});
