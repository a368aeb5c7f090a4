import { expect, test } from '@jest/globals';
import { ask } from '../support/http.js';
import { ownService } from '../support/services.js';

const limited = await ownService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' });

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
