import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { offsetOf } from '../../src/base/page.js';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import { listOrders, type OrderFilters } from '../../src/orders/list-orders.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { idAt } from '../support/ids.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';
import { counting, makeOrdered, operator, orderInput, placeOrder, planDeps, rowsRead } from './orders-fixtures.js';

const database = await ownDatabase();
const { db } = database;
let large: Actor;
let small: Actor;

const newest = new Date('2024-03-10T12:00:00Z').getTime();
const HOUR = 3_600_000;

beforeAll(async () => {
  large = actorOf(await makeAccount(db));
  small = actorOf(await makeAccount(db));
  await addOrders(large, 2_500, sql`${new Date(newest)}::timestamptz - i * interval '5 hours'`);
  await addOrders(large, 1_500, sql`${new Date(newest - 900 * HOUR)}::timestamptz - i * interval '3 seconds'`);
  await addOrders(large, 300, sql`${new Date(newest - 2_000 * HOUR)}::timestamptz`);
  await addOrders(small, 700, sql`${new Date(newest)}::timestamptz - i * interval '17 hours'`);
});

/** Adds orders of all statuses, without packages. The SQL expression makes the time of creation from the number i. */
async function addOrders(
  { accountId }: Actor,
  count: number,
  createdAt: ReturnType<typeof sql>,
  db: Db = database.db,
): Promise<void> {
  await sql`
    insert into orders (
      id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos, distance_metres,
      distance_source, pickup_count, package_count, created_at)
    select
      ${idAt(createdAt)}, account_id, (array['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'])[1 + i * i % 5],
      p.id, 1, '[]', i, 0, 'great_circle', 1, 1, ${createdAt}
    from generate_series(1, ${count}::integer) i, payment_methods p where p.account_id = ${accountId}`.execute(db);
}

/** The expected list, found simply by counting and skipping rows. */
async function plainly(db: Db, actor: Actor, { status, createdFrom, createdTo }: OrderFilters, page: typeof first) {
  let query = db.selectFrom('orders');
  if (actor.role !== 'operator') query = query.where('account_id', '=', actor.accountId);
  if (status) query = query.where('status', '=', status);
  if (createdFrom) query = query.where('created_at', '>=', createdFrom);
  if (createdTo) query = query.where('created_at', '<', createdTo);
  const { total } = await query.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
  const paged = query.select('id').orderBy('created_at', 'desc').orderBy('id', 'desc');
  const rows = await paged.limit(page.pageSize).offset(offsetOf(page)).execute();
  return { total: Number(total), ids: rows.map(({ id }) => id) };
}

async function listed(db: Db, actor: Actor, filters: OrderFilters, page: typeof first) {
  const { rows, total } = await listOrders(db, actor, filters, page);
  return { total, ids: rows.map(({ id }) => id) };
}

const first = { page: 1, pageSize: 20 };

