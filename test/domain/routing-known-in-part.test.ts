/** The tables know only a part of these addresses. The accuracy covers the unknown part. */
import { describe, expect, test } from '@jest/globals';
import { cityTable } from '../../scripts/places/cities.js';
import { interpolatedQuadras } from '../../scripts/places/quadras.js';
import { locateEmbedded, readAddress } from '../../src/routing/address/embedded-geocoder.js';
import { CityTable } from '../../src/routing/places/city-table.js';
import { metresBetween } from '../../src/routing/places/clusters.js';
import { municipalityNamed, type Point } from '../../src/routing/places/municipalities.js';
import { placeOf } from '../../src/routing/places/place-of.js';

function placed(address: string) {
  const located = locateEmbedded(address);
  if (!located.ok) throw new Error(`${address}: ${located.message}`);
  return located.place;
}

const accuracyOf = (address: string): number => placed(address).accuracyMetres ?? 0;

describe('an address in the country', () => {
  test.each([
    'Zona Rural',
    'Estrada Geral do Rio Bonito, s/n',
    'Fazenda Boa Vista, s/n',
    'Sítio São José',
    'Comunidade Santa Terezinha',
    'Assentamento Nova Esperança, Lote 12',
    'Ramal do Rio Preto',
    'Vicinal 5, km 80',
    'Rodovia BR-282, km 220',
    'Localidade de Índios',
    'Rua das Flores, 10, Zona Rural',
    'Linha Bonita, Interior',
  ])('may be anywhere in the municipality: %s', (address) => {
    const place = placed(`${address}, Lages - SC`);
    expect(place.precision).toBe('city');
    expect(place.accuracyMetres).toBeGreaterThan(20_000);
    expect(accuracyOf(`${address}, Altamira - PA`)).toBeGreaterThan(60_000);
  });

  test.each([
    'Avenida Cardeal da Silva, 10, Fazenda Grande do Retiro, Salvador - BA',
    'Rua Izaac Ferreira da Cruz, 100, Sítio Cercado, Curitiba - PR',
    'Rua A, 1, Centro, Fazenda Rio Grande - PR',
    'Rua Padre Chagas, 300, Moinhos de Vento, Porto Alegre - RS',
  ])('is not meant by a neighbourhood or a city with such a name: %s', (address) => {
    expect(accuracyOf(address)).toBeLessThan(15_000);
  });
});

describe('Brasília', () => {
  const lagoSul = { west: [-15.8512, -47.91], east: [-15.868, -47.812] } as const;
  const at = ([latitude, longitude]: readonly [number, number]): Point => ({ latitude, longitude });

  test('places a quadra that the tables lack within the accuracy of its region', () => {
    const [first, last] = [placed('SHIS QI 1, Lago Sul, Brasília - DF'), placed('SHIS QI 29, Lago Sul, Brasília - DF')];
    expect(metresBetween(first, at(lagoSul.west))).toBeLessThan(first.accuracyMetres ?? 0);
    expect(metresBetween(last, at(lagoSul.east))).toBeLessThan(last.accuracyMetres ?? 0);
  });

  test.each(['SQS 308 Bloco C', 'SHIS QI 15', 'QNM 18 Conjunto A, 12'])(
    'places a known quadra the same with the name of its region: %s',
    (quadra) => {
      const { latitude, longitude, accuracyMetres } = placed(`${quadra}, Brasília - DF`);
      expect(placed(`${quadra}, Plano Piloto, Brasília - DF`)).toMatchObject({ latitude, longitude, accuracyMetres });
    },
  );

  test.each(['SHIS QI 40', 'SHIX QI 5', 'SQZ 308 Bloco C', 'QRR 408 Conjunto 5'])(
    'reads a code as it is written: %s',
    (quadra) => {
      const reading = readAddress(`${quadra}, Brasília - DF`);
      expect(reading.ok && reading.street?.words.join(' ')).toMatch(
        new RegExp(`^${quadra.toLowerCase().split(' ')[0]}`),
      );
    },
  );

  test('reads addresses of the two lakes without their sector', () => {
    expect(placed('QI 15, Lago Sul, Brasília - DF').streetRead).toBe('shis qi 15');
    expect(placed('QL 2 Conjunto 1, Lago Norte, Brasília - DF').streetRead).toBe('shin ql 2 conjunto 1');
  });

  test('places a quadra between its neighbours of the same series and region', () => {
    const nowhere = { neighbourhood: inside(), number: 0, kind: '', latitude: 0, longitude: 0 };
    const part = (key: string, postalCode: number) => ({ ...nowhere, kind: 'quadra', key, postalCode });
    const point = (key: string, latitude: number) => ({ ...nowhere, key, latitude, postalCode: 0 });
    const parts = [
      part('shis qi7 conjunto 1', 71_600_100),
      part('shis qi9 conjunto 1', 71_600_200),
      part('shis qi11', 71_600_300),
    ];
    const others = [part('shis qi40', 71_600_400), part('qr9', 72_300_100)];
    const quadras = interpolatedQuadras({
      parts: [...parts, ...others],
      points: [point('shis qi7', 1), point('shis qi11', 1.02)],
    });
    const latitudes = Object.fromEntries(quadras.map(({ key, latitude }) => [key, latitude]));
    expect(latitudes).toEqual({ 'shis qi7': 1, 'shis qi9': expect.closeTo(1.01), 'shis qi11': 1.02 });
  });

  const inside = () => ({ key: '', name: '', cells: new Map(), points: [], district: undefined, doubt: 0 });
});

