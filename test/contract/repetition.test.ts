import { describe, expect, test } from '@jest/globals';
import { unplaceable } from '../domain/routing-support.js';
import { present, startGraphql } from '../graphql/client.js';

const service = await startGraphql({});
const client = await service.client();

/** A word in every sent text. In an address it names nothing. */
const NEEDLE = 'kanarie';
const addresses = unplaceable(NEEDLE);
const text = (length: number) => NEEDLE.repeat(length).slice(0, length);
const unplaced = addresses.map((_, at) => `packages.${at}.address.address`);

/** An order with wrong addresses, and optionally with all texts too long. */
function orderOf(isTooLong: boolean) {
  const long = isTooLong ? { name: text(500), note: text(5000) } : { name: NEEDLE, note: NEEDLE };
  const stop = (address: string) => ({ address: { address, complement: long.note }, instructions: long.note });
  const packages = addresses.map((address) => ({
    ...stop(address),
    recipient: { name: long.name, phone: isTooLong ? text(50) : '+55 11 98888-7777' },
    dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
  }));
  return { pickups: [stop(`${NEEDLE}, Santos - SP`)], packages, external: long.name };
}

describe.each([
  ['that cannot be placed', false],
  ['that cannot be placed, beside texts that are too long', true],
])('no message about an order with addresses %s repeats a word of it', (_, isTooLong) => {
  const { pickups, packages, external } = orderOf(isTooLong);

  test('in REST', async () => {
    const { response, error } = await client.caller.rest.POST('/api/v1/orders', {
      body: { external_id: external, pickups, packages: packages.map((parcel) => ({ ...parcel, pickup_index: 0 })) },
    });
    expect([response.status, error?.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    const fields = error?.error.details.map(({ field }) => field);
    if (!isTooLong) expect(fields).toEqual(unplaced);
    expect(JSON.stringify(error)).not.toMatch(new RegExp(NEEDLE, 'i'));
  });

  test.each([
    ['createOrder', 'mutation'],
    ['estimateOrder', 'query'],
  ] as const)('in %s', async (operation, kind) => {
    const { data } = await client.send(
      `${kind} ($input: CreateOrderInput!) { ${operation}(input: $input) { success errors { field message } } }`,
      {
        variables: {
          input: {
            paymentMethod: client.paymentMethod,
            externalId: external,
            pickups,
            packages: packages.map((parcel) => ({ ...parcel, pickupIndex: 0 })),
          },
        },
      },
    );
    const { success, errors } = present(data?.[operation]);
    expect(success).toBe(false);
    expect(errors.map(({ field }) => field)).toEqual(expect.arrayContaining(isTooLong ? ['externalId'] : unplaced));
    expect(JSON.stringify(errors)).not.toMatch(new RegExp(NEEDLE, 'i'));
  });
});
