import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { getOrder, type Order } from '../../src/orders/order.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { insertOrders } from '../../src/orders/placing/insert-orders.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { dropOldOrders } from '../../src/orders/retention/old-orders.js';
import { returnPackage } from '../../src/orders/returns.js';
import { closeMonths } from '../../src/orders/statements/close-months.js';
import { pagesOfLines, type StatementLine } from '../../src/orders/statements/lines.js';
import { type Month, monthAfter, monthAt, monthNamed } from '../../src/orders/statements/months.js';
import { readStatement, statementFile } from '../../src/orders/statements/read-statement.js';
import { listStatements, sumsOf } from '../../src/orders/statements/statements.js';
import { between, choose, randomFrom } from '../support/random.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';
import { codeRing, codes, movement, operator, orderInput, planDeps } from './orders-fixtures.js';

/** Monthly statements: orders as they were created, and each change at its own time. */

const { db } = await ownDatabase();
const deps = planDeps(db);
const placing = createPlacing({ db, codes, keys: codeRing, waitMs: 10_000 });
const DAY_MS = 86_400_000;

const owners: Actor[] = [actorOf(await makeAccount(db)), actorOf(await makeAccount(db))];
const [ana = operator, bia = operator] = owners;

/** Makes an order of this time, with an id of this time. */
async function orderAt(owner: Actor, at: Date, packages = 1): Promise<Order> {
  const planned = await planOrder(deps, owner.accountId, orderInput(packages));
  const [order] = await insertOrders(db, [{ id: v7({ msecs: at.getTime() }), planned }], { codes, keys: codeRing });
  if (!order) throw new Error('the order was not written');
  await db.updateTable('orders').set({ created_at: at }).where('id', '=', order.id).execute();
  return order;
}

/** Moves the newest change of an order to this time. */
const dateChange = (orderId: string, at: Date) =>
  sql`
    update ledger_entries set at = ${at} where id = (
      select id from ledger_entries where order_id = ${orderId} order by at desc limit 1)`.execute(db);

const cancel = async (owner: Actor, key = '') => (await cancelPackage(deps, owner, key))(db);

async function readdress(owner: Actor, loggiKey = ''): Promise<void> {
  const address = { address: 'Rua XV de Novembro, 9 - Centro, Ribeirão Preto - SP' };
  const { order } = await (await changeAddress(deps, owner, loggiKey, { address }))(db);
  const { totalCentavos } = order.pricing;
  await (await changeAddress(deps, owner, loggiKey, { address, totalCentavos }))(db);
}

const deliver = (order: Order) =>
  recordMovements(
    db,
    order.packages.map(({ loggiKey }) => movement(loggiKey, 5)),
  );

