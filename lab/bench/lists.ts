/**
 * Measures the lists on a new embedded PostgreSQL: npx tsx lab/bench/lists.ts [--orders 1000000] [--days 365] [--runs
 * 140]. One account has a tenth of the orders. Compares each cost with that of the same list among 10 000 orders in
 * all, or with that of its own page 1. Exits with 1 if a goal is missed.
 */
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { listAccounts } from '../../src/accounts/account.js';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { listOrders, type OrderFilters } from '../../src/orders/list-orders.js';
import { listProducts } from '../../src/products/products.js';
import { judge, spread } from '../figures.js';
import { type Case, type Cost, measure, measureCreates } from './lists/measure.js';
import { LARGEST, loadOf, openStage } from './lists/stage.js';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '365' },
    runs: { type: 'string', default: '140' },
  },
});
const [orders, days, runs] = [Number(values.orders), Number(values.days), Number(values.runs)];
const FEW = 10_000;
// A count reads single orders in the first and the last hour of its range.
const goals = { page: 3, range: 10, deep: 20, create: 1.5 };

const customer: Actor = { accountId: LARGEST, role: 'customer' };
const operator: Actor = { accountId: LARGEST, role: 'operator' };
const daysAgo = (share: number): Date => new Date(Date.now() - share * days * 86_400_000);
const range: OrderFilters = { createdFrom: daysAgo(0.9), createdTo: daysAgo(0.05) };
const PAGE_SIZE = 20;
const lists: { name: string; actor: Actor; filters: OrderFilters; deep: number }[] = [
  { name: 'an account', actor: customer, filters: {}, deep: orders / 20 },
  { name: 'an account, status', actor: customer, filters: { status: 'completed' }, deep: orders / 40 },
  { name: 'an account, from … to', actor: customer, filters: range, deep: orders / 20 },
  { name: 'all', actor: operator, filters: {}, deep: orders / 2 },
  { name: 'all, status', actor: operator, filters: { status: 'cancelled' }, deep: orders / 5 },
  { name: 'all, from … to', actor: operator, filters: range, deep: orders / 2 },
];

const listAt = (actor: Actor, filters: OrderFilters, offset: number) => (db: Db) =>
  listOrders(db, actor, filters, { page: Math.floor(offset / PAGE_SIZE) + 1, pageSize: PAGE_SIZE });

let missed = 0;
/** Goals that are checked at the end, below the tables. */
const ratiosByGoal: { name: string; ratio: number; goal: number }[] = [];

function compare(name: string, cost: Cost | undefined, base: Cost | undefined, goal: number | undefined): void {
  if (!cost || !base) throw new Error(`${name} was not measured`);
  const ratio = cost.median / base.median;
  const figures = [cost.median, cost.p95, cost.server].map((ms) => ms.toFixed(2).padStart(9)).join('');
  console.log(`${name.padEnd(44)}${figures}${ratio.toFixed(2).padStart(9)}`);
  if (goal !== undefined) ratiosByGoal.push({ name, ratio, goal });
}

function header(title: string): void {
  const columns = ['median', 'p95', 'server', 'ratio'].map((column) => column.padStart(9)).join('');
  console.log(`\n${title.padEnd(44)}${columns}`);
}

async function measureLists(small: Db, large: Db): Promise<void> {
  const cases: Case[] = lists.flatMap(({ name, actor, filters, deep }) => [
    { name: `${name}, few`, db: small, run: listAt(actor, filters, 0) },
    { name: `${name}, page 1`, db: large, run: listAt(actor, filters, 0) },
    { name: `${name}, deep`, db: large, run: listAt(actor, filters, deep) },
  ]);
  const costs = await measure(cases, runs);
  header(`ms: orders of …`);
  for (const { name, filters, deep } of lists) {
    const [base, first] = [costs.get(`${name}, few`), costs.get(`${name}, page 1`)];
    compare(`${name}: page 1 of ${FEW} orders`, base, base, undefined);
    compare(`${name}: page 1`, first, base, filters === range ? goals.range : goals.page);
    compare(`${name}: offset ${deep}`, costs.get(`${name}, deep`), first, goals.deep);
  }
}

/** Measures the same lists without tallies, and the lists that never have tallies. */
async function measureOthers(small: Db, large: Db): Promise<void> {
  const count = (db: Db) => sql`select count(*) from orders where account_id = ${LARGEST}`.execute(db);
  const skip = (db: Db) =>
    sql`
    select id from orders where account_id = ${LARGEST} order by created_at desc, id desc
    offset ${orders / 20} limit ${PAGE_SIZE}`.execute(db);
  const first = { page: 1, pageSize: PAGE_SIZE };
  const users = { name: 'users', db: large, run: (db: Db) => listAccounts(db, {}, first) };
  const products = { name: 'products', db: large, run: (db: Db) => listProducts(db, customer, {}, first) };
  const search = {
    name: 'products, search',
    db: large,
    run: (db: Db) => listProducts(db, customer, { search: '77' }, first),
  };
  const base = { name: 'base', db: small, run: listAt(customer, {}, 0) };
  const others: Case[] = [
    { name: 'counting an account', db: large, run: count },
    { name: 'skipping half', db: large, run: skip },
    users,
    products,
    search,
  ];
  const costs = await measure([base, ...others], Math.ceil(runs / 4));
  header('ms: for comparison, over an account, page 1');
  for (const { name } of others) compare(name, costs.get(name), costs.get('base'), undefined);
}

async function checkTotals(db: Db): Promise<void> {
  for (const { name, actor, filters } of lists.filter(({ filters }) => filters.createdFrom === undefined)) {
    const { total } = await listOrders(db, actor, filters, { page: 1, pageSize: PAGE_SIZE });
    let counted = db.selectFrom('orders').select(({ fn }) => fn.countAll().as('orders'));
    if (actor.role === 'customer') counted = counted.where('account_id', '=', actor.accountId);
    if (filters.status) counted = counted.where('status', '=', filters.status);
    const exact = Number((await counted.executeTakeFirstOrThrow()).orders);
    if (total !== exact) missed += 1;
    console.log(`total of ${name}: ${total}${total === exact ? ', as counted' : ` but ${exact} counted: WRONG`}`);
  }
}

async function compareCreates(db: Db): Promise<void> {
  const costs = await measureCreates(db, 20);
  console.log('\nms, creates of one account       without tallies     with    ratio');
  for (const [name, { without, withTallies }] of Object.entries({ alone: costs.alone, '20 at once': costs.together })) {
    const ratio = withTallies / without;
    ratiosByGoal.push({ name: `creates with tallies, ${name}`, ratio, goal: goals.create });
    const figures = `${without.toFixed(2).padStart(16)}${withTallies.toFixed(2).padStart(9)}${ratio.toFixed(2).padStart(9)}`;
    console.log(`${name.padEnd(32)}${figures}`);
  }
}

const stage = await openStage();
try {
  const small = await stage.database('few', loadOf({ orders: FEW, days }), 20);
  const large = await stage.database('many', loadOf({ orders, days }));
  await checkTotals(large);
  await measureLists(small, large);
  await measureOthers(small, large);
  await compareCreates(small);
} finally {
  await stage.close();
}
console.log('\nratios to the first page, or to the same list among few orders');
for (const { name, ratio, goal } of ratiosByGoal) if (!judge(name, spread([ratio]), goal, 'below')) missed += 1;
console.log(missed === 0 ? '\nevery goal is met' : `\n${missed} goals are missed`);
process.exitCode = missed === 0 ? 0 : 1;
