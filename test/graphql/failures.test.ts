import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { unavailable } from '../../src/base/errors.js';
import type { Located } from '../../src/base/place.js';
import type { GraphqlDeps } from '../../src/graphql/context.js';
import { type Answer, anOrder, CREATE_ORDER } from './client.js';
import { mountGraphql } from './mounted.js';

let graphql: Awaited<ReturnType<typeof mountGraphql>>;

/** The dependencies with a geocoder that fails in some way. */
const failing = (locate: () => Promise<Located>) => (deps: GraphqlDeps) => ({
  ...deps,
  planning: { ...deps.planning, geocoder: { locate, read: () => undefined } },
});
const open = async (locate: () => Promise<Located>) => {
  graphql = await mountGraphql(failing(locate));
  return graphql.account();
};

afterEach(() => graphql.stop());

function expectUnavailable({ status, headers, errors }: Answer): void {
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'UNAVAILABLE', reason: 'unavailable' }]);
}

const legacy = { headers: { Accept: 'application/json' } };
const modern = { headers: { Accept: 'application/graphql-response+json' } };

describe('a failure of the service', () => {
  test('shows the client only that it happened; the log shows everything', async () => {
    const { send, paymentMethod } = await open(() => Promise.reject(new TypeError('secret detail')));
    for (const accept of [legacy, modern]) {
      const answer = await send(CREATE_ORDER, { variables: { input: anOrder(paymentMethod) }, ...accept });
      const message = 'Something went wrong on our side; the request id helps us to find it.';
      const error = { message, path: ['createOrder'], extensions: { code: 'INTERNAL_ERROR' } };
      expect(answer).toMatchObject({ status: 500, data: null, errors: [error] });
      const logLine = graphql.lines.filter((line) => line.includes('secret detail')).at(-1);
      const err = { type: 'TypeError', message: 'secret detail' };
      const requestId = answer.headers.get('x-request-id');
      expect(JSON.parse(logLine ?? '{}')).toMatchObject({ msg: 'http.failed', requestId, err });
    }
  });

  test('is 503 with Retry-After if it is temporary, and no answer is stored for its key', async () => {
    let broken = true;
    const place = { latitude: -23.5, longitude: -46.6, precision: 'city', city: 'São Paulo', state: 'SP' } as const;
    const { send, paymentMethod } = await open(async () => {
      if (broken) throw unavailable(new Error('geocoder'));
      return { ok: true, place };
    });
    const call = { variables: { input: anOrder(paymentMethod) }, headers: { 'Idempotency-Key': 'key' } };
    const failed = await send(CREATE_ORDER, call);
    expectUnavailable(failed);
    broken = false;
    const { data, headers } = await send(CREATE_ORDER, call);
    expect(data?.createOrder?.success).toBe(true);
    expect(headers.get('idempotent-replayed')).toBeNull();
  });
});

test('the log has no passwords and no keys, even when the request fails', async () => {
  const { send } = await open(() => Promise.reject(new Error('no geocoder')));
  const canary = 'canary-7f3a';
  const login = (input: string) => `mutation { login(input: ${input}) { user { apiKey } } }`;
  await send(login(`{ email: "a@example.com", password: "${canary}" }`));
  await send(login(`{ email: "a@example.com", password: ${canary} }`));
  await send(login(`{ email: "a@example.com", password: "${canary}`));
  await send(login('$input'), { variables: { input: { password: canary } } });
  await send('{ me { pk } }', { headers: { Authorization: `ApiKey a@example.com:${canary}` } });
  expect(graphql.lines.length).toBeGreaterThanOrEqual(5);
  expect(graphql.lines.filter((line) => line.includes(canary))).toEqual([]);
});

describe('a database that does not answer', () => {
  let account: Awaited<ReturnType<typeof graphql.account>>;

  beforeEach(async () => {
    // As in the service, a request waits only a short time for a lock.
    graphql = await mountGraphql(undefined, { lockTimeoutMs: 500 });
    account = await graphql.account();
  });

  test('is 503 with Retry-After when no connection is left', async () => {
    await graphql.db.destroy();
    expectUnavailable(await account.send('{ me { pk } }'));
  });

  test('is 503 with Retry-After when a statement waits for a locked table', async () => {
    await graphql.db.transaction().execute(async (trx) => {
      await sql`lock table orders in access exclusive mode`.execute(trx);
      expectUnavailable(await account.send('{ orders { edges { cursor } } }'));
    });
  });
});
