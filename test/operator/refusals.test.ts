import { expect, test } from '@jest/globals';
import { ask } from '../support/http.js';
import { ownService, sharedService } from '../support/services.js';

/** Refusals beside those that test/contract/coverage.test.ts provokes of each operation. */

const service = await sharedService();
const limited = await ownService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' });

test('405 for a method that there is not, 404 for a path that there is not', async () => {
  const { token } = service.operator;
  expect((await ask(service.url, 'PATCH', '/operator/v1/movements', { token })).status).toBe(405);
  expect((await ask(service.url, 'GET', '/operator/v1/nothing', { token })).status).toBe(404);
});

test('429 once the budget of an operator or an operator key is used up, which is not that of the account or of another key', async () => {
  const body = { name: 'Scanner', scope: 'read' } as const;
  const make = () => limited.operator.operator.POST('/operator/v1/operator-keys', { body });
  const [one, two, none] = [await make(), await make(), await make()];
  expect([one, two, none].map(({ response }) => response.status)).toEqual([201, 201, 429]);
  expect(none.response.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await limited.operator.rest.GET('/api/v1/users/me')).response.status).toBe(200);
  const statuses = [];
  for (const made of [one, one, one, two])
    statuses.push((await ask(limited.url, 'GET', '/operator/v1/packages', { token: made.data?.secret })).status);
  expect(statuses).toEqual([200, 200, 429, 200]);
});
