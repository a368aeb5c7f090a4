import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPlanning } from '../../src/routing/planning.js';
import { createNominatim } from '../../src/routing/remote/nominatim.js';
import { answering, type RemoteService, recordingLog, startRemote, troubles } from './routing-remote-support.js';

let nominatim: RemoteService;
beforeAll(async () => {
  nominatim = await startRemote();
});
afterAll(() => nominatim.close());
beforeEach(() => {
  nominatim.requested.length = 0;
});

function freshGeocoder() {
  const { log, lines } = recordingLog();
  return { geocoder: createPlanning({ geocoderUrl: `${nominatim.url}/`, log }).geocoder, lines };
}

/** Nominatim's answer for a house on Avenida Paulista. */
const paulista = {
  lat: '-23.5614',
  lon: '-46.6559',
  place_rank: 30,
  addresstype: 'building',
  address: {
    house_number: '1578',
    road: 'Avenida Paulista',
    suburb: 'Bela Vista',
    city: 'São Paulo',
    'ISO3166-2-lvl4': 'BR-SP',
    postcode: '01310-200',
    country_code: 'br',
  },
};
const ADDRESS = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP';
const embeddedAnswer = {
  ok: true,
  place: { precision: 'street', district: 'Bela Vista', city: 'São Paulo', state: 'SP' },
};

describe('with a Nominatim service', () => {
  test('an address gets its exact coordinates', async () => {
    nominatim.behave(answering([paulista]));
    expect(await freshGeocoder().geocoder.locate(ADDRESS)).toEqual({
      ok: true,
      place: {
        latitude: -23.5614,
        longitude: -46.6559,
        precision: 'rooftop',
        city: 'São Paulo',
        state: 'SP',
        district: 'Bela Vista',
        postalCode: '01310200',
      },
    });
    const search = new URL(nominatim.requested[0] ?? '', nominatim.url);
    expect(search.pathname).toBe('/search');
    expect(Object.fromEntries(search.searchParams)).toEqual({
      q: ADDRESS,
      format: 'jsonv2',
      countrycodes: 'br',
      limit: '1',
      addressdetails: '1',
    });
  });

  test.each([
    [30, 'building', 'rooftop'],
    [26, 'road', 'street'],
    [21, 'postcode', 'postal_code'],
    [19, 'suburb', 'district'],
    [16, 'city', 'city'],
  ])('a result of rank %d (%s) is known to its %s', async (rank, addresstype, precision) => {
    nominatim.behave(answering([{ ...paulista, place_rank: rank, addresstype }]));
    expect(await freshGeocoder().geocoder.locate(ADDRESS)).toMatchObject({ place: { precision } });
  });

  test('an address is searched once', async () => {
    nominatim.behave(answering([paulista]));
    const { geocoder } = freshGeocoder();
    await Promise.all([geocoder.locate(ADDRESS), geocoder.locate(ADDRESS)]);
    await geocoder.locate(ADDRESS);
    expect(nominatim.requested).toHaveLength(1);
  });

  test('an address whose search failed is searched again', async () => {
    const geocoder = createNominatim(nominatim.url, (remote) => remote());
    nominatim.behave(troubles['answers 500'] ?? answering({}));
    await expect(geocoder.locate(ADDRESS)).rejects.toThrow('the status is 500');
    nominatim.behave(answering([paulista]));
    expect(await geocoder.locate(ADDRESS)).toMatchObject({ place: { precision: 'rooftop' } });
  });

  test('a city that the embedded gazetteer cannot place is placed', async () => {
    const mesquita = {
      ...paulista,
      lat: '-22.78',
      lon: '-43.43',
      address: { city: 'Mesquita', 'ISO3166-2-lvl4': 'BR-RJ' },
    };
    nominatim.behave(answering([mesquita]));
    const located = await freshGeocoder().geocoder.locate('Rua A, 1, Mesquita - RJ');
    expect(located).toMatchObject({ ok: true, place: { city: 'Mesquita', state: 'RJ' } });
  });

  test.each<[string, unknown]>([
    ['nothing', []],
    ['another city', [{ ...paulista, address: { city: 'Campinas', 'ISO3166-2-lvl4': 'BR-SP' } }]],
    ['another state', [{ ...paulista, address: { city: 'São Paulo', 'ISO3166-2-lvl4': 'BR-RJ' } }]],
    ['no more than the state', [{ ...paulista, place_rank: 8 }]],
  ])('a search that finds %s leaves the embedded answer, and nothing is logged', async (_, answer) => {
    nominatim.behave(answering(answer));
    const { geocoder, lines } = freshGeocoder();
    expect(await geocoder.locate(ADDRESS)).toMatchObject(embeddedAnswer);
    expect(lines).toEqual([]);
  });

  test.each(['Rua A, 1, Bom Jesus', 'Rua A, 1, São Paulo - SP, 20040-002'])(
    'an address that is ambiguous or contradicts itself stays an error and is not searched: %s',
    async (address) => {
      nominatim.behave(answering([paulista]));
      expect(await freshGeocoder().geocoder.locate(address)).toMatchObject({ ok: false });
      expect(nominatim.requested).toEqual([]);
    },
  );
});

describe('when the service', () => {
  test.each(Object.keys(troubles))('%s, the embedded geocoder answers and one line is logged', async (trouble) => {
    nominatim.behave(troubles[trouble] ?? answering({}));
    const { geocoder, lines } = freshGeocoder();
    expect(await geocoder.locate(ADDRESS)).toMatchObject(embeddedAnswer);
    expect(await geocoder.locate('Rua A, 1, Santos - SP')).toMatchObject({ ok: true, place: { city: 'Santos' } });
    expect(lines).toEqual([
      {
        fields: { service: 'geocoder', reason: expect.any(String), fallbacks: 1 },
        message: 'geocoder gives no usable answer; the embedded planner answers instead',
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Paulista|Santos/);
  });
});
