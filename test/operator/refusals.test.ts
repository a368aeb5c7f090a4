import { expect, test } from '@jest/globals';
import { type Described, describedBy } from '../contract/oracle.js';
import { absentRecords, bodyFor } from '../support/bodies.js';
import { type Ask, ask } from '../support/http.js';
import { pathFor } from '../support/records.js';
import { ownService, sharedService } from '../support/services.js';

/** Refusals that all operations share beside those that test/contract/coverage.test.ts provokes. */

const service = await sharedService();
const limited = await ownService({ RATE_LIMIT_OPERATOR_PER_HOUR: '2' });
const absent = absentRecords('');

const guarded = describedBy('operator').filter(({ isPublic }) => !isPublic);
const named = (all: readonly Described[]) => all.map((each) => [each.id, each] as const);

/** Sends what an operator would send about absent records, changed; answers status and error code. */
async function send(operation: Described, change: Ask): Promise<[number, string]> {
  const request = { token: service.proven.token, body: bodyFor(operation, absent), ...change };
  const answer = await ask(service.url, operation.method, pathFor(operation, absent), request);
  return [answer.status, JSON.parse(answer.text).error.code];
}

test.each(named(guarded.filter(({ example }) => example !== undefined)))(
  'the body of %s is there, is JSON, and holds no field that there is not',
  async (_id, operation) => {
    // The only body that may be left out, as there was none before.
    if (operation.id !== 'rotateApiKey')
      expect(await send(operation, { body: undefined })).toEqual([400, 'VALIDATION_ERROR']);
    expect(await send(operation, { body: '{' })).toEqual([400, 'MALFORMED_REQUEST']);
    expect(await send(operation, { body: '{"colour": "red"}' })).toEqual([400, 'VALIDATION_ERROR']);
    expect(await send(operation, { body: '[]' })).toEqual([400, 'VALIDATION_ERROR']);
  },
);

test.each(named(guarded.filter(({ isIdempotent }) => isIdempotent)))(
  'the Idempotency-Key of %s is a key',
  async (_id, operation) => {
    expect(await send(operation, { headers: { 'Idempotency-Key': 'a key' } })).toEqual([400, 'VALIDATION_ERROR']);
  },
);

test.each(named(guarded.filter(({ statuses }) => statuses.includes('204'))))(
  '%s, which answers no body, is for who accepts no JSON too',
  async (_id, operation) => {
    expect(await send(operation, { headers: { Accept: 'text/html' } })).toEqual([404, 'NOT_FOUND']);
  },
);

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
