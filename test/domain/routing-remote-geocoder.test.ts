import { describe, expect, test } from '@jest/globals';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { createPlanning } from '../../src/routing/planning.js';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { createNominatim } from '../../src/routing/remote/nominatim.js';
import { answering, recordingLog, startRemote, troubles } from './routing-remote-support.js';

const nominatim = await startRemote();

function freshGeocoder() {
  const { log, lines } = recordingLog();
  return { geocoder: createPlanning({ geocoderUrl: `${nominatim.url}/`, log }).geocoder, lines };
}

/** Places an address with a new geocoder, whose searches get these answers. */
async function locate(address: string, answers: Record<string, unknown[]>) {
  answeringBy(answers);
  return freshGeocoder().geocoder.locate(address);
}

/** The searches, without their common parameters. */
const searches = () =>
  nominatim.requested.map((path) => {
    const { pathname, searchParams } = new URL(path, nominatim.url);
    const { format, countrycodes, addressdetails, limit, ...query } = Object.fromEntries(searchParams);
    expect([pathname, format, countrycodes, addressdetails, limit]).toEqual(['/search', 'jsonv2', 'br', '1', '10']);
    return query;
  });

/** Real answers of Nominatim 5.3, without unused fields. */
const saoPaulo = { city: 'São Paulo', state: 'São Paulo', 'ISO3166-2-lvl4': 'BR-SP', country_code: 'br' };
const result = (at: string, place_rank: number, addresstype: string, name: string, parts: Record<string, string>) => {
  const [lat, lon] = at.split(' ');
  return { lat, lon, place_rank, addresstype, name, address: { ...saoPaulo, ...parts } };
};
const avenue = { road: 'Avenida Paes de Barros', suburb: 'Mooca' };
const numbered = { ...avenue, house_number: '635', postcode: '03115-020' };
const house = result('-23.5609160 -46.5989730', 30, 'place', '', numbered);
const street = result('-23.5658573 -46.5935848', 26, 'road', avenue.road, { ...avenue, postcode: '03121-020' });
const other = { road: 'Rua Sete de Abril', suburb: 'República', postcode: '01038-000' };
const otherStreet = result('-23.5448020 -46.6415270', 26, 'road', other.road, other);
const postalCode = result('-23.5606545 -46.5986485', 21, 'postcode', '03115-020', { postcode: '03115-020' });
const suburb = result('-23.5561768 -46.5997071', 19, 'suburb', 'Mooca', { suburb: 'Mooca', postcode: '03167-060' });

/** Answers by the searched text; other texts have no result. */
function answeringBy(answers: Record<string, unknown[]>): void {
  nominatim.behave((request, response, body) => {
    const query = new URL(request.url ?? '', nominatim.url).searchParams;
    const asked = query.get('street') ?? query.get('postalcode') ?? query.get('q') ?? '';
    answering(answers[asked] ?? [])(request, response, body);
  });
}

const NUMBERED = '635 av paes de barros';
const ADDRESS = 'Av. Paes de Barros, 635, Mooca, São Paulo - SP';
const city = { city: 'São Paulo', state: 'São Paulo' };

