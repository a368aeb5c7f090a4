import { beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { newId } from '../../src/base/ids.js';
import { transaction } from '../../src/db/transaction.js';
import { listOrders } from '../../src/orders/list-orders.js';
import { getOrder, type OrderInput } from '../../src/orders/order.js';
import { planOrder } from '../../src/orders/plan-order.js';
import { codeMaker } from '../../src/packages/codes.js';
import { historyOf } from '../../src/packages/queries.js';
import { createProduct } from '../../src/products/products.js';
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
  packageInput,
  placeOrder,
  planDeps,
} from './orders-fixtures.js';

const { db } = await ownDatabase();

const page = { page: 1, pageSize: 20 };

let accountId: string;
beforeAll(async () => {
  accountId = (await makeAccount(db)).id;
});

const plan = (input: OrderInput, account = accountId) => planOrder(planDeps(db), account, input);
const wrongFields = async (input: OrderInput) => (await faultOf(plan(input))).fields;

function product(account: string, dimensions = { width: 12, height: 6, length: 20, weight: 520 }) {
  return createProduct(db, account, { sku: newId(), name: 'Café', price: 3850, dimensions });
}

function withItems(...items: { productId: string; quantity: number }[]): OrderInput {
  const { dimensions: _, ...rest } = packageInput();
  return { ...orderInput(), packages: [{ ...rest, items }] };
}

const saoPauloDate = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo' });

const planAt = (time: string, input: OrderInput) =>
  planOrder({ ...planDeps(db), clock: () => new Date(time) }, accountId, input);

describe('a plan', () => {
  test('that is made on a holiday begins in the working hours of the next day', async () => {
    const { pickups, packages } = await planAt('2026-04-21T12:00:00Z', orderInput(3, 2));
    const [first] = pickups.map(({ waypoint }) => waypoint.eta.toISOString()).sort();
    expect(first).toBe('2026-04-22T11:00:00.000Z');
    expect(packages.map(({ promisedDate }) => promisedDate)).toContain('2026-04-22');
  });

  test('uses the local time of each stop', async () => {
    const address = { address: 'Centro, Rio Branco - AC' };
    const acre = { ...orderInput(), packages: [{ ...packageInput(), address }] };
    const hoursOf = async (time: string) => {
      const { packages } = await planAt(time, acre);
      return packages.map(({ waypoint }) => (waypoint.eta.getUTCHours() + 24 - 5) % 24);
    };
    // Couriers begin at 08:00, at whatever hour of the night the line-haul arrives.
    const departures = Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(2026, 2, 10, 11 + at)).toISOString());
    const hours = (await Promise.all(departures.map(hoursOf))).flat();
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(8);
    expect(hours).toContain(8);
  });

  test('has a route over all stops, a price that adds up and a date for each package', async () => {
    const { pickups, packages, route, pricing } = await plan(orderInput(3, 2));
    const stops = [...pickups, ...packages].map(({ waypoint }) => waypoint);
    expect(stops.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(stops.reduce((sum, { legDistance }) => sum + legDistance, 0)).toBe(route.distanceMetres);
    expect(pricing.lines.map(({ kind }) => kind)).toEqual(['base', 'distance', 'weight', 'line_haul']);
    for (const { waypoint, pickupIndex, pickupWaypoint, promisedDate, origin } of packages) {
      expect(pickupWaypoint).toEqual(pickups[pickupIndex]?.waypoint);
      expect(waypoint.index).toBeGreaterThan(pickupWaypoint.index);
      expect(waypoint.eta.getTime()).toBeGreaterThan(Date.now());
      expect(promisedDate).toBe(saoPauloDate.format(waypoint.eta));
      expect(origin).toEqual({ city: ['Sorocaba', 'Jundiaí'][pickupIndex], state: 'SP' });
    }
  });

  test('derives size and weight from items, stacked on their largest sides', async () => {
    const flat = await product(accountId);
    const tall = await product(accountId, { width: 8, height: 30, length: 5, weight: 100.1 });
    const items = [
      { productId: flat.id.toUpperCase(), quantity: 2 },
      { productId: tall.id, quantity: 3 },
    ];
    const [planned] = (await plan(withItems(...items))).packages;
    expect(planned?.dimensions).toEqual({ width: 12, height: 27, length: 30, weight: 1340.3 });
    expect(planned?.items).toEqual(items);
  });

  test('makes the same number of reads for sixty packages of items as for one', async () => {
    const { id } = await product(accountId);
    const reads = async (count: number) => {
      const counted = counting(db);
      const [input] = withItems({ productId: id, quantity: 1 }).packages;
      const packages = Array.from({ length: count }, () => input ?? packageInput());
      await planOrder(planDeps(counted.db), accountId, { ...orderInput(), packages });
      return counted.statements();
    };
    // One read is of the rate card, because each of these databases is new to the process.
    expect(await reads(1)).toBe(3);
    expect(await reads(60)).toBe(3);
  });
});

describe('field errors', () => {
  test('are all named at once, in the order of the fields', async () => {
    const { id } = await makeAccount(db);
    const foreign = await product(id);
    const own = await product(accountId);
    const nowhere = { address: 'Atlântida, no fundo do mar' };
    const { dimensions: _, ...bare } = packageInput();
    const input: OrderInput = {
      paymentMethodId: 2_000_000_000,
      pickups: [{ address: packageInput().address }, { address: nowhere }],
      packages: [
        { ...packageInput(), pickupIndex: 2 },
        { ...packageInput(), dimensions: { width: 90, height: 90, length: 90, weight: 1 } },
        { ...bare, items: [foreign.id, own.id, newId()].map((productId) => ({ productId, quantity: 1 })) },
        { ...bare, address: nowhere, items: [{ productId: own.id, quantity: 1000 }] },
      ],
    };
    const fields = `paymentMethodId pickups.1.address.address packages.0.pickupIndex packages.1.dimensions
      packages.2.items.0.productId packages.2.items.2.productId packages.3.address.address
      packages.3.items packages.3.items`;
    expect(await faultOf(plan(input))).toEqual({ code: 'VALIDATION_ERROR', fields: fields.split(/\s+/) });
  });

  test('name the stop that no road joins to the others', async () => {
    const island = { address: 'Rua do Sol, 1, Fernando de Noronha - PE' };
    const stranded = { ...packageInput(), address: island };
    const [delivery, pickup] = [{ packages: [packageInput(), stranded] }, { pickups: [{ address: island }] }];
    expect(await wrongFields({ ...orderInput(), ...delivery })).toEqual(['packages.1.address.address']);
    expect(await wrongFields({ ...orderInput(), ...pickup })).toEqual(['pickups.0.address.address']);
    const { packages } = await plan({ ...orderInput(), pickups: [{ address: island }], packages: [stranded] });
    expect(packages[0]?.place.city).toBe('Fernando de Noronha');
  });
});

describe('placing an order', () => {
  test.each([false, true])(
    'takes new numbers when a failover gave them to other packages (in a transaction: %s)',
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
      // Codes are drawn 256 at once and used from the end. So the next order would get the codes of 511 and 512.
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

  test('takes one statement for three or for sixty packages, and now and then one for new numbers', async () => {
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

  test('refuses an external id that another order of the account has, and writes nothing', async () => {
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
  test('takes one statement for any number of packages', async () => {
    const { owner, order } = await makeOrdered(db, 20);
    const counted = counting(db);
    expect((await getOrder(counted.db, owner, order.id))?.packages).toHaveLength(20);
    expect(await getOrder(counted.db, owner, 'not-an-id')).toBeUndefined();
    expect(counted.statements()).toBe(1);
  });
});
