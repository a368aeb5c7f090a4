import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/operator.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { bodyOf, movement, record, refusalOf } from './fixtures.js';

const service = await ownService();
const { operator } = service.operator;
const ana = await service.customer();

type Area = components['schemas']['ServiceAreaInput'];

const add = (areas: Area[], valid_from?: string) =>
  operator.POST('/operator/v1/service-areas', { body: { areas, ...(valid_from && { valid_from }) } });
const everywhere: Area = {
  states: 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' '),
};

const to = (address: string, others: object = {}) => ({
  ...orderBody(),
  pickups: [{ address: { address: 'Rua Augusta, 1500 - Consolação, São Paulo - SP' } }],
  packages: [{ ...packageBody, address: { address } }],
  ...others,
});
const RECIFE = 'Rua da Aurora, 100 - Boa Vista, Recife - PE';
const SANTOS = 'Av. Ana Costa, 200 - Gonzaga, Santos - SP';

const estimate = (body: ReturnType<typeof to>) => ana.rest.POST('/api/v1/estimates', { body });
const order = (body: ReturnType<typeof to>) => ana.rest.POST('/api/v1/orders', { body });
interface Refused {
  error?: { error: { details: readonly { field: string; code?: string }[] } };
}
const faultsOf = ({ error }: Refused) => error?.error.details.map(({ field, code }) => `${field} ${code}`);