describe('with a Nominatim service', () => {
  test('an address is searched by its parts, and gets the exact coordinates of its house', async () => {
    expect(await locate(ADDRESS, { [NUMBERED]: [house] })).toEqual({
      ok: true,
      place: {
        latitude: -23.560916,
        longitude: -46.598973,
        precision: 'rooftop',
        accuracyMetres: 20,
        city: 'São Paulo',
        state: 'SP',
        district: 'Mooca',
        postalCode: '03115020',
        streetRead: 'av paes de barros, 635',
      },
    });
    expect(searches()).toEqual([{ street: NUMBERED, ...city }]);
  });

  test.each([
    'Av. Paes de Barros, nº 635, ap 12, São Paulo - SP',
    'Av. Paes de Barros, 635, Bairro Inventado, São Paulo - SP',
    'avenida paes de barros 635 sao paulo sp',
    'Av. Paes de Barros, 635, São Paulo - SP, 03115-020',
  ])('a house is found in spite of a complement or an unknown neighbourhood: %s', async (address) => {
    const located = await locate(address, { [NUMBERED]: [house], '635 avenida paes de barros': [house] });
    expect(located).toMatchObject({ place: { precision: 'rooftop' } });
  });

  test('a number that the map lacks gives the place of the street', async () => {
    const located = await locate(ADDRESS, { 'av paes de barros': [street] });
    expect(located).toMatchObject({ place: { precision: 'street', latitude: -23.5658573 } });
    expect(searches()).toEqual([
      { street: NUMBERED, ...city },
      { street: 'av paes de barros', ...city },
    ]);
  });

  test('a house with another number gives only the precision of the street', async () => {
    const located = await locate(ADDRESS.replace('635', '637'), { '637 av paes de barros': [house] });
    expect(located).toMatchObject({ place: { precision: 'street' } });
  });

  test('an unknown street gives the place of its CEP, or else of its neighbourhood', async () => {
    const address = 'Rua Que Não Existe, 9, Mooca, São Paulo - SP, 03115-020';
    const ofSuburb = { 'mooca, São Paulo, São Paulo': [suburb] };
    const byCode = await locate(address, { '03115-020': [postalCode], ...ofSuburb });
    expect(byCode).toMatchObject({ place: { precision: 'postal_code', latitude: -23.5606545 } });
    expect(searches()).toEqual([
      { street: '9 rua que nao existe', ...city },
      { street: 'rua que nao existe', ...city },
      { postalcode: '03115-020' },
    ]);
    const embedded = locateEmbedded('Mooca, São Paulo - SP');
    const byName = await locate('Rua Que Não Existe, 9, Mooca, São Paulo - SP', ofSuburb);
    expect(byName).toMatchObject({ place: { precision: 'district', latitude: -23.5561768 } });
    expect(byName).not.toMatchObject(embedded);
  });

  test('the service is not asked for places that the embedded gazetteer knows at least as well', async () => {
    answeringBy({});
    const address = 'Rua Que Não Existe, 9, Mooca, São Paulo - SP';
    const { geocoder, lines } = freshGeocoder();
    expect(await geocoder.locate(address)).toEqual(locateEmbedded(address));
    expect(lines).toEqual([]);
  });

  test('a street whose longer name contains the words counts only with the same CEP or neighbourhood', async () => {
    answeringBy({ 'rua sete': [otherStreet] });
    const { geocoder } = freshGeocoder();
    const elsewhere = await geocoder.locate('Rua Sete, Vila Inventada, São Paulo - SP');
    expect(elsewhere).not.toMatchObject({ place: { latitude: -23.544802 } });
    const same = await geocoder.locate('Rua Sete, República, São Paulo - SP');
    expect(same).toMatchObject({ place: { precision: 'street', latitude: -23.544802 } });
  });

  test('of two streets with one name, CEP or neighbourhood decide; without them neither is used', async () => {
    const far = { ...street, lat: '-23.70', address: { ...street.address, suburb: 'Grajaú', postcode: '04843-000' } };
    answeringBy({ 'rua paes de barros': [], 'avenida paes de barros': [far, street] });
    const { geocoder } = freshGeocoder();
    const found = async (rest: string) => geocoder.locate(`Avenida Paes de Barros, ${rest}São Paulo - SP`);
    expect(await found('Mooca, ')).toMatchObject({ place: { latitude: -23.5658573 } });
    expect(await found('Grajaú, ')).toMatchObject({ place: { latitude: -23.7 } });
    expect(await found('')).not.toMatchObject({ place: { latitude: -23.5658573 } });
    expect(await found('')).not.toMatchObject({ place: { latitude: -23.7 } });
  });

  test.each([
    ['town', 'Laranjal Paulista', 'Laranjal Paulista - SP'],
    ['village', 'Caetité', 'Caetité - BA'],
    ['municipality', 'Livramento de Nossa Senhora', 'Livramento de Nossa Senhora - BA'],
    // A region of the Federal District with the name of a city lies in Brasília.
    ['town', 'Taguatinga', 'Brasília - DF'],
  ])('a server may call a %s what the tables know: %s is %s', async (kind, name, city) => {
    const region = kind === 'municipality' ? {} : { municipality: 'Região Imediata de Outra' };
    const address = { road: 'Rua Dez', ...region, [kind]: name, 'ISO3166-2-lvl4': `BR-${city.slice(-2)}` };
    const located = await locate(`Rua Dez, ${city}`, { 'rua dez': [{ ...street, address }] });
    expect(located).toMatchObject({ place: { precision: 'street', city: city.slice(0, -5), latitude: -23.5658573 } });
  });

  test.each<[string, unknown]>([
    ['nothing', []],
    ['another city', [{ ...house, address: { ...house.address, city: 'Campinas' } }]],
    ['another state', [{ ...house, address: { ...house.address, 'ISO3166-2-lvl4': 'BR-RJ' } }]],
    ['the street of another quarter', [{ ...house, address: { ...house.address, postcode: '04843-000' } }]],
    ['the city', [{ ...house, place_rank: 16, addresstype: 'city', name: 'São Paulo', address: saoPaulo }]],
  ])('a search that finds %s leaves the embedded answer, and nothing is logged', async (_, answer) => {
    nominatim.behave(answering(answer));
    const { geocoder, lines } = freshGeocoder();
    const address = `${ADDRESS}, 03115-020`;
    expect(await geocoder.locate(address)).toEqual(locateEmbedded(address));
    expect(lines).toEqual([]);
  });

  test('an address is searched only once', async () => {
    answeringBy({ [NUMBERED]: [house] });
    const { geocoder } = freshGeocoder();
    await Promise.all([geocoder.locate(ADDRESS), geocoder.locate(ADDRESS)]);
    await geocoder.locate(ADDRESS);
    expect(nominatim.requested).toHaveLength(1);
  });

  test.each(['Rua A, 1, Bom Jesus', 'Rua A, 1, São Paulo - SP, 20040-002', 'Rua A, 1'])(
    'an address that is ambiguous, contradicts itself or names no city stays an error and is not searched: %s',
    async (address) => {
      nominatim.behave(answering([house]));
      const { geocoder } = freshGeocoder();
      expect(await geocoder.locate(address)).toMatchObject({ ok: false });
      expect(geocoder.read(address)).toMatchObject({ ok: false });
      expect(nominatim.requested).toEqual([]);
    },
  );

  test('at most four searches run at a time, and an order whose searches take too long is answered without them', async () => {
    let underWay = 0;
    let most = 0;
    nominatim.behave((request, response, body) => {
      most = Math.max(most, ++underWay);
      setTimeout(() => {
        underWay--;
        answering([])(request, response, body);
      }, 90);
    });
    const { log, lines } = recordingLog();
    const geocoder = createNominatim(nominatim.url, withFallback({ service: 'geocoder', log }), 400);
    const addresses = Array.from({ length: 30 }, (_, at) => `Rua Que Não Existe, ${at + 1}, São Paulo - SP`);
    const located = await Promise.all(addresses.map((address) => geocoder.locate(address)));
    expect(located).toEqual(addresses.map(locateEmbedded));
    expect(most).toBe(4);
    // Addresses that still wait when the time is over are not searched.
    expect(nominatim.requested.length).toBeLessThanOrEqual(20);
    expect(lines).toMatchObject([{ fields: { reason: 'the searches of an order take too long', fallbacks: 1 } }]);
  });
});

