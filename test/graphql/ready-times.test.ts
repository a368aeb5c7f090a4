import { describe, expect, test } from '@jest/globals';
import type { CreateOrderInput } from '../../generated/graphql.js';
import { movement, resultsOf } from '../operator/fixtures.js';
import { anOrder, present, startGraphql } from './client.js';

/** The times from which packages can be collected, and the days between which they are delivered. */

const service = await startGraphql({});
const client = await service.client();

const DAY_MS = 86_400_000;
const inDays = (days: number): string =>
  `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T13:00:00.000Z`;
const day = (days: number): string => inDays(days).slice(0, 10);

const FIELDS = `orders { pk readyAt packages { loggiKey promisedDate deliverFrom deliverBy } }
  errors { field code firstDate }`;
const createOrder = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { success ${FIELDS} } }`;
const ESTIMATE = `query ($input: CreateOrderInput!) {
  estimateOrder(input: $input) { success estimate { services { service } } errors { field code firstDate } }
}`;

const order = (change: Partial<CreateOrderInput> = {}, parcel: object = {}): CreateOrderInput => {
  const whole = anOrder(client.paymentMethod, change);
  return { ...whole, packages: whole.packages.map((each) => ({ ...each, ...parcel })) };
};
const create = async (...input: Parameters<typeof order>) =>
  present((await client.send(createOrder, { variables: { input: order(...input) } })).data?.createOrder);
const faults = async (...input: Parameters<typeof order>) => {
  const { success, errors } = await create(...input);
  expect(success).toBe(false);
  const { data } = await client.send(ESTIMATE, { variables: { input: order(...input) } });
  expect(data?.estimateOrder).toMatchObject({ success: false, errors });
  return errors.map(({ field, code, firstDate }) => [field, code, firstDate].filter(Boolean).join(' '));
};

describe('createOrder', () => {
  test('keeps the ready time and the days of a delivery, and answers null when they are missing', async () => {
    const days = { deliverFrom: day(12), deliverBy: day(40) };
    const { orders } = await create({ readyAt: inDays(5) }, days);
    expect(orders).toMatchObject([{ readyAt: inDays(5), packages: [days] }]);
    const [parcel] = orders[0]?.packages ?? [];
    expect(parcel && parcel.promisedDate >= days.deliverFrom).toBe(true);
    const { data } = await client.send(`{ order(pk: "${orders[0]?.pk}") { readyAt packages { deliverFrom } } }`);
    expect(data?.order).toEqual({ readyAt: inDays(5), packages: [{ deliverFrom: day(12) }] });
    const none = { deliverFrom: null, deliverBy: null };
    expect((await create()).orders).toMatchObject([{ readyAt: null, packages: [none] }]);
    const empty = await create({ readyAt: '' }, { deliverFrom: '', deliverBy: null });
    expect(empty.orders).toMatchObject([{ readyAt: null, packages: [none] }]);
  });

  test('refuses a wrong time or day with its own error code on its own field, as estimateOrder does', async () => {
    expect(await faults({ readyAt: inDays(-1) })).toEqual(['readyAt too_early']);
    expect(await faults({ readyAt: inDays(32) })).toEqual(['readyAt too_late']);
    expect(await faults({ readyAt: '2026-02-30T10:00:00Z' })).toEqual(['readyAt pattern']);
    expect(await faults({}, { deliverFrom: '2026-02-30' })).toEqual(['packages.0.deliverFrom pattern']);
    expect(await faults({}, { deliverBy: '2/12/26' })).toEqual(['packages.0.deliverBy too_short']);
    expect(await faults({}, { deliverFrom: day(-2), deliverBy: 'tomorrow..' })).toEqual([
      ...['packages.0.deliverBy pattern', 'packages.0.deliverFrom too_early'],
    ]);
    expect(await faults({}, { deliverFrom: day(62) })).toEqual(['packages.0.deliverFrom too_late']);
    expect(await faults({}, { deliverFrom: day(9), deliverBy: day(8) })).toEqual([
      'packages.0.deliverBy contradiction',
    ]);
    const [late = ''] = await faults({ readyAt: inDays(9) }, { deliverBy: day(2) });
    expect(late).toMatch(/^packages\.0\.deliverBy too_early \d{4}-\d\d-\d\d$/);
    const deliverBy = late.split(' ')[2];
    expect(await create({ readyAt: inDays(9) }, { deliverBy })).toMatchObject({
      orders: [{ packages: [{ promisedDate: deliverBy, deliverBy }] }],
    });
  });

  test('lists the orders that are ready between two times', async () => {
    const other = await service.client();
    const placed = async (readyAt?: string) => {
      const input = { ...anOrder(other.paymentMethod), ...(readyAt && { readyAt }) };
      return (await other.send(createOrder, { variables: { input } })).data?.createOrder?.orders[0]?.pk;
    };
    const [third, second] = [await placed(inDays(3)), await placed(inDays(2))];
    await placed();
    const list = async (filter: string) => {
      const { data } = await other.send(`{ orders(filter: { ${filter} }) { edges { node { pk readyAt } } } }`);
      return data?.orders?.edges.map(({ node }) => node?.pk);
    };
    expect(await list(`readyFrom: "${inDays(2)}"`)).toEqual([second, third]);
    expect(await list(`readyFrom: "${inDays(2)}", readyTo: "${inDays(3)}"`)).toEqual([second]);
    expect(await list(`readyTo: "${inDays(2)}"`)).toEqual([]);
  });
});

test('a location that comes with an address is used as its place, or is refused on its field', async () => {
  const at = (location: object, address = 'Rua dos Pinheiros, 498, São Paulo - SP') => ({
    address: { address, location },
  });
  const PLACES = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
    orders { packages { resolvedAddress { latitude longitude precision accuracyMetres } } } errors { field code } } }`;
  const place = async (parcel: object) =>
    present((await client.send(PLACES, { variables: { input: order({}, parcel) } })).data?.createOrder);
  const pin = { latitude: -23.56565, longitude: -46.68304 };
  const given = { ...pin, precision: 'given', accuracyMetres: 12 };
  expect(await place(at({ ...pin, accuracy: 12 }))).toMatchObject({
    orders: [{ packages: [{ resolvedAddress: given }] }],
  });
  const refused = async (location: object) =>
    (await place(at(location))).errors.map(({ field, code }) => `${field} ${code}`);
  expect(await refused({ latitude: -23.95, longitude: -46.33 })).toEqual(['packages.0.address.location contradiction']);
  expect(await refused({ latitude: 91, longitude: 0 })).toEqual(['packages.0.address.location.latitude too_large']);
});

test('returnPackage has the package collected when it is ready', async () => {
  const key = (await create()).orders[0]?.packages[0]?.loggiKey ?? '';
  await resultsOf(service.operator, movement(key, { status_code: 5 }));
  const returnPackage = `mutation ($input: ReturnInput!) {
    returnPackage(input: $input) { order { readyAt } errors { field code } }
  }`;
  const giveBack = async (readyAt: string) =>
    (await client.send(returnPackage, { variables: { input: { loggiKey: key, readyAt } } })).data?.returnPackage;
  expect((await giveBack(inDays(40)))?.errors).toMatchObject([{ field: 'readyAt', code: 'too_late' }]);
  expect((await giveBack(inDays(7)))?.order).toEqual({ readyAt: inDays(7) });
});
