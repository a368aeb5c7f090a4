import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { transaction } from '../../src/db/transaction.js';
import { orderBody } from '../support/bodies.js';
import { lockWaiters } from '../support/database.js';
import { ask, must } from '../support/http.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';

const CONNECTIONS = 4;

const service = await ownService(
  { DATABASE_POOL_SIZE: String(CONNECTIONS), DATABASE_CONNECT_TIMEOUT_MS: '5000' },
  { worker: false },
);
const one = await service.customer();

/**
 * Locks a table, sends requests, and does `work`. Resolves to the largest number of requests that waited for the lock
 * at once, and to the statuses of the requests that were answered after its end.
 */
async function whileLocked(table: string, send: () => Promise<number>[], work?: () => Promise<unknown>) {
  let isReleased = false;
  let most = 0;
  const sent = await transaction(service.db, async (trx) => {
    await sql`lock table ${sql.table(table)}`.execute(trx);
    // The first requests go out before the service has noticed the lock.
    await Promise.all(send());
    const answers = send().map(async (status) => ({ status: await status, isLate: isReleased }));
    for (let look = 0; look < 10; look += 1) {
      most = Math.max(most, await lockWaiters(service.db));
      await sleep(20);
    }
    await work?.();
    return answers;
  });
  isReleased = true;
  const late = (await Promise.all(sent)).flatMap(({ status, isLate }) => (isLate ? status : []));
  return { most, late };
}

const statuses = (path: string, callers: readonly Caller[]) => () =>
  callers.map(async ({ token }) => (await ask(service.url, 'GET', path, { token })).status);
const six = Array.from({ length: 6 }, () => one);
const others = async () => expect(await Promise.all(statuses('/api/v1/orders', six)())).toEqual(six.map(() => 200));

test('an account waits for a lock once, and leaves connections to others; all requests are answered after its end', async () => {
  const { most, late } = await whileLocked('products', statuses('/api/v1/products', six), others);
  expect(most).toBe(1);
  // One request may fail: it may reach the limit of its wait as the lock ends.
  expect(late.filter((status) => status === 200).length).toBeGreaterThanOrEqual(late.length - 1);
});

test('all accounts together use at most half of the connections to wait for a lock', async () => {
  const [two, three] = [await service.customer(), await service.customer()];
  const all = statuses('/api/v1/products', [one, two, three, one, two, three]);
  expect((await whileLocked('products', all, others)).most).toBe(CONNECTIONS / 2);
});

test('an account waits for a lock once in GraphQL, too', async () => {
  const headers = { Authorization: `ApiKey ${one.email}:${await service.app.identity.apiKeyOf(one.id)}` };
  const body = { query: '{ paymentMethods { id } }' };
  const send = () => six.map(async () => (await ask(service.url, 'POST', '/graphql', { headers, body })).status);
  expect((await whileLocked('payment_methods', send)).most).toBe(1);
});

test.each([
  ['page', ''],
  ['open page', '/events'],
])("requests of a recipient's %s wait for a lock once", async (_, below) => {
  const { packages } = must(await one.rest.POST('/api/v1/orders', { body: orderBody() }));
  const page = new URL(packages[0]?.tracking_url ?? '');
  const send = () =>
    six.map(async (_, at) => {
      // Requests that come at once would share one read.
      await sleep(20 * at);
      const answer = await fetch(`${service.url}${page.pathname}${below}`);
      await answer.body?.cancel();
      return answer.status;
    });
  const { most, late } = await whileLocked('packages', send);
  expect(most).toBe(1);
  expect(late).toContain(200);
});