describe('service areas', () => {
  test('allow every place while no version exists', async () => {
    expect(await refusalOf(operator.GET('/operator/v1/service-areas/current'))).toEqual([404, 'NOT_FOUND']);
    expect((await estimate(to(RECIFE))).response.status).toBe(200);
    const { data } = must(
      await ana.rest.GET('/api/v1/coverage', { params: { query: { city: 'Recife', state: 'PE' } } }),
    );
    expect(data).toEqual([
      expect.objectContaining({ city: 'Recife', state: 'PE', served: true, services: ['express', 'economy'] }),
    ]);
  });

  test('can change between an estimate and its order, which is then refused and stores nothing', async () => {
    expect((await estimate(to(RECIFE))).response.status).toBe(200);
    const stays = must(await order(to(RECIFE)));
    const { data, response } = await add([{ name: 'São Paulo', states: ['SP'] }]);
    expect([response.status, response.headers.get('location')]).toEqual([201, '/operator/v1/service-areas/1']);
    expect(data).toMatchObject({ version: 1, place_count: 1, refused_under_way: 1 });
    expect(faultsOf(await order(to(RECIFE)))).toEqual(['packages.0.address.address not_delivered']);
    expect(faultsOf(await estimate(to(RECIFE)))).toEqual(['packages.0.address.address not_delivered']);
    const from = [{ address: { address: RECIFE } }];
    expect(faultsOf(await order(to(SANTOS, { pickups: from })))).toEqual(['pickups.0.address.address not_collected']);
    expect(must(await ana.rest.GET('/api/v1/orders')).data.map(({ id }) => id)).toEqual([stays.id]);
    const again = await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id: stays.id } } });
    expect(must(again)).toEqual(stays);
  });

  test('offer a service only if all addresses have it', async () => {
    await add([{ states: ['SP'] }, { municipalities: [3548500], services: ['economy'] }]);
    expect(faultsOf(await order(to(SANTOS)))).toEqual(['packages.0.address.address not_offered']);
    const economy = must(await estimate(to(SANTOS, { service: 'economy' })));
    expect(economy.services?.map(({ service: name }) => name)).toEqual(['economy']);
    expect((await order(to(SANTOS, { service: 'economy' }))).response.status).toBe(201);
  });

  test('refuse a new address of a package, but not its existing addresses, and no cancellation', async () => {
    await add([everywhere]);
    const body = to(RECIFE);
    const two = { ...body, packages: [...body.packages, ...to(SANTOS).packages] };
    const { packages } = must(await order(two));
    const [first, second] = packages;
    await add([{ states: ['RJ'] }]);
    const change = (loggi_key = '', address = '') =>
      ana.rest.POST('/api/v1/packages/{loggi_key}/address-change', {
        params: { path: { loggi_key } },
        body: { address: { address } },
      });
    expect(faultsOf(await change(second?.loggi_key, SANTOS))).toEqual(['address.address not_delivered']);
    expect(
      (await change(second?.loggi_key, 'Av. Atlântica, 500 - Copacabana, Rio de Janeiro - RJ')).response.status,
    ).toBe(200);
    const ended = await ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', {
      params: { path: { loggi_key: first?.loggi_key ?? '' } },
      body: {},
    });
    expect(ended.response.status).toBe(200);
  });

  test('refuse a return from a place where the carrier does not collect', async () => {
    await add([everywhere]);
    const [parcel] = must(await order(to(RECIFE))).packages;
    const loggi_key = parcel?.loggi_key ?? '';
    await record(service.operator, movement(loggi_key, { status_code: 5 }));
    await add([everywhere, { municipalities: [2611606], collects: false }]);
    const params = { path: { loggi_key } };
    const refused = await ana.rest.POST('/api/v1/packages/{loggi_key}/return', { params, body: {} });
    expect(faultsOf(refused)).toEqual(['pickups.0.address.address not_collected']);
    await add([everywhere]);
    const taken = await ana.rest.POST('/api/v1/packages/{loggi_key}/return', { params, body: {} });
    expect(taken.response.status).toBe(201);
  });

  test('are listed by version, and show their areas as they were sent', async () => {
    const areas: Area[] = [
      { name: 'Porto', postal_codes: [{ from: '11010000', to: '11013999' }], weekdays: ['tuesday'], extra_workdays: 2 },
    ];
    const added = must(await add([everywhere, ...areas]));
    const current = await bodyOf(operator.GET('/operator/v1/service-areas/current'));
    expect({ ...current, refused_under_way: 0 }).toEqual({ ...added, refused_under_way: 0 });
    expect(current.areas[1]).toMatchObject({
      ...areas[0],
      states: [],
      collects: true,
      services: ['express', 'economy'],
    });
    const path = { version: added.version };
    expect(await bodyOf(operator.GET('/operator/v1/service-areas/{version}', { params: { path } }))).toEqual(current);
    const later = new Date(Date.now() + 86_400_000).toISOString();
    const announced = must(await add([{ states: ['AC'] }], later));
    const { data } = await bodyOf(operator.GET('/operator/v1/service-areas'));
    expect(data.slice(0, 2).map(({ version, in_force, valid_from }) => [version, in_force, valid_from])).toEqual([
      [announced.version, false, later],
      [added.version, true, current.valid_from],
    ]);
  });

  test('are refused as a whole, with an error for each wrong row', async () => {
    const wrong: Area[] = [
      { states: ['XX'] },
      { municipalities: [9999999, 3550308] },
      { municipalities: [3550308] },
      { postal_codes: [{ from: '11013999', to: '11010000' }] },
      {
        postal_codes: [
          { from: '01000000', to: '01999999' },
          { from: '01999999', to: '02000000' },
        ],
      },
      {},
    ];
    const { data } = await bodyOf(operator.GET('/operator/v1/service-areas'));
    const faults = ['unknown_value', 'unknown_value', 'duplicate', 'contradiction', 'overlap', 'required'];
    const refused = await add(wrong);
    expect([...(faultsOf(refused) ?? [])].sort()).toEqual(
      [
        'areas.0.states.0',
        'areas.1.municipalities.0',
        'areas.2.municipalities.0',
        'areas.3.postal_codes.0',
        'areas.4.postal_codes.1',
        'areas.5',
      ].map((field, at) => `${field} ${faults[at]}`),
    );
    expect(faultsOf(await add([everywhere], '2026-01-01T00:00:00Z'))).toEqual(['valid_from too_early']);
    const many = Array.from({ length: 100_000 }, () => ({ states: ['SP'] }));
    const { response } = await add(many);
    expect([400, 413]).toContain(response.status);
    expect((await bodyOf(operator.GET('/operator/v1/service-areas'))).data).toEqual(data);
  });

  test('have a preview that names the area which decides', async () => {
    const preview = await bodyOf(
      operator.POST('/operator/v1/service-areas/previews', {
        body: { areas: [{ states: ['SP'] }, { states: ['PE'], delivers: false }] },
      }),
    );
    expect(preview.order_count).toBeGreaterThan(2);
    expect(preview.refused_count).toBe(preview.orders.length);
    const recife = preview.orders.flatMap(({ refusals }) => refusals).filter(({ city }) => city === 'Recife');
    expect(recife[0]).toMatchObject({ code: 'not_delivered', area: 2, decided_by: 'PE', state: 'PE' });
    expect((await bodyOf(operator.GET('/operator/v1/service-areas'))).pagination.total_items).toBeGreaterThan(4);
  });
});