/** The spans whose tallies differ from the number of their orders. */
async function breaches(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    with tallied as (
      select scope, hours, starts_at, status, sum(orders) as orders
      from order_tallies, lateral (values
        ('created', created), ('processing', processing), ('out_for_delivery', out_for_delivery),
        ('completed', completed), ('cancelled', cancelled), ('packages', packages)) of (status, orders)
      group by 1, 2, 3, 4 having sum(orders) <> 0
    ), counted as (
      select scope, hours, to_timestamp(floor(extract(epoch from created_at) / 3600 / hours) * 3600 * hours) as starts_at,
        counted.status, sum(number) as orders
      from orders, unnest(array[account_id, '00000000-0000-0000-0000-000000000000'::uuid]) scope, unnest(array[1, 336]) hours,
        lateral (values (status, 1), ('packages', package_count)) counted (status, number)
      group by 1, 2, 3, 4
    )
    select * from tallied full join counted using (scope, hours, starts_at, status, orders)
    where tallied.scope is null or counted.scope is null or tallied.orders <> counted.orders`.execute(db);
  return rows.slice(0, 5);
}

// Times include whole hours, ends of spans and times of orders. Some are far from all orders.
const time = fc.oneof(
  fc.integer({ min: -14_000, max: 30 }).map((hours) => new Date(newest + hours * HOUR)),
  fc.integer({ min: -40_000_000, max: 100 }).map((tenths) => new Date(newest + tenths * 100)),
  fc.integer({ min: 1380, max: 1416 }).map((span) => new Date(span * 336 * HOUR)),
  fc.constantFrom(
    new Date('0001-01-01T00:00:00Z'),
    new Date('1969-12-31T23:30:00Z'),
    new Date('9999-12-31T23:59:59.999Z'),
  ),
);
const filters = fc.record(
  {
    status: fc.constantFrom('created', 'processing', 'out_for_delivery', 'completed', 'cancelled'),
    createdFrom: time,
    createdTo: time,
  },
  { requiredKeys: [] },
);
const pages = fc.record({ page: fc.integer({ min: 1, max: 260 }), pageSize: fc.constantFrom(1, 7, 20, 100) });

describe('the list of orders', () => {
  test('equals a list made by counting and skipping, with any filters and any page', async () => {
    const actors = fc.constantFrom('large' as const, 'small' as const, 'operator' as const);
    await fc.assert(
      fc.asyncProperty(actors, filters, pages, async (who, chosenFilters, page) => {
        const actor = { large, small, operator }[who];
        expect(await listed(db, actor, chosenFilters, page)).toEqual(await plainly(db, actor, chosenFilters, page));
      }),
      { numRuns: 150 },
    );
  });

  test('takes one statement, or two if the newest orders are old', async () => {
    const { db, statements } = counting(database.db);
    await listOrders(db, large, { createdTo: new Date(newest) }, first);
    await listOrders(db, large, { createdTo: new Date(newest) }, { page: 150, pageSize: 20 });
    expect(statements()).toBe(2);
    await listOrders(db, large, {}, first);
    expect(statements()).toBe(4);
  });

  test('reads only the order that an external id or a tracking code names', async () => {
    const owner = actorOf(await makeAccount(db));
    const planned = await planOrder(planDeps(db), owner.accountId, orderInput(50));
    const order = await placeOrder(db, { ...planned, externalId: 'named' });
    const [named] = order.packages;
    await addOrders(owner, 1_000, sql`now() - i * interval '1 minute'`);
    await sql`analyze orders, packages, accounts`.execute(db);
    const searches = [{ externalId: 'named' }, { trackingCode: named?.trackingCode ?? '' }];
    for (const [actor, filters] of [owner, operator].flatMap((who) => searches.map((each) => [who, each] as const))) {
      await transaction(db, async (trx) => {
        // With so few packages PostgreSQL would prefer to read the whole table.
        await sql`set local enable_seqscan = off`.execute(trx);
        const before = await rowsRead(trx, 'orders', 'packages');
        expect(await listed(trx, actor, filters, first)).toEqual({ total: 1, ids: [order.id] });
        // One order and its package are read for the page, for the total and for the shown parts.
        expect((await rowsRead(trx, 'orders', 'packages')) - before).toBeLessThanOrEqual(12);
      });
    }
  });

  test('misses no order and keeps its sequence while others are created', async () => {
    const before = (await plainly(db, large, {}, { page: 1, pageSize: 5_000 })).ids;
    const planned = await planOrder(planDeps(db), large.accountId, orderInput());
    const createdTo = new Date(newest + 1);
    let done = false;
    const creating = (async () => {
      while (!done) await placeOrder(db, planned);
    })();
    const moving: string[] = [];
    const bounded: string[] = [];
    for (let page = 1; bounded.length < before.length; page += 1) {
      const { ids, total } = await listed(db, large, {}, { page, pageSize: 100 });
      expect(ids).toHaveLength(Math.min(100, total - (page - 1) * 100));
      moving.push(...ids);
      bounded.push(...(await listed(db, large, { createdTo }, { page, pageSize: 100 })).ids);
    }
    done = true;
    await creating;
    expect(bounded).toEqual(before);
    // New orders push earlier ones back. So an order may show twice: at the end of a page and on the next page.
    const old = new Set(before);
    const shown = [...new Set(moving.filter((id) => old.has(id)))];
    expect(shown).toEqual(before.slice(0, shown.length));
    expect(shown.length).toBeGreaterThan(before.length / 2);
    expect(await breaches(db)).toEqual([]);
  });
});

describe('the tallies of orders', () => {
  test('follow every statement that writes orders, even many at once', async () => {
    expect(await breaches(db)).toEqual([]);
    await sql`update orders set status = 'completed' where total_centavos % 3 = 0`.execute(db);
    await sql`update orders set version = version + 1, account_id = account_id where total_centavos % 3 = 1`.execute(
      db,
    );
    await sql`update orders set created_at = created_at - interval '40 days' where total_centavos % 7 = 1`.execute(db);
    await sql`delete from orders where total_centavos % 11 = 1 and package_count = 1 and price_lines = '[]'`.execute(
      db,
    );
    expect(await breaches(db)).toEqual([]);
  });

  test('do not make a new order wait for another new order of the account', async () => {
    const { owner } = await makeOrdered(db);
    const planned = await planOrder(planDeps(db), owner.accountId, orderInput());
    await transaction(db, async (trx) => {
      await placeOrder(trx, planned);
      await placeOrder(db, planned);
      expect((await listOrders(db, owner, {}, first)).total).toBe(2);
    });
    expect((await listOrders(db, owner, {}, first)).total).toBe(3);
  });
});
