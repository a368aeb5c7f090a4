import { expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const FIELDS = 'postalCode city state served collects delivers services weekdays extraWorkdays reason message';

const ask = (place: object, pickup?: object) =>
  client.send(
    `query ($place: PlaceInput!, $pickup: PlaceInput) { coverage(place: $place, pickup: $pickup) { ${FIELDS} } }`,
    { variables: { place, ...(pickup && { pickup }) } },
  );

test('coverage answers as GET /api/v1/coverage does', async () => {
  const cases = [
    [{ postalCode: '01310200' }, undefined, { postal_code: '01310200' }],
    [{ city: 'Recife', state: 'PE' }, undefined, { city: 'Recife', state: 'PE' }],
    [{ postalCode: '00000000' }, undefined, { postal_code: '00000000' }],
    [
      { city: 'Recife', state: 'PE' },
      { city: 'Fernando de Noronha', state: 'PE' },
      { city: 'Recife', state: 'PE', pickup_city: 'Fernando de Noronha', pickup_state: 'PE' },
    ],
  ] as const;
  for (const [place, pickup, query] of cases) {
    const { data, errors } = await ask(place, pickup);
    expect(errors).toBeUndefined();
    const [expected] = must(await client.caller.rest.GET('/api/v1/coverage', { params: { query } })).data;
    const { postal_code = null, extra_workdays: extraWorkdays, city = null, state = null, ...rest } = expected ?? {};
    const { reason = null, message = null, ...others } = rest as { reason?: string; message?: string };
    expect(data?.coverage).toEqual({ ...others, postalCode: postal_code, city, state, extraWorkdays, reason, message });
  }
});

test.each([[{}], [{ city: 'Recife' }], [{ postalCode: '01310200', city: 'Recife', state: 'PE' }]])(
  'coverage needs either a CEP or a city with its state: %j',
  async (place) => {
    const { errors } = await ask(place);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(JSON.stringify(errors?.[0]?.extensions)).toContain('contradiction');
  },
);

test('coverage needs credentials', async () => {
  const { errors } = await client.send('{ coverage(place: {postalCode: "01310200"}) { served } }', {
    headers: { Authorization: '' },
  });
  expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
});