describe('GET /api/v1/coverage', () => {
  const ask = (query: object, headers: Record<string, string> = {}) =>
    ana.rest.GET('/api/v1/coverage', { params: { query }, headers });

  test('answers up to 100 CEPs in their order, and an unknown one with its reason', async () => {
    await add([{ states: ['SP'] }, { states: ['RJ'], delivers: false }]);
    const { data } = must(await ask({ postal_codes: '01310200,20040002,50050000,00000000' }));
    expect(data.map(({ postal_code, served, reason }) => [postal_code, served, reason])).toEqual([
      ['01310200', true, undefined],
      ['20040002', false, 'not_delivered'],
      ['50050000', false, 'not_delivered'],
      ['00000000', false, 'not_placed'],
    ]);
    const hundred = Array.from({ length: 100 }, (_, at) => String(1_310_200 + at).padStart(8, '0'));
    expect(must(await ask({ postal_codes: hundred.join(',') })).data).toHaveLength(100);
    expect((await ask({ postal_codes: [...hundred, '01310300'].join(',') })).response.status).toBe(400);
  });

  test('answers about the way from a pickup when one is given', async () => {
    const place = { postal_code: '01310200' };
    const [fromRio] = must(await ask({ ...place, pickup_city: 'Rio de Janeiro', pickup_state: 'RJ' })).data;
    expect(fromRio).toMatchObject({ served: true, collects: true });
    const [fromRecife] = must(await ask({ ...place, pickup_postal_code: '50050000' })).data;
    expect(fromRecife).toMatchObject({ served: false, reason: 'not_collected', services: [] });
    const [island] = must(await ask({ ...place, pickup_city: 'Fernando de Noronha', pickup_state: 'PE' })).data;
    expect(island).toMatchObject({ served: false, reason: 'not_placed' });
  });

  test('has the same ETag until the areas change', async () => {
    const query = { city: 'Santos', state: 'SP' };
    const first = await ask(query);
    const tag = first.response.headers.get('etag') ?? '';
    expect((await ask(query, { 'If-None-Match': tag })).response.status).toBe(304);
    await add([{ states: ['RJ'] }]);
    const later = await ask(query, { 'If-None-Match': tag });
    expect([later.response.status, later.data?.data[0]?.served]).toEqual([200, false]);
  });

  test.each([
    [{}],
    [{ postal_code: '01310200', city: 'Santos', state: 'SP' }],
    [{ postal_code: '01310200', postal_codes: '01310200' }],
    [{ city: 'Santos' }],
    [{ state: 'SP' }],
    [{ postal_code: '01310200', pickup_city: 'Santos' }],
  ])('refuses a place that is not named in exactly one way: %j', async (query) => {
    const { response, error } = await ask(query);
    expect([response.status, error?.error.details[0]?.code]).toEqual([400, 'contradiction']);
  });
});
