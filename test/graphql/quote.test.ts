import { expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const QUERY = `query ($input: QuoteInput!) {
  quote(input: $input) { services { service promisedDate pricing { totalCm rateCardVersion validUntil lines { kind amount } } } }
}`;
const size = { width: 20, height: 10, length: 30, weight: 1200 };
const input = (more: object = {}) => ({
  pickups: [{ postalCode: '01310200' }],
  packages: [{ place: { postalCode: '05422000' }, dimensions: size, declaredValue: '349.90', ...more }],
});
const ask = (variables: object) => client.send(QUERY, { variables: { input: variables } });

test('quote answers as POST /api/v1/quotes does', async () => {
  const { data, errors } = await ask(input());
  expect(errors).toBeUndefined();
  const body = {
    pickups: [{ postal_code: '01310200' }],
    packages: [{ place: { postal_code: '05422000' }, dimensions: size, declared_value: '349.90' }],
  };
  const { services } = must(await client.caller.rest.POST('/api/v1/quotes', { body }));
  expect(data?.quote?.services).toEqual(
    services.map(({ service: name, promised_date: promisedDate, pricing }) => ({
      ...{ service: name, promisedDate },
      pricing: {
        ...{ totalCm: pricing.total, rateCardVersion: pricing.rate_card_version, validUntil: null },
        lines: pricing.lines.map(({ kind, amount }) => ({ kind, amount })),
      },
    })),
  );
});

test.each([
  [{ place: { postalCode: '0542' } }, 'packages.0.place.postalCode'],
  [{ place: { city: 'Santos' } }, 'packages.0.place'],
  [{ place: { postalCode: '00000000' } }, 'packages.0.place'],
  [{ declaredValue: 'much' }, 'packages.0.declaredValue'],
  [{ pickupIndex: 4 }, 'packages.0.pickupIndex'],
])('quote names the field that is wrong: %j', async (more, field) => {
  const { errors } = await ask(input(more));
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(JSON.stringify(errors?.[0]?.extensions)).toContain(`"${field}"`);
});

test('quote needs credentials', async () => {
  const { errors } = await client.send(QUERY, { variables: { input: input() }, headers: { Authorization: '' } });
  expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
});
