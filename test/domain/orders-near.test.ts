import { beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { msecsOf, newId } from '../../src/base/ids.js';
import type { Db } from '../../src/db/connect.js';
import { keyAt, nameOfPeriod, periodAt, periodsAround } from '../../src/db/partitions/periods.js';
import { orderFamily } from '../../src/db/partitions/tables.js';
import { labelledPackages } from '../../src/orders/labelled-packages.js';
import { listOrders } from '../../src/orders/list-orders.js';
import { lockOrder } from '../../src/orders/lock-order.js';
import { getOrder, type Order } from '../../src/orders/order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { renewTrackingLink } from '../../src/orders/tracking-link.js';
import { findPackages } from '../../src/packages/find-packages.js';
import { listPackages } from '../../src/packages/list-packages.js';
import type { PackagePart } from '../../src/packages/package-rows.js';
import { getPackage, getTrackedPackage, historyOf, packagesOf } from '../../src/packages/queries.js';
import { trackingRecords } from '../../src/packages/tracking.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';
import { codeRing, codes, movement, operator, orderInput, planDeps, rowsRead } from './orders-fixtures.js';

// One order among a thousand of the same hour, in a database with partitions for years.

const ORDERS = 1000;
const MAX_ROWS = 100;
const page = { page: 1, pageSize: 20 };
const family = orderFamily.map(({ name }) => name);

const { db } = await ownDatabase();
const facts = { channel: 'marketplace', cart: '48213' };

let owner: Actor;
let order: Order;
let key: string;

/** Adds monthly partitions for years ahead. */
async function makeYears(): Promise<void> {
  for (const period of periodsAround('month', new Date(), 64).slice(-60)) {
    for (const { name, kind } of orderFamily)
      await sql`
        create table ${sql.table(`${name}_${nameOfPeriod('month', period)}`)} partition of ${sql.table(name)}
        for values from (${sql.lit(keyAt(kind, period.from))}) to (${sql.lit(keyAt(kind, period.until))})`.execute(db);
  }
}

beforeAll(async () => {
  owner = actorOf(await makeAccount(db));
  await makeYears();
  const planned = { ...(await planOrder(planDeps(db), owner.accountId, orderInput(2))), externalId: null };
  const named = {
    ...planned,
    metadata: facts,
    packages: planned.packages.map((each) => ({ ...each, reference: 'one' })),
  };
  const ids = Array.from({ length: ORDERS }, (_, at) => ({
    id: newId(),
    planned: at === ORDERS / 2 ? named : planned,
  }));
  const orders = await insertOrders(db, ids, { codes, keys: codeRing });
  const placed = orders[ORDERS / 2];
  if (!placed) throw new Error('no orders were placed');
  [order, key] = [placed, placed.packages[0]?.loggiKey ?? ''];
  await sql`analyze`.execute(db);
});

/** Lists whose results may come from any month. */
const found: Record<string, (trx: Db) => Promise<{ total: number }>> = {
  'orders by metadata': (trx) => listOrders(trx, owner, { metadata: facts }, page),
  'orders by a reference': (trx) => listOrders(trx, owner, { reference: 'one' }, page),
  'packages by a reference': (trx) => listPackages(trx, owner, { reference: 'one' }, page),
};

test.each(Object.keys(found))('%s are found by an index', async (name) => {
  const { read, total } = await db.transaction().execute(async (trx) => {
    const before = await rowsRead(trx, ...family);
    const list = await found[name]?.(trx);
    return { read: (await rowsRead(trx, ...family)) - before, total: list?.total };
  });
  expect(total).toBe(name.startsWith('orders') ? 1 : 2);
  expect(read).toBeLessThan(MAX_ROWS);
});

const PARTS = new Set<PackagePart>(['others', 'pickup', 'movement', 'related']);

const work: Record<string, (trx: Db) => Promise<unknown>> = {
  getOrder: (trx) => getOrder(trx, owner, order.id),
  getPackage: (trx) => getPackage(trx, owner, key),
  getTrackedPackage: (trx) => getTrackedPackage(trx, owner, key),
  'packagesOf a list of orders': (trx) => packagesOf(trx, [order.id], PARTS),
  'listPackages of an order': (trx) => listPackages(trx, operator, { orderId: order.id }, page),
  findPackages: (trx) => findPackages(trx, owner, order.packages[0]?.trackingCode ?? ''),
  labelledPackages: (trx) => labelledPackages(trx, order.id, order.packages),
  recordMovements: (trx) => recordMovements(trx, [movement(key, 3)]),
  historyOf: (trx) => historyOf(trx, key, page),
  trackingRecords: (trx) => trackingRecords(trx, [{ loggiKey: key, seq: 1 }]),
  lockOrder: (trx) => lockOrder(trx, owner, order.id),
  renewTrackingLink: (trx) => renewTrackingLink(trx, key),
};

/** The months whose partitions the transaction has locked. A statement locks every partition that it may read. */
async function monthsLocked(trx: Db): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select distinct substring(relname from '_(\\d{4}_\\d\\d)$') as month
    from pg_locks join pg_class on pg_class.oid = relation and relkind = 'r'
    where pid = pg_backend_pid() and relname ~ ${`^(${family.join('|')})_`}`.execute(trx);
  return rows.map(({ month }) => month);
}

test.each(Object.keys(work))(
  '%s reads only rows of that order, and locks only the partitions of its months',
  async (name) => {
    const { read, months } = await db.transaction().execute(async (trx) => {
      const before = await rowsRead(trx, ...family);
      await work[name]?.(trx);
      return { read: (await rowsRead(trx, ...family)) - before, months: await monthsLocked(trx) };
    });
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(MAX_ROWS);
    const hour = 3_600_000;
    const around = [-hour, hour].map((ms) =>
      nameOfPeriod('month', periodAt('month', new Date(msecsOf(order.id) + ms))),
    );
    expect(new Set(months)).toEqual(new Set(around));
  },
);