describe('when the service', () => {
  test.each(Object.keys(troubles))('%s, the embedded geocoder answers and one line is logged', async (trouble) => {
    nominatim.behave(troubles[trouble] ?? answering({}));
    const { geocoder, lines } = freshGeocoder();
    const addresses = [ADDRESS, ...Array.from({ length: 10 }, (_, at) => `Rua A, ${at}, Santos - SP`)];
    expect(await Promise.all(addresses.map((address) => geocoder.locate(address)))).toEqual(
      addresses.map(locateEmbedded),
    );
    // Waiting addresses are not sent to a failing service.
    expect(nominatim.requested).toHaveLength(4);
    expect(lines).toEqual([
      {
        fields: { service: 'geocoder', reason: expect.any(String), fallbacks: 1 },
        message: 'planning.fallback',
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/Paes|Santos/);
  });

  test('fails, the address is searched again later', async () => {
    let now = 0;
    const fallback = withFallback({ service: 'geocoder', log: recordingLog().log, now: () => now });
    const geocoder = createNominatim(nominatim.url, fallback);
    nominatim.behave(troubles['answers 500'] ?? answering({}));
    expect(await geocoder.locate(ADDRESS)).toEqual(locateEmbedded(ADDRESS));
    answeringBy({ [NUMBERED]: [house] });
    now += 5_000;
    expect(await geocoder.locate(ADDRESS)).toMatchObject({ place: { precision: 'rooftop' } });
  });
});