describe('a street that is known in another neighbourhood than the named one', () => {
  const saoPaulo = municipalityNamed('sao paulo', 'SP');
  if (!saoPaulo) throw new Error('São Paulo is missing');
  const { seat } = saoPaulo;
  const point = { ibge: '3550308', number: '100', cep: '' };
  const [near, far] = [
    { latitude: seat.latitude + 0.02, longitude: seat.longitude },
    { latitude: seat.latitude - 0.18, longitude: seat.longitude },
  ];
  const numbers = Array.from({ length: 5 }, (_, each) => ({
    ...point,
    number: `${100 + each}`,
    street: 'Rua Arapuca',
    neighbourhood: 'Mooca',
    ...near,
  }));
  const streets = ['Mooca', 'Grajaú'].map((neighbourhood, each) => ({
    uf: 'SP',
    city: 'São Paulo',
    street: `Rua ${neighbourhood}`,
    neighbourhood,
    ceps: `0310${each}010`,
  }));
  const points = [...numbers, { ...point, street: 'Rua Grajaú', neighbourhood: 'Grajaú', ...far }];
  const cities = new CityTable(cityTable({ points, neighbourhoods: [], streets, registers: [], districts: [] }));
  const place = placeOf(
    {
      ok: true,
      municipality: saoPaulo,
      neighbourhood: ['grajau'],
      street: { words: ['rua', 'arapuca'], number: '100', key: { kind: 'rua', name: 'arapuca' } },
    },
    cities,
  );

  test('is placed at the city, with an accuracy that covers both neighbourhoods', () => {
    expect(place.precision).toBe('city');
    for (const either of [near, far]) expect(metresBetween(place, either)).toBeLessThan(place.accuracyMetres ?? 0);
  });

  test('is not used to correct one wrong letter', () => {
    const streetIn = (neighbourhood: string) => {
      const reading = readAddress(`Rua Lemos Cumha, 355 - ${neighbourhood}, Niterói - RJ`);
      return reading.ok && reading.street?.words.join(' ');
    };
    expect(streetIn('Icaraí')).toBe('rua lemos cunha');
    expect(streetIn('Itaipu')).toBe('rua lemos cumha');
  });
});

test.each([
  ['Rua Lemos Cumha, 355 - Icaraí, Niterói - RJ', 'rua lemos cunha, 355'],
  ['R. Augsta, 1500 - Consolação, São Paulo - SP', 'rua augusta, 1500'],
  ['Av. Getúlio Vragas, 100, Belo Horizonte - MG', 'avenida getulio vargas, 100'],
  ['Avenida Bezrra de Menezes, 100, Fortaleza - CE', 'avenida bezerra de menezes, 100'],
])('a street with one wrong letter is answered in the spelling of the tables: %s', (address, streetRead) => {
  expect(placed(address).streetRead).toBe(streetRead);
});

describe('the regions of Brasília are towns with the country around them', () => {
  const planaltina = { latitude: -15.62, longitude: -47.65 };

  test.each(['Planaltina', 'Gama', 'São Sebastião', 'Sobradinho II'])(
    'an unknown street of a region may lie in any of its neighbourhoods: %s',
    (region) => {
      expect(accuracyOf(`Setor Hospitalar, 1, ${region}, Brasília - DF`)).toBeGreaterThan(3_000);
    },
  );

  test.each([
    'Núcleo Rural Rio Preto, 1 - Planaltina, Brasília - DF',
    'Colônia Agrícola, BR 251, km 7 - Paranoá, Brasília - DF',
    'DF 150, km 12 - Fercal, Brasília - DF',
  ])('an address in the country around a region is not in its town: %s', (address) => {
    expect(accuracyOf(address)).toBeGreaterThan(20_000);
  });

  test('an address in the country lies nearer to the named region than to the capital', () => {
    const place = placed('Núcleo Rural Rio Preto, 1 - Planaltina, Brasília - DF');
    expect(metresBetween(place, planaltina)).toBeLessThan(10_000);
  });
});
