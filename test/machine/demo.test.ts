import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { planOrders, REFUSED_ADDRESS, shops } from '../../scripts/demo/carrier.js';
import { type Seeded, seedDays } from '../../scripts/demo/seed.js';
import { createApp } from '../../src/app/index.js';
import { loadConfig } from '../../src/base/config.js';
import { ownFolder } from '../support/folder.js';
import { type Clients, must, signedIn } from '../support/http.js';
import { randomFrom } from '../support/random.js';
import { operatorLogin, serviceSettings } from '../support/service.js';
import { endSharedService, ownDatabase } from '../support/services.js';

/** The database that `make demo SEED=1` fills with the last 14 days of a small carrier. */

const ORDERS = 60;
const DAY_MS = 86_400_000;

const [database, dataDir] = [await ownDatabase(), await ownFolder()];

const settings = (more: NodeJS.ProcessEnv = {}) =>
  loadConfig({ ...serviceSettings(database.url, dataDir), LOG_LEVEL: 'error', ...more });

let seeded: Seeded;
beforeAll(async () => {
  await endSharedService();
  seeded = await seedDays(settings(), ORDERS);
});

async function asked<T>(work: (clients: Clients) => Promise<T>): Promise<T> {
  const app = await createApp(settings({ NODE_ENV: 'test' }), { worker: false });
  try {
    return await work(await signedIn(app.url ?? '', operatorLogin));
  } finally {
    await app.stop();
  }
}

describe('the days', () => {
  test('have movements of each package in order, at the times when they were recorded', async () => {
    const { rows } = await sql<{ key: string; happened: Date; recorded: Date; created: Date }>`
      select m.loggi_key as key, m.happened_at as happened, m.recorded_at as recorded, p.created_at as created
      from movements m join packages p using (loggi_key) order by m.loggi_key, m.seq`.execute(database.db);
    const now = Date.now();
    const ages = rows.map(({ happened }) => (now - happened.getTime()) / DAY_MS);
    expect(Math.max(...ages)).toBeGreaterThan(13);
    expect(Math.max(...ages)).toBeLessThan(15);
    expect(new Set(rows.map(({ happened }) => happened.toISOString().slice(0, 10))).size).toBeGreaterThanOrEqual(10);
    for (const [at, { key, happened, recorded, created }] of rows.entries()) {
      expect(recorded.getTime() - happened.getTime()).toBeLessThan(30 * 60_000);
      expect(happened >= created).toBe(true);
      const next = rows[at + 1];
      if (next?.key === key) expect(next.happened > happened).toBe(true);
    }
  });

  test('have late packages, realistic prices, and different notes', async () => {
    await asked(async ({ rest, operator }) => {
      const params = { query: { late: true, page_size: 100 } };
      expect(must(await operator.GET('/operator/v1/packages', { params })).data.length).toBeGreaterThanOrEqual(2);
      const orders = must(await rest.GET('/api/v1/orders', { params: { query: { page_size: 100 } } })).data;
      expect(orders).toHaveLength(ORDERS);
      const total = orders.reduce((sum, order) => sum + Number(order.total), 0);
      expect(total / Number(seeded.counts['packages'])).toBeLessThan(60);
      const { data: tasks } = must(await operator.GET('/operator/v1/tasks', { params: { query: { page_size: 100 } } }));
      expect(tasks.length).toBeGreaterThan(0);
    });
    const { rows } = await sql<{ note: string }>`
      select note from package_answers where note is not null
      union all select reason_description from movements where reason_description is not null`.execute(database.db);
    expect(rows.length).toBeGreaterThan(1);
    expect(new Set(rows.map(({ note }) => note)).size).toBe(rows.length);
  });

  test('belong to three shops that can sign in, and leave the newest events to the demo', async () => {
    expect([...seeded.accounts.keys()]).toEqual(Object.values(shops));
    await asked(async ({ rest }) => {
      const { data } = must(await rest.GET('/api/v1/users', { params: { query: { role: 'customer' } } }));
      const emails = Object.values(shops).map(({ email }) => email);
      expect(data.map(({ email }) => email).sort()).toEqual(emails.sort());
    });
    expect(seeded.live).toHaveLength(60);
    expect(seeded.live.every(({ at }) => at < Date.now())).toBe(true);
  });

  test('end with areas that exclude the address in the output of the demo', async () => {
    await asked(async ({ rest, operator }) => {
      const { areas } = must(await operator.GET('/operator/v1/service-areas/current'));
      expect(areas.flatMap(({ states, municipalities }) => [...states, ...municipalities])).toHaveLength(7);
      const codes = ['01310200', '80010000', '70040010', '40020000', REFUSED_ADDRESS.slice(-9)].join(',');
      const { data } = must(await rest.GET('/api/v1/coverage', { params: { query: { postal_codes: codes } } }));
      expect(data.map(({ served }) => served)).toEqual([true, true, true, true, false]);
    });
  });

  test('end with a cut-off at 11:00 and two future days off', async () => {
    await asked(async ({ operator }) => {
      const { collection_cutoff: cutoff, closed } = must(await operator.GET('/operator/v1/calendars/current'));
      expect([cutoff, closed.length]).toEqual(['11:00', 2]);
      const today = new Date().toISOString().slice(0, 10);
      expect(closed.every(({ date }) => date >= today)).toBe(true);
    });
  });

  test('change only rows of the database', async () => {
    expect((await sql`select from pg_namespace where nspname = 'past'`.execute(database.db)).rows).toEqual([]);
  });
});

test('the same seed gives the same plan, with times that count from now', () => {
  const now = Date.parse('2026-11-23T15:00:00Z');
  const [one, other] = [planOrders(randomFrom(7), now, 50), planOrders(randomFrom(7), now, 50)];
  expect(one).toEqual(other);
  const withoutTime = (plan: typeof one) => plan.map(({ at: _, ...order }) => order);
  expect(withoutTime(planOrders(randomFrom(7), now + 3 * DAY_MS, 50))).toEqual(withoutTime(one));
});

describe('the demo refuses', () => {
  const ring = `k:${Buffer.alloc(32, 1).toString('base64')}`;
  const rings = { JWT_KEYS: ring, API_KEY_SECRETS: ring, ENCRYPTION_KEYS: ring, CODE_KEYS: ring };

  test.each([
    ['a shared database', { SINGLE_MACHINE: '0', PUBLIC_URL: 'https://malote.example', ...rings }],
    ['one in production', { NODE_ENV: 'production', ...rings }],
  ])('%s', async (_, more) => {
    await expect(seedDays(settings(more), 1)).rejects.toThrow(/^only a database for development is seeded: .*[^\n]$/);
  });

  test('a database with orders', async () => {
    const refusal = /^only an empty database is seeded, and this one has orders$/;
    await expect(seedDays(settings(), 1)).rejects.toThrow(refusal);
  });
});
