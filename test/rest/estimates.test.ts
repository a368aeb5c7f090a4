import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { refusal } from './refusal.js';

const service = await ownService();
const ana = await service.customer();

const estimate = (body: components['schemas']['OrderCreate']) => ana.rest.POST('/api/v1/estimates', { body });

type Address = components['schemas']['OrderCreate']['pickups'][number]['address'];

const MANAUS = 'Av. Eduardo Ribeiro, 520 - Centro, Manaus - AM';

describe('POST /api/v1/estimates', () => {
  test('answers what the order will be, and creates nothing', async () => {
    const body = orderBody();
    const estimated = must(await estimate(body));
    expect(must(await ana.rest.GET('/api/v1/orders')).pagination.total_items).toBe(0);
    const { pricing, route, pickups, packages } = must(await ana.rest.POST('/api/v1/orders', { body }));
    const [pickup, parcel] = [pickups[0], packages[0]];
    // The order is made a moment after the estimate, so its couriers arrive later, too.
    const later = { index: expect.any(Number), eta: expect.any(String), leg_distance: expect.any(Number) };
    const stopOf = (stop = pickup) => ({
      street_read: expect.any(String),
      resolved_address: stop?.resolved_address,
      waypoint: { ...stop?.waypoint, eta: later.eta },
    });
    const promised_date = parcel?.promised_date;
    expect(estimated).toEqual({
      pricing,
      route,
      pickups: [stopOf(pickup)],
      packages: [{ ...stopOf(parcel), dimensions: parcel?.dimensions, pickup_waypoint: later, promised_date }],
      services: [
        { service: 'express', pricing, promised_date },
        { service: 'economy', pricing, promised_date: expect.any(String) },
      ],
    });
  });

  test('refuses each pickup that no package names, and so does createOrder', async () => {
    const { pickups, packages } = orderBody();
    const elsewhere = ['Centro, Manaus - AM', 'Centro, Recife - PE'].map((address) => ({ address: { address } }));
    const body = { pickups: [...elsewhere.slice(0, 1), ...pickups, ...elsewhere.slice(1)], packages: [packageBody] };
    const unused = { code: 'unused', message: 'is not the pickup of any package' };
    for (const { error } of [await estimate(body), await ana.rest.POST('/api/v1/orders', { body })]) {
      expect(error?.error.details).toEqual([1, 2].map((index) => ({ field: `pickups.${index}`, ...unused })));
    }
    const named = packages.concat(
      body.pickups.slice(1).map((_, index) => ({ ...packageBody, pickup_index: index + 1 })),
    );
    expect((await estimate({ ...body, packages: named })).response.status).toBe(200);
  });

  test('tells which street and number it read in each address, and corrects one wrong letter', async () => {
    const typed = ['R. Augsta, nº 1.500 - Consolação, São Paulo - SP', 'Centro, Manaus - AM'];
    const parcels = typed.map((address) => ({ ...packageBody, address: { address } }));
    const { packages } = must(await estimate({ ...orderBody(), packages: parcels }));
    expect(packages.map((each) => each.street_read)).toEqual(['rua augusta, 1500', undefined]);
  });

  test.each(['São Paulo - SP', 'Altamira - PA'])(
    'costs as much for streets of %s in the complement as for the same streets in the address',
    async (city) => {
      const [from, to] = ['Rua que ninguém conhece, 10', 'Travessa de lugar nenhum, 20'];
      const costOf = async (pickup: Address, parcel: Address) => {
        const pickups = [{ address: pickup }];
        const { pricing } = must(
          await estimate({ ...orderBody(), pickups, packages: [{ ...packageBody, address: parcel }] }),
        );
        return Number(pricing.total);
      };
      const inAddress = await costOf({ address: `${from}, ${city}` }, { address: `${to}, ${city}` });
      const inComplement = await costOf({ address: city, complement: from }, { address: city, complement: to });
      const atOne = await costOf({ address: city, complement: from }, { address: city, complement: from });
      expect(inComplement).toBe(inAddress);
      expect(atOne).toBeLessThan(inComplement);
    },
  );

  test('tells what each service costs and promises, and an order of that service costs exactly that', async () => {
    const declared_value = '1000.00';
    const body = orderBody({ address: { address: MANAUS }, declared_value });
    const { pricing, packages, services = [] } = must(await estimate({ ...body, service: 'economy' }));
    const paid = services.map((each) =>
      each.pricing.lines.map((line) => `${line.kind} ${line.quantity} ${line.amount}`),
    );
    expect(paid).toEqual(['97.90', '78.90'].map((amount) => [`line_haul 1 ${amount}`, 'ad_valorem 1 3.00']));
    expect(packages[0]).toMatchObject({ line_haul: '97.90', promised_date: services[0]?.promised_date });
    expect(pricing).toEqual(services[0]?.pricing);
    const dates = services.map(({ promised_date }) => promised_date);
    expect(dates).toEqual([...new Set(dates)].sort());
    const economy = { ...body, service: 'economy', expected_total: '81.90' } as const;
    const placed = must(await ana.rest.POST('/api/v1/orders', { body: economy }));
    expect(placed).toMatchObject({
      service: 'economy',
      pricing: services[1]?.pricing,
      packages: [{ line_haul: '78.90', declared_value, promised_date: services[1]?.promised_date }],
    });
    const found = must(await ana.rest.GET('/api/v1/orders/{id}', { params: { path: { id: placed.id } } }));
    expect(found).toEqual(placed);
  });

  test('refuses what createOrder refuses: wrong fields, and an external id that another order has, which it names', async () => {
    const wrong = { ...orderBody({ pickup_index: 3 }), payment_method_id: 2_000_000_000 };
    expect(refusal(await estimate(wrong))).toBe('400 VALIDATION_ERROR packages.0.pickup_index payment_method_id');
    const body = orderBody();
    const { id } = must(await ana.rest.POST('/api/v1/orders', { body }));
    for (const call of [estimate(body), ana.rest.POST('/api/v1/orders', { body })]) {
      const { response, error } = await call;
      expect([response.status, error?.error.details]).toEqual([
        409,
        [{ field: 'external_id', code: 'taken', message: 'is taken', order_id: id }],
      ]);
    }
  });

  test('refuses a total that is not the expected one, as createOrder does; createOrder then stores no answer for the key', async () => {
    const [key, body] = [randomUUID(), orderBody()];
    const details = [
      { field: 'expected_total', code: 'changed', message: 'is not the price, which is 11.41', total: '11.41' },
    ];
    const params = { header: { 'Idempotency-Key': key } };
    const order = (expected_total: string) =>
      ana.rest.POST('/api/v1/orders', { params, body: { ...body, expected_total } });
    const wrong = () => order('11.40');
    for (const call of [() => estimate({ ...body, expected_total: '11.40' }), wrong, wrong]) {
      const { response, error } = await call();
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([409, null]);
      expect(error?.error).toMatchObject({ code: 'CONFLICT', reason: 'price_changed', details });
    }
    const found = { params: { query: { external_id: body.external_id } } };
    expect(must(await ana.rest.GET('/api/v1/orders', found)).pagination.total_items).toBe(0);
    expect(must(await order('11.41')).pricing.total).toBe('11.41');
  });
});
