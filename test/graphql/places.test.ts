import { describe, expect, test } from '@jest/globals';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { packageBody } from '../support/bodies.js';
import { anOrder, present, startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const PLACE = '{ latitude longitude precision accuracyMetres district city state postalCode }';
const places = `distanceSource packages { pickupResolvedAddress ${PLACE} resolvedAddress ${PLACE} }`;
const ERRORS = 'success errors { field code message }';

const example = anOrder(1);
const parcel = present(example.packages[0]);
const toAddress = (address: string) => ({ ...parcel, pickupIndex: 0, address: { address } });

describe('A and B give the same reason on the field', () => {
  /** The errors of an order to these addresses, by REST and by GraphQL. */
  async function refusals(pickup: string, ...deliveries: string[]) {
    const pickups = [{ address: { address: pickup } }];
    const packages = deliveries.map((address) => ({ ...packageBody, address: { address } }));
    const { error } = await client.caller.rest.POST('/api/v1/orders', { body: { pickups, packages } });
    const input = { paymentMethod: client.paymentMethod, pickups, packages: deliveries.map(toAddress) };
    const query = `query ($input: CreateOrderInput!) { estimateOrder(input: $input) { ${ERRORS} } }`;
    const { data } = await client.send(query, { variables: { input } });
    const create = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { ${ERRORS} } }`;
    const created = await client.send(create, { variables: { input } });
    expect(created.data?.createOrder?.errors).toEqual(data?.estimateOrder?.errors);
    const details = error?.error.details ?? [];
    expect(data?.estimateOrder?.errors).toEqual(details);
    return details;
  }

  test.each(['Rua A, 1, Bom Jesus', 'Rua A, 1, Santos - SP, 20040-002', 'lugar nenhum'])(
    'when the geocoder cannot place an address: %s',
    async (address) => {
      const located = locateEmbedded(address);
      const message = located.ok ? undefined : located.message;
      expect(await refusals('Centro, Santos - SP', 'Centro, Santos - SP', address)).toEqual([
        { field: 'packages.1.address.address', code: 'not_placed', message },
      ]);
    },
  );

  test('when no road reaches a place', async () => {
    const [island, mainland] = ['Rua do Sol, 1, Fernando de Noronha - PE', 'Centro, Recife - PE'];
    const message = expect.stringContaining('No road or car ferry joins Fernando de Noronha - PE');
    expect(await refusals(mainland, mainland, island)).toEqual([
      { field: 'packages.1.address.address', code: 'not_placed', message },
    ]);
    expect(await refusals(island, mainland)).toEqual([
      { field: 'pickups.0.address.address', code: 'not_placed', message },
    ]);
    expect(await refusals(island, island)).toEqual([]);
  });
});

test('an estimate, an order and its packages name the place and precision of each stop, and the source of distances', async () => {
  const input = anOrder(client.paymentMethod);
  const estimate = `query ($input: CreateOrderInput!) { estimateOrder(input: $input) { estimate { ${places} } } }`;
  const streets = estimate.replace('packages {', 'packages { pickupStreetRead streetRead');
  const [street] = present(
    (await client.send(streets, { variables: { input } })).data?.estimateOrder?.estimate,
  ).packages;
  expect([street?.pickupStreetRead, street?.streetRead]).toEqual(['av paulista, 1578', 'rua dos pinheiros, 498']);
  const expected = present((await client.send(estimate, { variables: { input } })).data?.estimateOrder?.estimate);
  expect(expected.distanceSource).toBe('great_circle');
  expect(expected.packages.map(({ resolvedAddress }) => resolvedAddress.precision)).toEqual([expect.any(String)]);
  const create = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) { orders { pk ${places} packages { loggiKey } } } }`;
  const created = present((await client.send(create, { variables: { input } })).data?.createOrder?.orders[0]);
  const packages = expected.packages.map((each) => expect.objectContaining(each));
  expect(created).toMatchObject({ distanceSource: 'great_circle', packages });

  const read = `query ($pk: ID!, $key: String!) {
    order(pk: $pk) { ${places} }
    orders(first: 1) { edges { node { ${places} } } }
    package(loggiKey: $key) { pickupResolvedAddress ${PLACE} }
  }`;
  const { data } = await client.send(read, { variables: { pk: created.pk, key: created.packages[0]?.loggiKey } });
  expect(data?.order).toEqual(expected);
  expect(data?.orders?.edges[0]?.node).toEqual(expected);
  expect(data?.package?.pickupResolvedAddress).toEqual(expected.packages[0]?.pickupResolvedAddress);

  const params = { path: { id: created.pk } };
  const { data: record } = await client.caller.rest.GET('/api/v1/orders/{id}', { params });
  expect(record?.route.distance_source).toBe('great_circle');
  expect(record?.packages.map((each) => each.resolved_address.precision)).toEqual(
    expected.packages.map((each) => each.resolvedAddress.precision),
  );
});
