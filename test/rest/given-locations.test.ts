import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { eraseRecipients } from '../../src/orders/erase-recipients.js';
import { at, atPackage, bodyOf, movement, newWaitingPackage, placeOrder, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { ring } from '../webhook/support.js';

/** Coordinates that come with the text of an address. */

const service = await ownService();
const { operator } = service;
const ana = await service.customer();

type OrderCreate = components['schemas']['OrderCreate'];
type Coordinates = components['schemas']['CoordinatesInput'];

const { address: TEXT } = packageBody.address;
const pinheiros: Coordinates = { latitude: -23.56565, longitude: -46.68304 };
const santos = { latitude: -23.95, longitude: -46.33 };

const body = (location: Coordinates, text = TEXT): OrderCreate =>
  orderBody({ address: { address: text, complement: 'ap 12', location } });
const create = (input: OrderCreate) => ana.rest.POST('/api/v1/orders', { body: input });
const estimate = (input: OrderCreate) => ana.rest.POST('/api/v1/estimates', { body: input });
const get = (id: string) => bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(id)));
const details = ({ error }: { error?: components['schemas']['ErrorEnvelope'] }) =>
  error?.error.details.map(({ field, code }) => `${field} ${code}`);

describe('a location', () => {
  test('is the place of its address; text, city and CEP stay as they are', async () => {
    const order = await bodyOf(create(body(pinheiros)));
    const [parcel] = order.packages;
    expect(parcel?.address).toEqual({ address: TEXT, complement: 'ap 12' });
    expect(parcel?.resolved_address).toMatchObject({ ...pinheiros, precision: 'given', accuracy_metres: 50 });
    expect(parcel?.resolved_address).toMatchObject({ city: 'São Paulo', state: 'SP', postal_code: '05422000' });
    expect(await get(order.id)).toEqual(order);
    const { packages, pricing, route } = await bodyOf(estimate(body(pinheiros)));
    expect([packages[0]?.resolved_address, pricing, route]).toEqual([
      ...[parcel?.resolved_address, order.pricing, order.route],
    ]);
    const sent = await bodyOf(create(body({ ...pinheiros, accuracy: 7.2 })));
    expect(sent.packages[0]?.resolved_address.accuracy_metres).toBe(8);
    const plain = await bodyOf(create(orderBody()));
    expect(plain.packages[0]?.resolved_address.precision).not.toBe('given');
  });

  test('makes two stops of one text with different locations, and one stop of two texts with one location', async () => {
    const stop = (location: Coordinates, address = TEXT) => ({ ...packageBody, address: { address, location } });
    const legs = async (...packages: OrderCreate['packages']) => {
      const order = await bodyOf(create({ ...orderBody(), packages }));
      return order.packages.map(({ waypoint }) => waypoint.leg_distance).sort((a, b) => a - b);
    };
    const north = { ...pinheiros, latitude: pinheiros.latitude + 0.01 };
    expect((await legs(stop(pinheiros), stop(north)))[0]).toBeGreaterThan(1_000);
    expect((await legs(stop(pinheiros), stop(pinheiros, 'Rua dos Pinheiros, 500, São Paulo - SP')))[0]).toBe(0);
  });

  test('outside the municipality that the text names is refused, by order and estimate alike', async () => {
    const refused = async (location: Coordinates, text = TEXT) => {
      const answer = await create(body(location, text));
      expect(details(await estimate(body(location, text)))).toEqual(details(answer));
      return details(answer);
    };
    const outside = ['packages.0.address.location contradiction'];
    expect(await refused(santos)).toEqual(outside);
    // Latitude and longitude swapped, then without their minus signs, then zeros.
    expect(await refused({ latitude: -46.68304, longitude: -23.56565 })).toEqual(outside);
    expect(await refused({ latitude: 23.56565, longitude: 46.68304 })).toEqual(outside);
    expect(await refused({ latitude: 0, longitude: 0 })).toEqual(outside);
    expect(await refused({ latitude: 91, longitude: -181 })).toEqual(
      [...['packages.0.address.location.latitude too_small', 'packages.0.address.location.longitude too_small']].map(
        (each) => each.replace('latitude too_small', 'latitude too_large'),
      ),
    );
    expect(await refused(pinheiros, 'Rua Sem Cidade, 5')).toEqual(['packages.0.address.address not_placed']);
    const pickup = { ...orderBody(), pickups: [{ address: { address: TEXT, location: santos } }] };
    expect(details(await create(pickup))).toEqual(['pickups.0.address.location contradiction']);
  });
});

