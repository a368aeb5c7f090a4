import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { exampleOrder, post, startGraphql } from './client.js';

const service = await startGraphql();

const example = (name: string) =>
  readFileSync(new URL(`../../contracts/examples/${name}.graphql`, import.meta.url), 'utf8');

/** A JSON object with the one field `query`, in which the quotes of the operation are escaped. */
const asBody = (operation: string) => `{"query": "${operation.replaceAll('"', '\\"').replaceAll('\n', ' ')}"}`;

describe('the two calls of a new client', () => {
  test('are login with Content-Type only, then createOrder with the API key, both without variables', async () => {
    await service.customer({ email: 'ana@example.com' });
    const login = await post(service.url, asBody(example('login').replace('correct horse battery', PASSWORD)));
    expect(login.status).toBe(200);
    expect(login.errors).toBeUndefined();
    const apiKey = login.data?.login?.user?.apiKey;
    expect(apiKey).toMatch(/^[\w-]{43}$/);

    const authorization = { Authorization: `ApiKey ana@example.com:${apiKey}` };
    const methods = await post(service.url, asBody('{ paymentMethods { id } }'), authorization);
    const order = exampleOrder(methods.data?.paymentMethods?.[0]?.id ?? 0);
    const created = await post(service.url, asBody(order), authorization);
    expect(created.status).toBe(200);
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const result = created.data?.createOrder;
    expect(result).toMatchObject({ success: true, errors: [] });
    expect(result?.orders).toHaveLength(1);
    expect(result?.orders[0]?.pk).toMatch(/^[\da-f-]{36}$/);
    expect(result?.orders[0]?.pricing.totalCm).toMatch(/^\d+\.\d\d$/);
    expect(result?.orders[0]?.packages).toHaveLength(3);
  });

  test('each package says where its two stops lie in the one route', async () => {
    const { send, paymentMethod } = await service.client();
    const before = Math.floor(Date.now() / 1000);
    const { data } = await send(exampleOrder(paymentMethod));
    const packages = data?.createOrder?.orders[0]?.packages ?? [];
    for (const { pickupWaypoint, waypoint } of packages) {
      expect(waypoint.index).toBeGreaterThan(pickupWaypoint.index);
      expect(waypoint.eta).toBeGreaterThan(pickupWaypoint.eta);
      expect(pickupWaypoint.eta).toBeGreaterThan(before);
      expect(waypoint.legDistance).toBeGreaterThan(0);
    }
    const stops = new Map(
      packages.flatMap(({ pickupWaypoint: a, waypoint: b }) => [a, b].map((stop) => [stop.index, stop])),
    );
    expect([...stops.keys()].sort()).toEqual([0, 1, 2, 3, 4]);
    expect(stops.get(0)?.legDistance).toBe(0);
  });
});
