import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { ask } from '../support/http.js';
import { type RedisServer, redisServer } from '../support/redis.js';
import { type Service, startService } from '../support/service.js';
import { ownService } from '../support/services.js';
import { describeWith } from '../support/tools.js';

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const withoutWorker = { worker: false };
const few = { RATE_LIMIT_ACCOUNT_PER_HOUR: '4', RATE_LIMIT_PUBLIC_PER_HOUR: '6', RATE_LIMIT_OPERATOR_PER_HOUR: '0' };
const service = await ownService(few);

describe('a request that the operator interface refuses', () => {
  const path = '/operator/v1/packages';

  test('counts against the account of the customer who sent it', async () => {
    const { token } = await service.customer();
    const statuses = [];
    for (const _ of times(5)) statuses.push((await ask(service.url, 'GET', path, { token })).status);
    expect(statuses).toEqual([403, 403, 403, 403, 429]);
    expect((await ask(service.url, 'GET', '/api/v1/products', { token })).status).toBe(429);
  });

  test('counts against the address, whatever X-Forwarded-For says, if the token or key is not valid', async () => {
    const forwarded = () => ({ 'X-Forwarded-For': `192.0.2.${statuses.length}` });
    // Five are left: the operator's login from this address counted before.
    const statuses: number[] = [];
    for (const token of ['e30.e30.e30', 'mok_wrong', 'e30.e30.e30', `mok_${'a'.repeat(43)}`, 'mok_wrong', 'mok_wrong'])
      statuses.push((await ask(service.url, 'GET', path, { token, headers: forwarded() })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

describeWith('redis', 'two replicas of the service', (path) => {
  let redis: RedisServer;
  let database: TestDatabase;
  let replicas: Service[] = [];

  beforeAll(async () => {
    [redis, database] = await Promise.all([redisServer(path), createDatabase()]);
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: '10000',
      JWT_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      RATE_LIMIT_ACCOUNT_PER_HOUR: '40',
    };
    replicas = [await startService(env, withoutWorker), await startService(env, withoutWorker)];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    await database.drop();
    await redis.kill();
  });

  test('admit exactly the limit together', async () => {
    const [a, b] = replicas;
    if (!a || !b) throw new Error('two replicas are needed');
    const { token } = await a.customer();
    const answers = [];
    for (const _ of times(6)) {
      const some = times(10).map((index) => ask((index % 2 ? a : b).url, 'GET', '/api/v1/products', { token }));
      answers.push(...(await Promise.all(some)));
    }
    const passed = answers.flatMap(({ status, headers }) =>
      status === 200 ? Number(headers.get('x-ratelimit-remaining')) : [],
    );
    expect(passed.sort((x, y) => y - x)).toEqual(times(40).map((index) => 39 - index));
  });
});
