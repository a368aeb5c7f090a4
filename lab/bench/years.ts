/**
 * Compares today's requests among five years of orders with those among few orders, on a new embedded PostgreSQL: npx
 * tsx lab/bench/years.ts [--orders 1000000] [--few 100000] [--movements 5] [--months 60] [--runs 140]. Each order has
 * two packages with so many movements. The few orders span proportionally fewer months. Exits with 1 if a goal is
 * missed.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type { Actor } from '../../src/base/actor.js';
import { newId } from '../../src/base/ids.js';
import type { Db } from '../../src/db/connect.js';
import { listOrders } from '../../src/orders/list-orders.js';
import { getOrder } from '../../src/orders/order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { trackingRecords } from '../../src/packages/tracking.js';
import { judge, mention, spread } from '../figures.js';
import { type Case, codes, keys, measure, plannedOrder } from './lists/measure.js';
import { LARGEST, openStage } from './lists/stage.js';
import { seeding } from './years/seed.js';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    few: { type: 'string', default: '100000' },
    movements: { type: 'string', default: '5' },
    months: { type: 'string', default: '60' },
    runs: { type: 'string', default: '140' },
  },
});
const [orders, few, movements, months] = [values.orders, values.few, values.movements, values.months].map(Number) as [
  number,
  number,
  number,
  number,
];
const GOAL = 1.5;

const customer: Actor = { accountId: LARGEST, role: 'customer' };
const operator: Actor = { accountId: LARGEST, role: 'operator' };
const page = { page: 1, pageSize: 20 };

/** Requests of today. Each run uses another of the newest orders. */
async function work(db: Db): Promise<Record<string, () => Promise<unknown>>> {
  const planned = await plannedOrder(db);
  const newest = await sql<{ id: string; key: string }>`
    select o.id, p.loggi_key as key from orders o join packages p on p.order_id = o.id and p.position = 0
    order by o.created_at desc limit 1000`.execute(db);
  let turn = 0;
  const next = () => newest.rows[turn++ % newest.rows.length] ?? { id: '', key: '' };
  const movement = () => ({
    id: newId(),
    loggiKey: next().key,
    statusCode: 3,
    happenedAt: new Date().toISOString(),
    location: { city: 'Campinas', state: 'SP' },
  });
  return {
    'first page of an account': () => listOrders(db, customer, {}, page),
    'first page of all': () => listOrders(db, operator, {}, page),
    'an order': () => getOrder(db, customer, next().id),
    'a movement': () => recordMovements(db, [movement()]),
    'rows that a claim of 50 packages reads': () =>
      trackingRecords(
        db,
        Array.from({ length: 50 }, () => ({ loggiKey: next().key, seq: movements })),
      ),
    createOrder: () => insertOrders(db, [{ id: newId(), planned }], { codes, keys }),
  };
}

const stage = await openStage();
let missed = 0;
try {
  const fewMonths = Math.max(1, Math.round((months * few) / orders));
  const small = await stage.database('few', seeding({ orders: few, movements, months: fewMonths }));
  const large = await stage.database('many', seeding({ orders, movements, months }));
  const cases: Case[] = [];
  for (const [where, db] of [['few', small] as const, ['many', large] as const]) {
    for (const [name, run] of Object.entries(await work(db))) cases.push({ name: `${name}, ${where}`, db, run });
  }
  const costs = await measure(cases, Number(values.runs));
  for (const name of Object.keys(await work(small))) {
    const [base, cost] = [costs.get(`${name}, few`), costs.get(`${name}, many`)];
    if (!base || !cost) throw new Error(`${name} was not measured`);
    mention(`${name}: ms among ${orders} orders`, spread([cost.median]));
    mention(`${name}: ms of the database`, spread([cost.server]), `${base.server.toFixed(3)} among ${few}`);
    if (!judge(`${name}: among ${orders} orders over among ${few}`, spread([cost.median / base.median]), GOAL, 'below'))
      missed += 1;
  }
} finally {
  await stage.close();
}
process.exitCode = missed > 0 ? 1 : 0;