describe('another address', () => {
  const change = (key: string, address: components['schemas']['AddressInput'], total?: string) =>
    ana.rest.POST('/api/v1/packages/{loggi_key}/address-change', {
      ...atPackage(key),
      body: { address, ...(total !== undefined && { total }) },
    });

  test('may have a location, and changes no location of other packages', async () => {
    const text = 'Rua Augusta, 1500, São Paulo - SP';
    const north = { ...pinheiros, latitude: pinheiros.latitude + 0.01 };
    const stop = (location?: Coordinates) => ({
      ...packageBody,
      address: { address: text, ...(location && { location }) },
    });
    const order = await bodyOf(create({ ...orderBody(), packages: [stop(), stop(pinheiros), stop(north)] }));
    const places = (all: typeof order) => all.packages.map(({ resolved_address: place }) => place);
    const key = order.packages[0]?.loggi_key ?? '';
    const address = { address: TEXT, location: pinheiros };
    expect(details(await change(key, { address: TEXT, location: santos }))).toEqual(['address.location contradiction']);
    const { order: preview } = await bodyOf(change(key, address));
    const { order: after } = await bodyOf(change(key, address, preview.pricing.total));
    expect(places(after)).toEqual([expect.objectContaining(pinheiros), ...places(order).slice(1)]);
    const again = await bodyOf(change(order.packages[1]?.loggi_key ?? '', { address: text }));
    expect(places(again.order)[1]).toEqual(places(order)[0]);
    expect(await get(order.id)).toEqual(after);
    const tracked = operator.operator.POST('/operator/v1/packages/{loggi_key}/address-change', {
      ...atPackage(key),
      body: { address: { address: TEXT, location: north } },
    });
    expect((await bodyOf(tracked)).resolved_address).toMatchObject({ ...north, precision: 'given' });
  });

  test('in an answer has a location only in the municipality of the delivery', async () => {
    const key = await newWaitingPackage(operator, ana);
    const answer = (address: string, location: Coordinates) =>
      ana.rest.POST('/api/v1/packages/{loggi_key}/answers', {
        ...atPackage(key),
        body: { address: { address, location } },
      });
    expect(details(await answer('Santos - SP', santos))).toEqual(['address.location not_allowed']);
    expect(details(await answer(TEXT, santos))).toEqual(['address.location contradiction']);
    expect((await bodyOf(answer(TEXT, pinheiros))).applied).toEqual(['address']);
    const { resolved_address: place } = await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', atPackage(key)));
    expect(place).toMatchObject({ ...pinheiros, precision: 'given' });
  });
});

test('a return goes from the location of the delivery to the location of the pickup', async () => {
  const pickup = { latitude: -23.561, longitude: -46.656 };
  const order = await bodyOf(
    create({
      ...body(pinheiros),
      pickups: [{ address: { address: 'Av. Paulista, 1578, São Paulo - SP', location: pickup } }],
    }),
  );
  const key = order.packages[0]?.loggi_key ?? '';
  await resultsOf(operator, movement(key, { status_code: 5 }));
  const back = await bodyOf(ana.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(key), body: {} }));
  expect(back.pickups[0]?.resolved_address).toMatchObject({ ...pinheiros, precision: 'given' });
  expect(back.packages[0]?.resolved_address).toMatchObject({ ...pickup, precision: 'given' });
});

test('a location is erased with its address', async () => {
  const bia = await service.customer();
  const { id } = await placeOrder(bia, 1, { address: { address: TEXT, location: pinheiros } });
  await bodyOf(operator.rest.PUT('/api/v1/orders/{id}/status', { ...at(id), body: { status: 'completed' } }));
  for await (const _ of eraseRecipients(service.db, ring, {
    before: new Date(Date.now() + 60_000),
    lostAfterDays: 90,
  }));
  const { packages } = await bodyOf(bia.rest.GET('/api/v1/orders/{id}', at(id)));
  expect(packages[0]?.resolved_address).toMatchObject({ latitude: 0, longitude: 0, precision: 'city' });
});
