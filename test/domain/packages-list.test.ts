import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { offsetOf, type Page } from '../../src/base/page.js';
import type { Db } from '../../src/db/connect.js';
import { transaction } from '../../src/db/transaction.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { listPackages, type PackageFilters } from '../../src/packages/list-packages.js';
import { idAt } from '../support/ids.js';
import { ownDatabase } from '../support/services.js';
import { makeOrdered, movement, operator, rowsRead } from './orders-fixtures.js';

const { db } = await ownDatabase();
let large: Actor;
let small: Actor;

const newest = Date.now();
const HOUR = 3_600_000;
const first = { page: 1, pageSize: 20 };

beforeAll(async () => {
  const [one, other] = [await makeOrdered(db, 2), await makeOrdered(db)];
  [large, small] = [one.owner, other.owner];
  await recordMovements(db, [movement(one.keys[0] ?? '', 17), movement(one.keys[1] ?? '', 3)]);
  // 50 days of packages, so that lists reach beyond the range that they read first.
  await addPackages(one.keys, 600, 2);
  await addPackages(other.keys, 60, 20);
  for (let count = 0; count < 5; count += 1) await addPackages((await makeOrdered(db)).keys, 100, 12);
  await sql`analyze orders, pickups, packages, movements, accounts`.execute(db);
});

/** Adds copies of packages, one each `hours` hours. Each has its own order, a pickup and a movement. */
async function addPackages(keys: readonly string[], count: number, hours: number): Promise<void> {
  const columns = sql.raw(
    `account_id, pickup_position, recipient_name, recipient_phone, width, height, length, weight, items, address,
    latitude, longitude, precision, city, state, waypoint_index, eta, leg_metres, promised_date, seq, status_code, status_since`,
  );
  await sql`
    with added as materialized (
      select
        ${idAt(sql`created`)} as key, gen_random_uuid() as movement_id, created, like_key
      from generate_series(1, ${count}::integer) i,
        lateral (select ${new Date(newest)}::timestamptz - i * make_interval(hours => ${hours}) as created) at,
        lateral (select (${keys}::uuid[])[1 + i % ${keys.length}::integer] as like_key) chosen
    ), packages_added as (
      insert into packages (loggi_key, order_id, position, tracking_code, barcode, current_movement_id, created_at, ${columns})
      select key, key, 0, 'T' || key, 'B' || key, movement_id, created, ${columns}
      from added join packages p on p.loggi_key = like_key
    ), orders_added as (
      insert into orders (
        id, account_id, status, payment_method_id, rate_card_version, price_lines, total_centavos, distance_metres, distance_source,
        pickup_count, package_count, created_at)
      select key, o.account_id, o.status, o.payment_method_id, o.rate_card_version, o.price_lines, o.total_centavos, o.distance_metres,
        o.distance_source, 1, 1, created
      from added join packages p on p.loggi_key = like_key join orders o on o.id = p.order_id
    ), pickups_added as (
      insert into pickups (order_id, position, address, latitude, longitude, precision, city, state, waypoint_index, eta, leg_metres)
      select key, u.position, u.address, u.latitude, u.longitude, u.precision, u.city, u.state, u.waypoint_index, u.eta, u.leg_metres
      from added join packages p on p.loggi_key = like_key
      join pickups u on u.order_id = p.order_id and u.position = p.pickup_position
    )
    insert into movements (id, loggi_key, seq, status_code, happened_at, city, state)
    select movement_id, key, seq, status_code, created, 'Campinas', 'SP' from added join packages p on p.loggi_key = like_key`.execute(
    db,
  );
}

/** The expected list, found simply by counting and skipping rows. */
async function plainly(db: Db, actor: Actor, filters: PackageFilters, page: Page) {
  const { statusCode, createdFrom, createdTo } = filters;
  let query = db.selectFrom('packages');
  if (actor.role !== 'operator') query = query.where('account_id', '=', actor.accountId);
  if (statusCode) query = query.where('status_code', '=', statusCode);
  if (createdFrom) query = query.where('created_at', '>=', createdFrom);
  if (createdTo) query = query.where('created_at', '<', createdTo);
  const { total } = await query.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
  const paged = query.select('loggi_key').orderBy('created_at', 'desc').orderBy('loggi_key', 'desc');
  const rows = await paged.limit(page.pageSize).offset(offsetOf(page)).execute();
  return { total: Number(total), keys: rows.map(({ loggi_key }) => loggi_key) };
}

async function listed(db: Db, actor: Actor, filters: PackageFilters, page: Page) {
  const { rows, total } = await listPackages(db, actor, filters, page);
  return { total, keys: rows.map(({ loggiKey }) => loggiKey) };
}

const time = fc.integer({ min: -1_300, max: 30 }).map((hours) => new Date(newest + hours * HOUR));
const filters = fc.record(
  { statusCode: fc.constantFrom(1, 3, 17), createdFrom: time, createdTo: time },
  { requiredKeys: [] },
);
const pages = fc.record({ page: fc.integer({ min: 1, max: 40 }), pageSize: fc.constantFrom(1, 7, 20, 100) });

test('the list of packages equals a list made by counting and skipping, with any filters and any page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('large' as const, 'small' as const, 'operator' as const),
      filters,
      pages,
      async (who, chosen, page) => {
        const actor = { large, small, operator }[who];
        expect(await listed(db, actor, chosen, page)).toEqual(await plainly(db, actor, chosen, page));
      },
    ),
    { numRuns: 80 },
  );
});

test('a page of an account reads only rows of that account', async () => {
  const read = await transaction(db, async (trx) => {
    // With such small tables PostgreSQL would prefer to read a whole table.
    await sql`set local enable_seqscan = off`.execute(trx);
    const before = await rowsRead(trx, 'orders', 'packages');
    await listed(trx, small, {}, first);
    return (await rowsRead(trx, 'orders', 'packages')) - before;
  });
  expect(read).toBeLessThanOrEqual(200);
});
