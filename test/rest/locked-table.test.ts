import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { transaction } from '../../src/db/transaction.js';
import { orderBody } from '../support/bodies.js';
import { lockWaiters } from '../support/database.js';
import { ask } from '../support/http.js';
import { type Caller, type Service, startService } from '../support/service.js';

const CONNECTIONS = 4;

let service: Service;
let customers: Caller[];

beforeAll(async () => {
  const settings = { DATABASE_POOL_SIZE: String(CONNECTIONS), DATABASE_CONNECT_TIMEOUT_MS: '5000' };
  service = await startService(settings);
  customers = [await service.customer(), await service.customer(), await service.customer()];
});
afterAll(() => service.stop());

/** Does `work` while somebody has locked a table; resolves to the most requests that waited for the lock at once. */
async function whileLocked(table: string, send: () => Promise<unknown>[], work: () => Promise<unknown>) {
  return transaction(service.db, async (trx) => {
    await sql`lock table ${sql.table(table)}`.execute(trx);
    // Requests that come before the lock is noticed.
    await Promise.all(send());
    const sent = send();
    let most = 0;
    for (let look = 0; look < 20; look += 1) {
      most = Math.max(most, await lockWaiters(service.db));
      await sleep(20);
    }
    await work();
    return { most, sent };
  }).then(async ({ most, sent }) => ({ most, answers: await Promise.all(sent) }));
}

const times = <T>(count: number, work: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => work(at));
const statuses = (path: string, callers: readonly Caller[]) => () =>
  callers.map(async ({ token }) => (await ask(service.url, 'GET', path, { token })).status);

test('requests that wait for a lock leave connections to others: an account waits once, all of them with half', async () => {
  const [one, two, three] = customers;
  if (!one || !two || !three) throw new Error('a customer is missing');
  const others = async () => {
    const answers = await Promise.all(
      statuses(
        '/api/v1/orders',
        times(6, () => one),
      )(),
    );
    expect(answers).toEqual(times(6, () => 200));
  };
  const alone = await whileLocked(
    'products',
    statuses(
      '/api/v1/products',
      times(6, () => one),
    ),
    others,
  );
  expect(alone.most).toBe(1);
  const together = await whileLocked(
    'products',
    statuses('/api/v1/products', [one, two, three, one, two, three]),
    others,
  );
  expect(together.most).toBe(CONNECTIONS / 2);
});

test('those that wait for their turn are answered once the lock is gone', async () => {
  const [one] = customers;
  if (!one) throw new Error('a customer is missing');
  const { answers } = await whileLocked(
    'products',
    statuses(
      '/api/v1/products',
      times(6, () => one),
    ),
    async () => undefined,
  );
  expect(answers.filter((status) => status === 503).length).toBeLessThanOrEqual(2);
  expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
});

test('the same holds for GraphQL', async () => {
  const [one] = customers;
  if (!one) throw new Error('a customer is missing');
  const authorization = await service.app.identity.apiKeyOf(one.id).then((key) => `ApiKey ${one.email}:${key}`);
  const send = () =>
    times(6, async () => {
      const headers = { 'Content-Type': 'application/json', Authorization: authorization };
      const body = JSON.stringify({ query: '{ paymentMethods { id } }' });
      return (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).status;
    });
  const { most } = await whileLocked('payment_methods', send, async () => undefined);
  expect(most).toBe(1);
});

test.each([
  ['page', ''],
  ['open page', '/events'],
])("the same holds for a recipient's %s", async (_, below) => {
  const [one] = customers;
  const order = await one?.rest.POST('/api/v1/orders', { body: orderBody() });
  const page = new URL(order?.data?.packages[0]?.tracking_url ?? '');
  const send = () =>
    times(6, async (at) => {
      // Requests that come at once share a read.
      await sleep(20 * at);
      const answer = await fetch(`${service.url}${page.pathname}${below}`);
      await answer.body?.cancel();
      return answer.status;
    });
  const { most, answers } = await whileLocked('packages', send, async () => undefined);
  expect(most).toBe(1);
  expect(answers).toContain(200);
});