async function linesOf(month: Month, accountId?: string): Promise<StatementLine[]> {
  const lines: StatementLine[] = [];
  for await (const page of pagesOfLines(db, { month, accountId })) lines.push(...page);
  return lines;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

async function fileOf(pool: Db, month: string, accountId: string, language: 'pt-BR' | 'en'): Promise<string> {
  let text = '';
  for await (const part of statementFile(await readStatement(pool, month, accountId), language)) text += part;
  return text;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('lines', () => {
  test('add up to the present prices of a year of orders and changes, by order and by month', async () => {
    const seed = Date.now() % 1_000_000;
    const random = randomFrom(seed);
    const today = Date.now();
    const orders: Order[] = [];
    for (let count = 0; count < 60; count += 1) {
      const owner = owners[count % 2] ?? ana;
      const at = new Date(today - between(random, 0, 365 * DAY_MS));
      const order = await orderAt(owner, at, between(random, 1, 3));
      orders.push(order);
      const changed = choose(
        random,
        [
          [3, 'none'],
          [3, 'cancel'],
          [2, 'address'],
          [1, 'both'],
          [1, 'return'],
        ] as const,
        'none',
      );
      const [first, last] = [order.packages[0]?.loggiKey, order.packages.at(-1)?.loggiKey];
      const later = () => new Date(between(random, at.getTime() + 1, today));
      if (changed === 'cancel' || changed === 'both') {
        await cancel(owner, first);
        await dateChange(order.id, later());
      }
      if (changed === 'address' || (changed === 'both' && first !== last)) {
        await readdress(owner, last);
        await dateChange(order.id, later());
      }
      if (changed === 'return') {
        await deliver(order);
        orders.push(await (await returnPackage({ ...deps, placing }, owner, first ?? '', {}))(db));
      }
    }
    const lines: StatementLine[] = [];
    for (
      let month = monthAt(new Date(today - 366 * DAY_MS));
      month.from.getTime() <= today;
      month = monthAfter(month)
    ) {
      const ofMonth = await linesOf(month);
      expect(ofMonth.filter(({ at }) => at < month.from || at >= month.until)).toEqual([]);
      expect(ofMonth.map(({ at }) => at)).toEqual(
        ofMonth.map(({ at }) => at).sort((a, b) => a.getTime() - b.getTime()),
      );
      for (const { accountId } of owners) {
        const own = await linesOf(month, accountId);
        expect(own).toEqual(ofMonth.filter((line) => line.accountId === accountId));
        const { lineCount, totalCentavos } = await sumsOf(db, accountId, month);
        expect([lineCount, totalCentavos]).toEqual([own.length, sum(own.map(({ centavos }) => centavos))]);
      }
      lines.push(...ofMonth);
    }
    for (const { id } of orders) {
      const cost = (await getOrder(db, operator, id))?.pricing.totalCentavos;
      const added = sum(lines.filter(({ orderId }) => orderId === id).map(({ centavos }) => centavos));
      expect({ seed, id, added }).toEqual({ seed, id, added: cost });
    }
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(
      new Set(['order_created', 'return_created', 'package_cancelled', 'address_changed']),
    );
  });

  test('include a change in the last millisecond of their month, but not one after it', async () => {
    const carla = actorOf(await makeAccount(db));
    const month = monthNamed('2026-08');
    const order = await orderAt(carla, new Date('2026-08-20T15:00:00Z'), 3);
    await cancel(carla, order.packages[0]?.loggiKey);
    await dateChange(order.id, new Date('2026-09-01T02:59:59.999Z'));
    expect((await linesOf(month, carla.accountId)).map(({ kind }) => kind)).toEqual([
      'order_created',
      'package_cancelled',
    ]);
    await dateChange(order.id, new Date('2026-09-01T03:00:00.000Z'));
    expect((await linesOf(month, carla.accountId)).map(({ kind }) => kind)).toEqual(['order_created']);
    expect((await linesOf(monthAfter(month), carla.accountId)).map(({ kind }) => kind)).toEqual(['package_cancelled']);
  });

  test('show a change that a process of the release before made', async () => {
    const order = await orderAt(bia, new Date(), 2);
    await sql`update orders set total_centavos = total_centavos - 100 where id = ${order.id}`.execute(db);
    const own = (await linesOf(monthAt(new Date()), bia.accountId)).filter(({ orderId }) => orderId === order.id);
    expect(own.map(({ kind, centavos }) => [kind, centavos])).toEqual([
      ['order_created', order.pricing.totalCentavos],
      ['price_changed', -100],
    ]);
  });

  test('are read page by page', async () => {
    const dora = actorOf(await makeAccount(db));
    const planned = await planOrder(deps, dora.accountId, orderInput(1));
    for (let batch = 0; batch < 21; batch += 1) {
      const orders = Array.from({ length: 100 }, () => ({ id: v7(), planned }));
      await insertOrders(db, orders, { codes, keys: codeRing });
    }
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const page of pagesOfLines(db, { month: monthAt(new Date()), accountId: dora.accountId })) {
      sizes.push(page.length);
      for (const { id } of page) ids.add(id);
    }
    expect([sizes, ids.size]).toEqual([[1000, 1000, 100], 2100]);
  });
});

describe('a month', () => {
  test('begins at midnight in São Paulo, and closes at the beginning of the fifth day after it', () => {
    expect(monthNamed('2026-11')).toEqual({
      name: '2026-11',
      from: new Date('2026-11-01T03:00:00Z'),
      until: new Date('2026-12-01T03:00:00Z'),
      closesAt: new Date('2026-12-05T03:00:00Z'),
    });
    expect(monthAt(new Date('2027-01-01T02:59:59.999Z')).name).toBe('2026-12');
    // Clocks were an hour ahead in the summer of 2018.
    expect(monthNamed('2018-12').from).toEqual(new Date('2018-12-01T02:00:00Z'));
  });

  test('closes once, by one process or two', async () => {
    await Promise.all([closeMonths(db), closeMonths(db)]);
    const closings = () => db.selectFrom('statements').selectAll().orderBy('account_id').orderBy('month').execute();
    const before = await closings();
    expect(before.length).toBeGreaterThan(10);
    expect(await closeMonths(db)).toEqual([]);
    expect(await closings()).toEqual(before);
  });

  test('keeps the same bytes when orders change later, are erased or are dropped', async () => {
    const { accountId } = ana;
    await closeMonths(db);
    const { rows } = await listStatements(db, accountId, { page: 1, pageSize: 100 });
    const closed = rows.filter(({ closing }) => closing);
    expect(closed.length).toBeGreaterThan(5);
    const files = async () => {
      const found = [];
      for (const { month } of closed)
        found.push([await fileOf(db, month.name, accountId, 'pt-BR'), await fileOf(db, month.name, accountId, 'en')]);
      return found;
    };
    const before = await files();
    expect(before.map((pair) => pair.map(sha256))).toEqual(
      closed.map(({ closing }) => [closing?.sha256.pt, closing?.sha256.en]),
    );

    const open = await db
      .selectFrom('packages')
      .select('loggi_key')
      .where('account_id', '=', accountId)
      .where('status_code', '=', 1)
      .execute();
    for (const { loggi_key } of open) await cancel(ana, loggi_key);
    for (const table of ['orders', 'packages'] as const)
      await sql`update ${sql.table(table)} set ${sql.raw(
        table === 'orders'
          ? "recipients_erased_at = now(), status = 'completed'"
          : "recipient_name = 'x', address = 'x'",
      )} where account_id = ${accountId}`.execute(db);
    await sql`update accounts set name = '-', deleted_at = now(), erased_at = now() where id = ${accountId}`.execute(
      db,
    );
    await sql`update orders set status = 'completed' where status not in ('completed', 'cancelled')`.execute(db);
    const today = new Date();
    const monthBegin = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
    const days = Math.floor((today.getTime() - monthBegin) / DAY_MS) - 1;
    expect(await dropOldOrders(db, { days, lostAfterDays: 90 })).toEqual({ dropped: ['first'], kept: [] });
    const orders = db.selectFrom('orders').select('id').where('created_at', '<', new Date(monthBegin));
    expect(await orders.execute()).toEqual([]);

    expect(await files()).toEqual(before);
    const after = await listStatements(db, accountId, { page: 1, pageSize: 100 });
    expect(after.rows.filter(({ closing }) => closing)).toEqual(closed);
    for (const { month, lineCount, totalCentavos } of closed)
      expect(await sumsOf(db, accountId, month)).toMatchObject({ lineCount, totalCentavos });
  });
});
