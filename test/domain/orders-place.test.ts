import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { transaction } from '../../src/db/transaction.js';
import { listOrders } from '../../src/orders/list-orders.js';
import { getOrder } from '../../src/orders/order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { codeMaker } from '../../src/packages/codes.js';
import { historyOf } from '../../src/packages/queries.js';
import { createDatabase } from '../support/database.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, makeAccount } from './accounts-fixtures.js';
import {
  another,
  codeRing,
  codes,
  counting,
  makeOrdered,
  orderInput,
  placeOrder,
  planDeps,
} from './orders-fixtures.js';

const { db } = await ownDatabase();

const page = { page: 1, pageSize: 20 };

describe('placing an order', () => {
  test.each([false, true])(
    'draws numbers anew when a failover gave them to others (in a transaction: %s)',
    async (within) => {
      const own = await createDatabase();
      const rival = another(own.url);
      const { id } = await makeAccount(own.db);
      const planned = await planOrder(planDeps(own.db), id, orderInput(3));
      await placeOrder(rival, planned);
      await sql`alter sequence package_number restart`.execute(own.db);
      const place = () => placeOrder(own.db, planned);
      await (within ? transaction(own.db, (trx) => placeOrder(trx, planned)) : place());
      await place();
      expect(await listOrders(own.db, { accountId: id, role: 'customer' }, {}, page)).toMatchObject({ total: 3 });
      await rival.destroy();
      await own.drop();
    },
  );

  test.each([
    ['tracking_code', false],
    ['barcode', true],
  ] as const)(
    'draws codes anew when another key gave one to a package: %s (in a transaction: %s)',
    async (column, within) => {
      const own = await createDatabase();
      const { id } = await makeAccount(own.db);
      const planned = await planOrder(planDeps(own.db), id, orderInput(2));
      // Codes are drawn 256 at once and taken from the end: the next order would get those of 511 and 512.
      const [code, ...next] = codeMaker(codeRing)([512n, 767n, 768n]);
      const value = column === 'barcode' ? code?.barcode : code?.trackingCode;
      const earlier = await placeOrder(own.db, planned);
      const update = own.db.updateTable('package_codes').set({ [column]: value });
      await update.where('loggi_key', '=', earlier.packages[0]?.loggiKey ?? '').execute();
      codes.drop(own.db);
      const place = () => placeOrder(own.db, planned);
      const order = await (within ? transaction(own.db, (trx) => placeOrder(trx, planned)) : place());
      expect(order.packages).toMatchObject(next);
      expect(await listOrders(own.db, { accountId: id, role: 'customer' }, {}, page)).toMatchObject({ total: 2 });
      await own.drop();
    },
  );

  test('records a first movement at the pickup, as the order is created', async () => {
    const { order, keys } = await makeOrdered(db, 2);
    for (const key of keys) {
      const { rows } = await historyOf(db, key, page);
      const happenedAt = order.createdAt.toISOString().replace('Z', '000Z');
      expect(rows).toMatchObject([{ seq: 1, statusCode: 1, happenedAt, location: { city: 'Sorocaba', state: 'SP' } }]);
    }
  });

  test('takes one statement, for sixty packages as for three, but for the drawing of numbers now and then', async () => {
    const { id } = await makeAccount(db);
    const statements = async (packages: number) => {
      const planned = await planOrder(planDeps(db), id, orderInput(packages, 3));
      const counted = counting(db);
      await placeOrder(counted.db, planned);
      return counted.statements();
    };
    const counts = [];
    for (let order = 0; order < 10; order += 1) counts.push(await statements(order % 2 === 0 ? 3 : 60));
    expect(new Set(counts)).toEqual(new Set([1, 2]));
    expect(counts.filter((count) => count === 2).length).toBeLessThanOrEqual(3);
  });

  test('refuses an external id that the account has, and writes nothing', async () => {
    const { id } = await makeAccount(db);
    const planned = await planOrder(planDeps(db), id, { ...orderInput(), externalId: 'twice' });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => faultOf(placeOrder(db, planned))));
    expect(outcomes.filter(({ code }) => code === 'none')).toHaveLength(1);
    expect(outcomes).toContainEqual({ code: 'CONFLICT', fields: ['externalId'] });
    expect((await listOrders(db, { accountId: id, role: 'customer' }, {}, page)).total).toBe(1);
    const other = await makeAccount(db);
    const { accountId, paymentMethodId } = await planOrder(planDeps(db), other.id, orderInput());
    expect((await faultOf(placeOrder(db, { ...planned, accountId, paymentMethodId }))).code).toBe('none');
  });
});

describe('reading orders', () => {
  test('takes one statement, however many packages', async () => {
    const { owner, order } = await makeOrdered(db, 20);
    const counted = counting(db);
    expect((await getOrder(counted.db, owner, order.id))?.packages).toHaveLength(20);
    expect(await getOrder(counted.db, owner, 'not-an-id')).toBeUndefined();
    expect(counted.statements()).toBe(1);
  });
});
