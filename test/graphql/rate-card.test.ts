import { expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const PRICES = 'prices perFurtherKg';
const card = `version validFrom base perKm perKg perExtraStop volumetricCm3PerKg urbanKm
  zones { weights economyDays rows { upToKm ${PRICES} economy { ${PRICES} } } } adValorem { percent least }`;
const query = `{ rateCard { current { ${card} } announced { ${card} } } }`;

/** Fields as REST names them. */
const inSnakeCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(
    fields.map(([name, each]) => [
      name.replace(/[A-Z]|(?<=[a-z])\d/g, (sign) => (/\d/.test(sign) ? sign : `_${sign.toLowerCase()}`)),
      inSnakeCase(each),
    ]),
  );
};

test('rateCard answers as GET /api/v1/rate-card does, with the announced prices', async () => {
  const read = async () => {
    const { data, errors } = await client.send(query);
    expect(errors).toBeUndefined();
    expect(inSnakeCase(data?.rateCard)).toEqual(must(await client.caller.rest.GET('/api/v1/rate-card')));
    return data?.rateCard;
  };
  expect(await read()).toMatchObject({ current: { base: expect.any(String) }, announced: null });
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const { operator } = service.operator;
  const body = { base: '19.90', per_km: '1.00', per_kg: '1.00', per_extra_stop: '1.00', volumetric_cm3_per_kg: 6000 };
  must(await operator.POST('/operator/v1/rate-cards', { body: { ...body, valid_from: day } }));
  expect(await read()).toMatchObject({ announced: { base: '19.90', zones: null, urbanKm: null } });
});

test('rateCard needs credentials', async () => {
  const { errors } = await client.send(query, { headers: { Authorization: '' } });
  expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
});
